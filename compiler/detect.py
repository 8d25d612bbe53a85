"""Which source files carry XMP directives: only those are translated, all others go straight to the compiler."""

import os
import re

_C_SUFFIXES = (".c", ".i")
_CXX_SUFFIXES = (".cc", ".cp", ".cpp", ".cxx", ".c++", ".CPP", ".C", ".ii")
_FORTRAN_SUFFIXES = (".f90", ".F90", ".f95", ".F95", ".f03", ".F03", ".f08", ".F08", ".f", ".F", ".for", ".FOR", ".ftn")
_FREE_SUFFIXES = (".f90", ".f95", ".f03", ".f08")
_DIRECTIVE = rb'^[ \t]*#[ \t]*pragma(?:[ \t]|\\\r?\n)+xmp\b|_Pragma[ \t]*\([ \t]*"[ \t]*xmp\b'
# What makes a C file ours: a directive, our headers (their functions need the started runtime, hence a translated main), a
# coarray, an assignment to an array section. In C++ only directives count: nothing of it is translated.
_C_MARK = re.compile(_DIRECTIVE +
                     rb'|^[ \t]*#[ \t]*include[ \t]*[<"](?:kumihimo/)?(?:xmp|xmp_io|xmpnc)\.h[>"]'
                     rb"|:[ \t]*\[|\[[^][\n?\"']*:[^][\n\"']*\][ \t]*(?:\[[^][\n]*\][ \t]*)*[-+*/%&|^]?=(?!=)",
                     re.M)  # fmt: skip
# A main function that leaves starting MPI to us. Other files of the program may have directives, so it must start the runtime.
_C_MAIN = re.compile(rb"^[ \t]*(?:int|void)?[ \t\r\n]*\bmain[ \t]*\(", re.M)
_MPI_START = re.compile(rb"\b(?:MPI_Init|MPI_Init_thread|xmp_init)[ \t]*\(", re.I)
_C_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.M)
_CXX_MARK = re.compile(_DIRECTIVE, re.M)
# What objects that need C++'s library call: the library's functions, new and delete, the unwinding of exceptions.
_CXX_OBJECT = re.compile(rb"\0(?:_ZNK?S[atosi]|_ZSt|_Zn[wa]m|_Zd[la]Pv|__gxx_personality_v0|__cxa_(?:begin_catch|throw))")
# What objects with Fortran's coarrays call.
_COARRAY_OBJECT = re.compile(rb"\0_gfortran_caf_")
# What makes a Fortran file ours: a directive, our module, a BLOCK DATA, which may lack the directives of its COMMON blocks.
_FORTRAN_MARK = re.compile(
    rb"^[ \t]*[!cC*]\$xmp\b|^[ \t]*use[ \t,]+(?:intrinsic[ \t]*::[ \t]*)?xmp_lib\b|^[ \t]*block[ \t]*data\b", re.M | re.I
)
# A call of our library's in Fortran: a main program with one starts the runtime, unless it starts MPI itself.
_FORTRAN_CALL = re.compile(rb"^[^!\n]*\bxmp_\w+[ \t]*\(", re.M | re.I)
_FORTRAN_USE = re.compile(rb"^[ \t]*use\b(?:[ \t]*,[ \t]*\w+[ \t]*::)?[ \t:]*(\w+)", re.M | re.I)
_FORTRAN_INCLUDE = re.compile(rb"""^[ \t]*(?:#[ \t]*include|include)[ \t]*["'<]([^"'>\n]+)["'>]()""", re.M | re.I)
_PATTERNS = {
    "c": (_C_MARK, _C_INCLUDE),
    "c++": (_CXX_MARK, _C_INCLUDE),
    "fortran": (_FORTRAN_MARK, _FORTRAN_INCLUDE),
}


def language_of(path, forced):
    """'c', 'c++', 'fortran' or None (an object, a library, another language), as gcc decides it: -x first, then the name's
    end."""
    if forced:
        if forced in ("c", "cpp-output"):
            return "c"
        if forced in ("c++", "c++-cpp-output"):
            return "c++"
        return "fortran" if forced.startswith("f") else None
    if path.endswith(_C_SUFFIXES):
        return "c"
    if path.endswith(_CXX_SUFFIXES):
        return "c++"
    return "fortran" if path.endswith(_FORTRAN_SUFFIXES) else None


