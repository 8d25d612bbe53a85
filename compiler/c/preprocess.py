"""From a C file to preprocessed text in which the operands of XMP directives are macro-expanded.

gcc does not expand macros in pragmas that it does not know. So the first pass keeps the macro definitions in its output (-dD), and a second,
small one expands the pragmas' operands as ordinary text, each behind the definitions that precede it. That works in headers
too. Words of the directive language are protected: `#define block 4` must not turn `distribute t[block]` into nonsense.
(-fdirectives-only would be the obvious way, but gcc 12 fails on an apostrophe in text that #if leaves out.)"""

import os
import re
import subprocess

from .errors import PreprocessingFailed

_MARKER = re.compile(r'\n# (\d+) "((?:[^"\\]|\\.)*)"([ \d]*)(?=\n)')  # a literal first character makes the search fast
_DEFINITION = re.compile(r"\n#(?:define|undef) [^\n]*")
_NAME = re.compile(r"\n#define ([^\s(]+)(\()?")
_PRAGMA = re.compile(r"\n#pragma xmp\b([^\n]*)")
_WORD = re.compile(r"[A-Za-z_]\w*|[()\[\]{}]")
_PROTECTED = "__xmp_word__"
_LINE_START = "__xmp_pragma__"

# Words of the directive language outside all brackets, and the few that stand inside them.
_OUTSIDE = frozenset(
    "nodes template distribute align shadow template_fix task tasks loop array reflect gmove barrier reduction bcast"
    " wait_async reduce_shadow coarray image local_alias post wait lock unlock save_desc master_io global_io static_desc"
    " onto with on from in out async nocomm expand margin peel_and_wait width orthogonal io atomic direct collective"
    " acquired_lock tasklet tasklets taskletwait reflect_init reflect_do acc host periodic profile nowait".split()
)
_INSIDE_FIRST = {"distribute": frozenset("block cyclic gblock".split()), "template_fix": frozenset("block cyclic gblock".split())}
_REDUCTIONS = frozenset("max min firstmax firstmin lastmax lastmin".split())


class Source:
    """A preprocessed C file: `text` with gcc's line markers and `#pragma xmp` lines with expanded operands, without definitions.

    path         the file as the user named it (also the name in the line markers)
    definitions  the #define and #undef lines in order
    command      the compiler command (list), options  the preprocessor options (list) it was preprocessed with"""

    def __init__(self, path, text, definitions, command, options):
        self.path = path
        self.text = text
        self.definitions = definitions
        self.command = command
        self.options = options
        self._originals = {}
        self._user_files = None

    def original(self, file=None):
        """The text of the file itself, or of one of its headers, as it lies on disk (bytes that are no UTF-8 survive)."""
        file = file or self.path
        if file not in self._originals:
            self._originals[file] = read(file)
        return self._originals[file]

    def macros(self):
        """name -> whether it takes arguments; of all macros ever defined."""
        return {name: bool(parenthesis) for name, parenthesis in _NAME.findall("".join(self.definitions))}

    def regions(self, empty=False):
        """(start, end, file, line, flags) of each stretch of the text between two line markers; empty ones too if asked for."""
        start, file, line, flags = 0, self.path, 1, ""
        for marker in _MARKER.finditer(self.text):
            if empty or marker.start() > start:
                yield start, marker.start() + 1, file, line, flags
            start = marker.end() + 1
            file, line, flags = marker.group(2).replace("\\\\", "\\"), int(marker.group(1)), marker.group(3)
        if empty or start < len(self.text):
            yield start, len(self.text), file, line, flags

    def user_files(self):
        """The file, and what else is no system header: its headers, and names in #line directives."""
        if self._user_files is None:
            names, system = {self.path: None}, set()
            for marker in _MARKER.finditer(self.text):
                name, flags = marker.group(2), marker.group(3)
                if "3" not in flags:
                    names[name.replace("\\\\", "\\")] = None
                elif "1" in flags:
                    system.add(name)  # gcc forgets flag 3 behind its own macros, but not here
            self._user_files = [name for name in names if name not in system and name[:1] != "<"]
        return self._user_files


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


