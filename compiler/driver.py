"""The commands xmpcc and xmpf90: mpicc and mpifort, with XMP directives translated first.

Source files without directives go straight to the compiler. The others are translated one by one and compiled from a temporary
file that carries the user's name in its line markers; linking is the compiler's business. Nothing is imported that a plain
compilation does not need: a Makefile starts this command a thousand times."""

import gc
import os
import signal
import sys

from .. import configuration
from . import command_line, detect
from .failure import Failure
from .temporary import TemporaryDirectory

NAMES = {"c": "xmpcc", "fortran": "xmpf90"}
SUFFIX = {"c": ".c", "fortran": ".f90"}
# Translated lines are longer than Fortran's 132 or 72, and than what the user's options say of his own.
LONG_LINES = ("-ffree-line-length-none", "-ffixed-line-length-none")
PREDEFINED = "-D_XMP=201811"
COARRAYS = "-fcoarray=lib"  # gfortran's, for which libkumihimo_caf is the library
# What makes fopen and the standard streams master I/O; the library's constructor is wanted even where nobody calls fopen.
_MASTER_STREAMS = [
    "-Wl,--wrap=fopen,--wrap=fopen64,--undefined=__wrap_fopen",
    os.path.join(configuration.LIBRARIES, "libkumihimo_master_io.a"),
]
CXX_LIBRARY = ("-lstdc++",)
# MPI 3 has no C++ bindings; where mpi.h still offers them, programs would need a library of theirs.
CXX_DEFINITIONS = ("-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")
DIRECTIVES_IN_CXX = """{path}:{line}: XMP directives are translated in C and Fortran, not in C++
  Put the functions that use them into a C file, and declare these functions extern "C" in C++.
  A C++ main begins with xmp_init_mpi(&argc, &argv) of <xmp.h>. Then: xmpcc main.cpp part.c
  See docs/how-to/cpp.md and examples/cpp_main."""
# Environment variables that name the compiler; the last ones are the wrappers' own.
COMPILER_VARIABLES = {
    ("c", "openmpi"): ("KUMIHIMO_CC", "OMPI_CC"),
    ("c", "mpich"): ("KUMIHIMO_CC", "MPICH_CC"),
    ("fortran", "openmpi"): ("KUMIHIMO_FC", "OMPI_FC"),
    ("fortran", "mpich"): ("KUMIHIMO_FC", "MPICH_FC"),
}


class Toolchain:
    """The compiler of one language and MPI family, with the options that MPI and Kumihimo need."""

    def __init__(self, language, family):
        self.name = NAMES[language]
        self.language = language
        self.family = family or os.environ.get("KUMIHIMO_MPI") or configuration.DEFAULT_FAMILY
        if self.family not in configuration.FAMILIES:
            known = ", ".join(configuration.FAMILIES)
            raise Failure(f"this installation has no libraries for the MPI family '{self.family}'; it has: {known}", 2)
        found = configuration.FAMILIES[self.family][language]
        self.compiler = _split(_first_set(COMPILER_VARIABLES[language, self.family]) or found["compiler"])
        if not self.compiler:
            raise Failure(f"no Fortran compiler of {self.family} was found; install gfortran and build Kumihimo again", 2)
        # Predefined as _OPENMP is: programs ask for it before they include anything (decision GEN-08).
        predefined = [PREDEFINED] if language == "c" else []
        self.headers = [
            *predefined,
            "-I" + configuration.HEADERS,
            "-I" + os.path.join(configuration.HEADERS, "kumihimo"),
            *found["compile"],
            *(["-I" + _fortran_directory()] if language == "fortran" else []),
        ]
        self.mpi_libraries = list(found["link"])

    def libraries(self, transport=None, others=(), coarrays=True, io="local"):
        """Link options; a program loads what it uses, of us and of libm. transport: one that may have to be part of it;
        others: libraries behind ours; coarrays: whether it may have Fortran's. The linker cannot tell: their library
        defines `free`, which all programs use. io: what stdio of C is."""
        directory = os.path.join(configuration.LIBRARIES, self.family)
        streams = _MASTER_STREAMS if io == "master" and self.language == "c" else []
        exists = lambda name: os.path.exists(os.path.join(directory, f"lib{name}.so"))  # noqa: E731
        names = ["kumihimo_caf"] if coarrays and self.language == "fortran" else []
        names.append("kumihimo_nc")
        libraries = ["-l" + name for name in names if exists(name)]
        fortran = [os.path.join(_fortran_directory(), "libkumihimo_fortran.a")] if self.language == "fortran" else []
        return [
            "-L" + directory,
            "-Wl,-rpath," + directory,
            *_part_of_programs(directory, transport),
            *streams,
            "-Wl,--push-state,--as-needed",
            *filter(os.path.exists, fortran),
            *libraries,
            "-lkumihimo",
            *others,
            "-lm",
            "-Wl,--pop-state",
            *self.mpi_libraries,
        ]