def fixed_form(path, options):
    """Whether a Fortran file is in fixed form, as gfortran decides it."""
    fixed = not path.lower().endswith(_FREE_SUFFIXES)
    for option in options:
        if option in ("-ffree-form", "-ffixed-form"):
            fixed = option == "-ffixed-form"
    return fixed


def has_directives(text, path, language, preprocess_options):
    """Whether the file, or a header of the user's that it includes, has a directive."""
    return first_mark(text, path, language, preprocess_options) is not None


def first_mark(text, path, language, preprocess_options):
    """(path, line) of what makes the file, or a header of the user's that it includes, ours; None. System headers have none.

    text: the file's bytes; preprocess_options: the words of -I, -iquote, -isystem and -include among others."""
    mark, include = _PATTERNS[language]
    directories, forced = _search_path(preprocess_options)
    if language == "fortran" and (used := _use_of_ours(text, directories)) is not None:
        return path, used
    if b"xmp" not in text.lower() and not include.search(text) and not forced and not mark.search(text):
        return None
    for one, place in _with_headers(text, path, include, directories, forced):
        found = mark.search(one)
        if found:
            return place, one.count(b"\n", 0, found.start()) + 1
    return None


def has_coarrays(text, path, preprocess_options, fixed):
    """Whether a Fortran file needs -fcoarray=lib."""
    from .coarray_marks import has_coarrays as marked

    directories, forced = _search_path(preprocess_options)
    texts = (text for text, _ in _with_headers(text, path, _FORTRAN_INCLUDE, directories, forced))
    return marked(texts, ["", *directories], fixed)


def _with_headers(text, path, include, directories, forced):
    """The (text, path) of a file and of all that it includes, as far as they lie in these directories."""
    waiting = [(text, path)]
    seen = set()
    for name in forced:
        waiting += _open_header(name, [""] + directories, seen)
    while waiting:
        text, path = waiting.pop()
        yield text, path
        here = os.path.dirname(path)
        for quoted, angled in include.findall(text):
            name = os.fsdecode(quoted or angled)
            waiting += _open_header(name, ([here] if quoted else []) + directories, seen)


def _use_of_ours(text, directories):
    """The line of the first use of a module with directives, or None."""
    from .fortran.reading.modules import has_directives as of_ours

    for match in _FORTRAN_USE.finditer(text):
        if of_ours(os.fsdecode(match.group(1)).lower(), ["", *directories]):
            return text.count(b"\n", 0, match.start()) + 1
    return None


def starts_program(text, language):
    """Whether a file without directives has a main program that may have to start the runtime."""
    mark = {"c": _C_MAIN, "fortran": _FORTRAN_CALL}.get(language)
    return mark is not None and mark.search(text) is not None and _MPI_START.search(text) is None


def needs_cxx_library(path, language):
    """Whether what is linked from this input calls C++'s library."""
    return language == "c++" or _object_has(_CXX_OBJECT, path)


def needs_coarray_library(paths, link_options):
    """Whether an object, an archive or a library of the user's calls what Fortran's coarrays need."""
    return any(_object_has(_COARRAY_OBJECT, path) for path in (*paths, *_libraries(link_options)))


def _object_has(mark, path):
    if not path.endswith((".o", ".a", ".lo", ".so")):
        return False
    try:
        with open(path, "rb") as file:
            return mark.search(file.read()) is not None
    except OSError:
        return False  # the linker says it best


def _libraries(options):
    """The files that -l may mean in the directories of -L."""
    found = {"-l": [], "-L": []}
    words = iter(options)
    for word in words:
        if word[:2] in found:
            found[word[:2]].append(word[2:] or next(words, ""))
    return [os.path.join(place, f"lib{name}{end}") for place in found["-L"] for name in found["-l"] for end in (".so", ".a")]


def _search_path(options):
    """Directories for headers and files included by option."""
    directories, forced = [], []
    words = iter(options)
    for word in words:
        for prefix in ("-I", "-J", "-iquote", "-isystem", "-idirafter"):
            if word.startswith(prefix):
                directories.append(word[len(prefix) :] or next(words, ""))
                break
        else:
            if word in ("-include", "-imacros"):
                forced.append(next(words, ""))
    return directories, forced


def _open_header(name, directories, seen):
    for directory in directories:
        path = os.path.normpath(os.path.join(directory, name))
        if path in seen:
            return []
        try:
            with open(path, "rb") as file:
                text = file.read()
        except (OSError, ValueError):  # no such file; no possible name of one
            continue
        seen.add(path)
        return [(text, path)]
    return []
