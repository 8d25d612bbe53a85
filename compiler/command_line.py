"""The command line of xmpcc and xmpf90: gcc's, sorted into what the driver must know, and a few options of our own.

Every word keeps its place among the others; the driver only asks each one what it is for."""

import os

# Options that take the next word, by what they are for. (Those that may also be written in one word are in PREFIXES.)
_NEXT_WORD = {
    "preprocess": "-I -D -U -include -imacros -isystem -iquote -idirafter -iprefix -iwithprefix -iwithprefixbefore -isysroot -A"
    " -Xpreprocessor --include --imacros -J",
    "compile": "-aux-info --param -Xassembler -wrapper -dumpbase -dumpbase-ext -dumpdir -arch -B",
    "link": "-L -l -Xlinker -T -u -z -e -specs -Ttext -Tdata -Tbss -R",
    "depend": "-MF -MT -MQ",
}
NEXT_WORD = {word: kind for kind, words in _NEXT_WORD.items() for word in words.split()}

# How an option begins that is complete in itself; the first that fits. Any other word with a `-` concerns the compiler.
_PREFIXES = (
    (
        "link",
        "-l -L -Wl, -shared -static -rdynamic -nostdlib -nodefaultlibs -nostartfiles -pie -no-pie -s -T -fuse-ld= -r",
    ),
    ("depend", "-MD -MMD -MF -MT -MQ -MP -MG"),
    (
        "preprocess",
        "-I -D -U -include -imacros -isystem -iquote -idirafter -isysroot -nostdinc -std= -ansi -Wp, -undef -trigraphs -J",
    ),
)
PREFIXES = tuple((kind, tuple(prefixes.split())) for kind, prefixes in _PREFIXES)
_EXACT_LINK = frozenset(("-s", "-r", "-pie"))  # not -std=, -rdynamic ...
_STAGES = {
    "-c": "object",
    "-S": "assembly",
    "-E": "preprocessed",
    "-M": "dependencies",
    "-MM": "dependencies",
    "-fsyntax-only": "syntax",
}
_SHOW = {
    "-show": "all",
    "-showme": "all",
    "--showme": "all",
    "--show": "all",
    "-compile-info": "compile",
    "-compile_info": "compile",
    "-link-info": "link",
    "-link_info": "link",
}


IO_MODES = ("local", "master")


class UsageError(Exception):
    """A command line that cannot be carried out."""


class Word:
    """One argument (with its operand): words as typed, kind 'input', 'preprocess', 'compile', 'link', 'depend' or 'stage'."""

    def __init__(self, kind, *words, language=None):
        self.kind = kind
        self.words = list(words)
        self.language = language  # of an input after -x
        self.text = b""  # of an input that is a source, once it is read
        self.only_main = self.only_coarrays = False  # why it is translated although it has no directives

    @property
    def path(self):
        return self.words[0]


class CommandLine:
    """words: everything for the compiler, in order. The rest are the driver's own decisions."""

    def __init__(self):
        self.words = []
        self.output = None
        self.stage = "program"
        self.family = None
        self.check = False
        self.coarray = False  # whether coarrays are wanted, wherever they stand
        self.explain = self.json = False
        self.coindex_base = 0  # number of the first image
        self.transport = None
        self.io = "local"  # what I/O statements without a directive are
        self.save_temps = None  # "cwd" or "obj"
        self.show = None  # "all", "compile" or "link"
        self.verbose = False
        self.version = False
        self.help = False
        self.optimised = False  # the user gave an -O

    def inputs(self):
        return [word for word in self.words if word.kind == "input"]

    def options(self, *kinds):
        return [text for word in self.words if word.kind in kinds for text in word.words]


def parse(arguments):
    """The command line as a CommandLine. Raises UsageError."""
    line = CommandLine()
    rest = iter(expand_response_files(arguments))
    language = None
    for word in rest:
        if word == "-x" or word == "--language":
            language = _operand(word, rest)
            language = None if language == "none" else language
        elif word.startswith("-x") and not word.startswith("-xmp"):
            language = None if word[2:] == "none" else word[2:]
        elif word == "-" or not word.startswith("-"):
            line.words.append(Word("input", word, language=language))
        elif not _own(line, word, rest):
            line.words.append(_sort(line, word, rest))
    if line.json and not line.explain:
        raise UsageError("--json belongs to --explain")
    return line


def _own(line, word, rest):
    """Options that the driver acts on itself and the compiler does not see in this place."""
    if word in ("-o", "--output"):
        line.output = _operand(word, rest)
    elif word.startswith("-o") and not word.startswith(("-openmp", "-openacc")):
        line.output = word[2:]
    elif word == "--mpi":
        line.family = _operand(word, rest)
    elif word.startswith("--mpi="):
        line.family = word[6:]
    elif word == "--check":
        line.check = True
    elif word == "--coarray":
        line.coarray = True
    elif word == "--explain":
        line.explain = True
    elif word == "--json":
        line.json = True
    elif word.startswith("--coindex-base="):
        if word[15:] not in ("0", "1"):
            raise UsageError(f"{word}: images are counted from 0 or 1")
        line.coindex_base = int(word[15:])
    elif word.startswith("--io="):
        if word[5:] not in IO_MODES:
            raise UsageError(f"{word}: I/O statements are {' or '.join(IO_MODES)}")
        line.io = word[5:]
    elif word.startswith("--transport="):
        line.transport = word[12:]
    elif word in ("--save-temps", "-save-temps", "--save-temps=cwd", "-save-temps=cwd"):
        line.save_temps = "cwd"
    elif word in ("--save-temps=obj", "-save-temps=obj"):
        line.save_temps = "obj"
    elif word in _SHOW or word.startswith(("-showme:", "--showme:")):
        line.show = _SHOW.get(word) or word.split(":", 1)[1]
        if line.show not in ("all", "compile", "link"):
            raise UsageError(f"{word}: know only -show, -showme:compile and -showme:link")
    elif word in ("-h", "--help"):
        line.help = True
    elif word == "--version":
        line.version = True
    else:
        return False
    return True


def _sort(line, word, rest):
    if word in _STAGES:
        line.stage = _STAGES[word]
        return Word("stage", word)
    if word in NEXT_WORD:
        return Word(NEXT_WORD[word], word, _operand(word, rest))
    if word == "-v":
        line.verbose = True
    if word.startswith("-O"):
        line.optimised = True
    for kind, prefixes in PREFIXES:
        for prefix in prefixes:
            if word == prefix or (word.startswith(prefix) and prefix not in _EXACT_LINK):
                return Word(kind, word)
    return Word("compile", word)


def _operand(word, rest):
    for operand in rest:
        return operand
    raise UsageError(f"missing operand after '{word}'")


def expand_response_files(arguments, depth=0):
    """`@file` stands for the words in the file, quoted as in a shell; if there is no such file it is an ordinary word."""
    words = []
    for argument in arguments:
        if argument.startswith("@") and len(argument) > 1 and os.path.isfile(argument[1:]):
            if depth > 20:
                raise UsageError(f"{argument}: response files include one another without end")
            import shlex  # only here: start-up time

            try:
                with open(argument[1:], encoding="utf-8", errors="surrogateescape") as file:
                    contents = shlex.split(file.read())
            except (OSError, ValueError) as error:
                raise UsageError(f"{argument}: {error}") from None
            words += expand_response_files(contents, depth + 1)
        else:
            words.append(argument)
    return words