def _part_of_programs(directory, transport):
    """What links a transport that is no module into a program: its options lie beside its archive."""
    path = os.path.join(directory, f"kumihimo_transport_{transport}.link")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as options:
        return options.read().split()


def main(language, arguments):
    gc.disable()  # trees live until the end: looking for garbage among them takes time and finds none
    try:
        line = command_line.parse(arguments)
        return Compilation(language, line).run()
    except (Failure, command_line.UsageError) as error:
        print(f"{NAMES[language]}: {error}", file=sys.stderr)
        return getattr(error, "code", 2)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


class Compilation:
    """One invocation."""

    def __init__(self, language, line):
        self.line = line
        self.tools = Toolchain(language, line.family)
        self.language = language
        self.defaults = [] if line.optimised else ["-O3"]
        self.planned = None  # the plan.Language of the file that was translated last
        self.status = 0

    def run(self):
        line = self.line
        if line.help:
            from .help import parser

            parser(self.language).print_help()
            return 0
        if line.version:
            mpi = configuration.FAMILIES[self.tools.family]["version"]
            print(f"{self.tools.name} (Kumihimo) {configuration.VERSION}, {self.tools.family} {mpi}", flush=True)
            return self._replace([*self.tools.compiler, "--version"])
        if line.show in ("compile", "link"):
            headers = [*([COARRAYS] if line.coarray else []), *self.tools.headers]
            print(_quoted(headers if line.show == "compile" else self._libraries()))
            return 0
        if not line.inputs():
            return self._replace([*self.tools.compiler, *line.options("preprocess", "compile", "link", "depend", "stage")])
        translated = [word for word in line.inputs() if self._needs_translation(word)]
        if self._has_coarrays(line.inputs()):
            self.defaults.append(COARRAYS)
        if not translated:
            return self._replace(self._plain_command())
        self._warn_of_missing_netcdf(translated)
        if line.explain:
            translated = [word for word in translated if not word.only_coarrays]
            with TemporaryDirectory(self.tools.name) as directory:
                return self._explain(translated, directory)
        if line.output and line.stage != "program" and len(line.inputs()) > 1:
            raise Failure("cannot give -o with -c, -S or -fsyntax-only and several files", 1)
        with TemporaryDirectory(self.tools.name) as directory:
            return self._translate_and_compile(translated, directory)

    def _needs_translation(self, word):
        """Whether this input is a source with directives, and this stage looks beyond the preprocessor."""
        language = self._language(word)
        if language is None or self.line.stage in ("preprocessed", "dependencies"):
            return False
        if word.path == "-":
            word.text = sys.stdin.buffer.read()  # a file of its own from here on, because the compiler cannot read it again
        else:
            try:
                with open(word.path, "rb") as file:
                    word.text = file.read()
            except OSError:
                return False  # the compiler says it best
        found = detect.first_mark(word.text, word.path, language, self.line.options("preprocess"))
        if found and language == "c++":
            raise Failure(DIRECTIVES_IN_CXX.format(path=found[0], line=found[1]), 1)
        if found and language != self.language:
            raise Failure(f"{word.path} has XMP directives in another language: compile it with {NAMES[language]}", 1)
        word.only_main = not found and not self.line.show and detect.starts_program(word.text, language)
        every = self.line.io != "local" and language == "fortran"
        word.only_coarrays = not found and not every and word.path != "-" and self._has_coarrays([word])
        return found is not None or every or word.only_main or word.path == "-" or word.only_coarrays

    def _has_coarrays(self, words):
        """Whether to compile for coarrays because of some of the inputs. Who says it himself knows better."""
        compile, preprocess = self.line.options("compile"), self.line.options("preprocess")
        if self.language != "fortran" or any(word.startswith("-fcoarray=") for word in compile):
            return False
        sources = (word for word in words if self._language(word) == "fortran")
        fixed = lambda word: detect.fixed_form(word.path, compile)  # noqa: E731
        found = any(detect.has_coarrays(word.text, word.path, preprocess, fixed(word)) for word in sources)
        return found or self.line.coarray

    @staticmethod
    def _language(word):
        return detect.language_of(word.path, word.language)

    def _warn_of_missing_netcdf(self, translated):
        """Before the linker says it in words that do not help."""
        reason = configuration.FAMILIES[self.tools.family]["netcdf_missing"]
        users = [word.path for word in translated if b"xmpnc.h" in word.text or b"xmpnf90" in word.text.lower()]
        if reason and users and not self.line.show:
            print(f"{users[0]}: warning: no xmpnc for {self.tools.family} here: {reason}", file=sys.stderr)

    def _plain_command(self, replaced=None):
        """The compiler's command line with everything the user gave in its place; `replaced` inputs by their objects."""
        replaced = replaced or {}
        words = [*self.tools.compiler, *self.defaults]
        for word in self.line.words:
            if word in replaced:
                words.append(replaced[word])
            elif word.kind == "input" and word.language:
                words += ["-x", word.language, word.path, "-x", "none"]
            else:
                words += word.words
        words += ["-o", self.line.output] if self.line.output else []
        words += self.tools.headers
        words += CXX_DEFINITIONS if any(self._language(word) == "c++" for word in self.line.inputs()) else ()
        return words + (self._libraries(replaced) if self.line.stage == "program" else [])

    def _libraries(self, replaced=None):
        """replaced: inputs that the linker sees as their objects."""
        return self.tools.libraries(self.line.transport, self._cxx(), self._links_coarrays(replaced or {}), self.line.io)

    def _links_coarrays(self, replaced):
        """Whether what is linked has coarrays of Fortran, or is not known."""
        line = self.line
        if self.language != "fortran":
            return False
        if line.coarray or not line.inputs() or COARRAYS in (*self.defaults, *line.options("compile")):
            return True
        paths = [replaced.get(word, word.path) for word in line.inputs()]
        return detect.needs_coarray_library(paths, line.options("link"))

    def _cxx(self):
        """What C++ among the inputs needs of a linker driver of another language."""
        found = any(detect.needs_cxx_library(word.path, self._language(word)) for word in self.line.inputs())
        return CXX_LIBRARY if found else ()

    # ---- Files with directives ----

    def _translate_and_compile(self, translated, directory):
        objects = {}
        for number, word in enumerate(self._one_by_one(translated)):
            target = self._target(word, directory, number)
            if word in translated or self._needs_translation(word):
                done = self._compile_translated(word, directory, number, target)
            else:
                done = self._compile_alone(word, target)
            if done:
                objects[word] = target
        if self.status:
            return self.status
        if self.line.stage == "program":
            self._call(self._plain_command(objects))
        else:
            others = [word for word in self.line.inputs() if word not in objects]
            if others:
                self.line.words = [word for word in self.line.words if word not in objects]
                self._call(self._plain_command())
        return self.status

    def _one_by_one(self, translated):
        """In Fortran all sources, because each may use the modules of those before it: then it may need translation, too."""
        if self.language == "fortran":
            return [word for word in self.line.inputs() if self._language(word) == "fortran"]
        return translated

    def _compile_alone(self, word, target):
        """A source without directives, among others that have some."""
        options = self.line.options("preprocess", "compile", "depend") + (self.line.options("stage") or ["-c"])
        command = [*self.tools.compiler, *self.defaults, *options, *self.tools.headers]
        command += [] if self.line.stage == "syntax" else ["-o", target]
        self._call([*command, *(["-x", word.language] if word.language else []), word.path])
        return self.status == 0

    def _target(self, word, directory, number):
        """What compiling this file writes."""
        stem = os.path.splitext(os.path.basename(word.path))[0] if word.path != "-" else "-"
        if self.line.stage == "program":
            return f"{stem}.o" if self.line.show else os.path.join(directory.path(), f"{number}-{stem}.o")
        return self.line.output or stem + {"object": ".o", "assembly": ".s", "syntax": ".o"}[self.line.stage]

    def _explain(self, translated, directory):
        """Prints the plans of all files with directives instead of compiling them for good."""
        from .explain.report import explanations, printed
        from .explain.vectorisation import OPTION, read

        found = []
        for number, word in enumerate(translated):
            report = os.path.join(directory.path(), f"{number}.loops")
            target = os.path.join(directory.path(), f"{number}.o")
            self.line.stage = "object"
            if self._compile_translated(word, directory, number, target, [OPTION + report]):
                with open(report, encoding="utf-8", errors="replace") as file:
                    found += explanations(self.planned, read(file.read(), word.path))
        print(printed(found, self.line.json))
        return self.status

    def _compile_translated(self, word, directory, number, target, more=()):
        """more: options in addition to the user's."""
        line, stem = self.line, os.path.splitext(os.path.basename(word.path))[0]
        suffix = self._suffix(word)
        options = line.options("preprocess", "compile")
        here = os.path.dirname(word.path) or "."
        fortran = self.language == "fortran"
        # Global arrays' blocks go to C, whatever their kind parameter is called.
        beside = ["-I" + here, "-Wno-c-binding-type"] if fortran else ["-iquote", here]
        if line.check and fortran:
            beside.append("-fcheck=bounds")  # the compiler knows the local bounds: they are the array's own
        elif line.check:
            beside.append("-DKUMIHIMO_CHECK")
        command = [*self.tools.compiler, *self.defaults, *beside, *options, *more, *self.tools.headers]
        command += LONG_LINES if fortran else ()
        command += ["-pipe", *(line.options("stage") or ["-c"])]  # the assembler works while the compiler does
        command += [] if line.stage == "syntax" else ["-o", target]
        if line.show:
            return self._call([*command, f"{stem}.xmp{suffix}"])
        text = self._translate(word, directory, options)
        if text is None:
            return False
        if line.save_temps:
            saved = os.path.join(os.path.dirname(target) if line.save_temps == "obj" and line.output else "", stem)
            _write(saved + ".xmp" + suffix, self._saved(text))
        source = os.path.join(directory.path(), f"{number}-{stem}{suffix}")
        _write(source, self._line_marker(word.path) + text)
        if fortran and self.planned is not None and self.planned.hides_modules:
            command = _with_modules_in(directory.path(), command)
        self._call([*command, f"-ffile-prefix-map={source}={word.path}", source])
        if self.status == 0 and fortran:
            self._write_modules(options)
        if self.status == 0 and {"-MD", "-MMD"} & set(line.options("depend")):
            self._write_dependencies(word, target, options)
        return self.status == 0

    def _write_modules(self, options):
        """What other files must know of this file's modules, beside the compiler's own files of them."""
        from .fortran.reading.modules import SUFFIX

        words = iter(options)
        directory = next((word[2:] or next(words, "") for word in words if word.startswith("-J")), "")
        for name, text in self.planned.modules.items() if self.planned is not None else ():
            _write(os.path.join(directory, name + SUFFIX), text)

    def _line_marker(self, path):
        """In the form that the language's compiler takes even if it is pedantic."""
        escaped = path.replace("\\", "\\\\").replace('"', '\\"')
        return f'{"#line" if self.language == "c" else "#"} 1 "{escaped}"\n'

    def _saved(self, text):
        """The translated text as a file to keep: complete without us."""
        if self.language == "c":
            return _definition() + text
        if self.planned is None:
            return text
        from .fortran.writing.saved import saved

        return saved(text, self.planned.file.source.fixed)

    def _suffix(self, word):
        """Of the translated file: Fortran's says fixed or free form, and whether to preprocess."""
        return (os.path.splitext(word.path)[1] if self.language == "fortran" else "") or SUFFIX[self.language]

    def _translate(self, word, directory, options):
        """The translated text, or None after printing why not."""
        path = word.path
        if path == "-":
            path = os.path.join(directory.path(), "stdin" + SUFFIX[self.language])
            with open(path, "wb") as file:
                file.write(word.text)
            word.words = [path]
        translate = _translator(self.language)
        command = [*self.tools.compiler, *self.tools.headers]
        result = translate(path, command, [*self.defaults, *options], self._wishes(word))
        self.planned = None
        if not result.ok and (word.only_main or word.only_coarrays):
            return os.fsdecode(word.text)  # what only the compiler understands; such C starts no runtime
        for diagnostic in [result.diagnostics] if isinstance(result.diagnostics, str) else result.diagnostics:
            message = str(diagnostic).rstrip("\n")
            if message:
                print(message, file=sys.stderr)
        if not result.ok:
            self.status = self.status or 1
            return None
        self.planned = result.language
        return result.text

    def _wishes(self, word):
        """The options for the translation itself."""
        if self.language != "c":
            from .fortran.translate import Options

            return Options(self.line.io == "master", word.only_coarrays)
        from .c.translate import Options

        return Options(self.line.check, self.line.coindex_base, self.line.transport)

    def _write_dependencies(self, word, target, options):
        """For make: the dependencies of the user's file, not of its translation (whose headers are in part already in it)."""
        depend = self.line.options("depend")
        stem = os.path.splitext(os.path.basename(word.path))[0]
        object_file = target if self.line.stage != "program" else stem + ".o"
        listing = ["-M" if "-MD" in depend else "-MM", *(option for option in depend if option not in ("-MD", "-MMD"))]
        if not any(option.startswith("-MF") for option in depend):
            listing += ["-MF", os.path.splitext(self.line.output or stem)[0] + ".d"]
        if not any(option.startswith(("-MT", "-MQ")) for option in depend):
            listing += ["-MQ", object_file]
        self._call([*self.tools.compiler, *options, *self.tools.headers, *listing, word.path])

    # ---- Running the compiler ----

    def _call(self, command):
        """Runs the compiler and goes on; a failure becomes our exit code."""
        if self._announce(command):
            return True
        ending = (signal.SIGTERM, signal.SIGHUP)
        signal.pthread_sigmask(signal.SIG_BLOCK, ending)  # until we know the child, which would go on writing without us
        try:
            child = os.posix_spawnp(command[0], command, os.environ, setsigmask=())
        except OSError as error:
            raise Failure(f"cannot run the compiler {command[0]}: {error.strerror}", 127) from None
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ending)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        except BaseException:
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)
            raise
        self.status = self.status or (128 - code if code < 0 else code)
        return code == 0

    def _replace(self, command):
        """Becomes the compiler: nothing is left to do afterwards."""
        if self._announce(command):
            return 0
        try:
            os.execvp(command[0], command)
        except OSError as error:
            raise Failure(f"cannot run the compiler {command[0]}: {error.strerror}", 127) from None

    def _announce(self, command):
        if self.line.show:
            print(_quoted(command))
        elif self.line.verbose:
            print(f"{self.tools.name}: {_quoted(command)}", file=sys.stderr, flush=True)
        return bool(self.line.show)