def preprocess(path, command, options=()):
    """Preprocesses the C file `path`. command: the compiler with MPI's and our own include options, e.g.
    ["gcc", "-I/usr/lib/.../openmpi/include"] (those directories count as system headers); options: the user's -I, -D, -U, -std=,
    -include, -fopenmp ... Raises PreprocessingFailed with gcc's message and exit code."""
    base = as_system_headers(command) + list(options)
    return make_source(run(base + ["-E", "-dD", "-x", "c", path]), path, command, options)


def preprocess_text(text, path, command, options=()):
    """Preprocesses `text` as if it stood in `path`."""
    base = as_system_headers(command) + list(options) + ["-iquote", os.path.dirname(path) or "."]
    text = f'#line 1 "{escape(path)}"\n{text}'
    return make_source(run(base + ["-E", "-dD", "-x", "c", "-"], text), path, command, options)


def make_source(text, path, command, options):
    """The Source of gcc's output."""
    text = "\n" + text
    if "\n#pragma xmp" in text:
        text = expand_pragmas(text, command, options)
    definitions = _DEFINITION.findall(text)
    return Source(path, _DEFINITION.sub("\n", text), definitions, list(command), list(options))


def escape(path):
    return path.replace("\\", "\\\\").replace('"', '\\"')


def run(command, text=None):
    """Runs gcc; `text` goes to its standard input. Returns what it writes."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL if text is None else subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    output, messages = process.communicate(None if text is None else text.encode("utf-8", "surrogateescape"))
    if process.returncode:
        raise PreprocessingFailed(messages.decode("utf-8", "replace"), process.returncode)
    return output.decode("utf-8", "surrogateescape")


def as_system_headers(command):
    """MPI's and our own headers are system headers: not for the user to edit, and cheap to read."""
    return [("-isystem" + word[2:]) if word.startswith("-I") and len(word) > 2 else word for word in command]


def expand_pragmas(text, command, options):
    """The text with macros expanded in the operands of `#pragma xmp` lines."""
    macros = {name for name, _ in _NAME.findall(text)}
    protected = [protect_words(match.group(1)) for match in _PRAGMA.finditer(text)]
    if not any(word in macros for operands in protected for word in _WORD.findall(operands)):
        return text
    lines, number = [], 0
    for line in re.findall(r"\n(#(?:define|undef|pragma xmp)\b[^\n]*)", text):
        if line.startswith("#pragma"):
            line, number = f"{_LINE_START} {protected[number]}", number + 1
        lines.append(line)
    dialect = [option for option in options if option.startswith(("-std=", "-ansi"))]
    expanded = run(
        list(command[:1]) + dialect + ["-E", "-P", "-fpreprocessed", "-fdirectives-only", "-x", "c", "-"], "\n".join(lines) + "\n"
    )
    results = iter(expanded.split(_LINE_START)[1:])
    return _PRAGMA.sub(lambda match: "\n#pragma xmp " + " ".join(next(results).replace(_PROTECTED, "").split()), text)


def protect_words(operands):
    """The operands with a prefix on each word of the directive language, so that no macro of that name is expanded."""
    depth = count = 0
    first = None

    def replace(match):
        nonlocal depth, first, count
        word = match.group()
        if word in "([{":
            depth += 1
            return word
        if word in ")]}":
            depth -= 1
            return word
        count += 1
        first = first or word
        following = operands[match.end() :].lstrip()[:1]
        if depth == 0:
            language = count == 1 or word in _OUTSIDE
        else:
            inside = word in _INSIDE_FIRST.get(first, ())
            language = inside or word == "periodic" or word in _REDUCTIONS and following == ":"
        return _PROTECTED + word if language else word

    return _WORD.sub(replace, operands)