def _translator(language):
    if language == "c":
        from .c.translate import translate
    else:
        if not os.path.exists(os.path.join(_fortran_directory(), "kumihimo_generated.mod")):
            raise Failure("Kumihimo was built without its Fortran modules; install gfortran and build it again", 2)
        from .fortran.translate import translate
    return translate


def _with_modules_in(directory, command):
    """The command with another directory for the modules that it makes."""
    words, found = iter(command), []
    for word in words:
        found.append("-I" + (word[2:] or next(words, "")) if word.startswith("-J") else word)
    return [*found, "-J" + directory]


def _fortran_directory():
    """Modules and library of the Fortran interface; it exists where gfortran was found when Kumihimo was built."""
    return os.path.join(configuration.LIBRARIES, "fortran")


def _definition():
    """What a saved translation needs to be compiled without us: our predefined macro."""
    name, value = PREDEFINED[2:].split("=")
    return f"#define {name} {value}\n"


def _write(path, text):
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(text)
    except OSError as error:
        raise Failure(f"cannot write {path}: {error.strerror}", 1) from None


def _first_set(variables):
    return next((os.environ[name] for name in variables if os.environ.get(name)), None)


def _split(command):
    if " " not in command:
        return [command] if command else []
    import shlex

    return shlex.split(command)


def _quoted(command):
    import shlex

    return " ".join(shlex.quote(word) for word in command)
