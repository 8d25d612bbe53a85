"""From a C file to preprocessed text in which the operands of XMP directives are macro-expanded.

gcc does not expand macros in pragmas that it does not know. Two passes do: the first, -fdirectives-only, obeys #include and
#if and leaves macros alone; then each `#pragma xmp` becomes a line of ordinary tokens between two marker words, so that the second
pass expands macros in it, in the file and in its headers alike; then the markers become the pragma again. Words of the
directive language are protected: `#define block 4` must not turn `distribute t[block]` into nonsense."""

import os
import re
import subprocess

from .errors import PreprocessingFailed

_BEGIN, _END, _WORD = "__xmp_pragma_begin__", "__xmp_pragma_end__", "__xmp_word__"

# Comments and strings come first so that a `#pragma xmp` inside them is none.
_PRAGMA_LINE = re.compile(
    r"""/\*.*?\*/|//(?:[^\\\n]|\\\r?\n|\\.)*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
    r"""|^(?P<indent>[ \t]*)\#[ \t]*pragma(?:[ \t]|\\\r?\n)+xmp\b(?P<operands>(?:/\*.*?\*/|//[^\n]*|[^\\\n]|\\\r?\n|\\[^\r\n])*)""",
    re.S | re.M,
)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_EXPANDED = re.compile(_BEGIN + r"(.*?)" + _END, re.S)
_MARKER = re.compile(r'^[ \t]*#[ \t]*(\d+)[ \t]+"((?:[^"\\]|\\.)*)"([ \t\d]*)$', re.M)
_OPERAND_WORDS = re.compile(r"[A-Za-z_]\w*|[()\[\]{}]")

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
    """A preprocessed C file: `text` with gcc's line markers and `#pragma xmp` lines with expanded operands.

    path      the file as the user named it (also the name in the line markers)
    directed  the text after the first pass: directives obeyed, macros and their definitions as the user wrote them
    command   the compiler command (list), options  the preprocessor options (list) it was preprocessed with"""

    def __init__(self, path, directed, text, command, options):
        self.path = path
        self.directed = directed
        self.text = text
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

    def regions(self):
        """(start, end, file, line, flags) of each stretch of text between two line markers."""
        start, file, line, flags = 0, self.path, 1, ""
        for marker in _MARKER.finditer(self.text):
            if marker.start() > start:
                yield start, marker.start(), file, line, flags
            start = min(marker.end() + 1, len(self.text))
            file, line, flags = marker.group(2).replace("\\\\", "\\"), int(marker.group(1)), marker.group(3)
        if start < len(self.text):
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
    return _two_passes(path, None, list(command), list(options))


def preprocess_text(text, path, command, options=()):
    """Preprocesses `text` as if it stood in `path`."""
    return _two_passes(path, f'#line 1 "{escape(path)}"\n{text}', list(command), list(options))


def expand(text, source):
    """One ordinary pass of gcc over a text that stands for the source's file: what its compiler will see."""
    command = _as_system_headers(source.command) + source.options + ["-iquote", os.path.dirname(source.path) or "."]
    return run(command + ["-E", "-x", "c", "-"], text)


def escape(path):
    return path.replace("\\", "\\\\").replace('"', '\\"')


def _two_passes(path, text, command, options):
    base = _as_system_headers(command) + options
    if text is None:
        directed = run(base + ["-E", "-fdirectives-only", "-x", "c", path])
    else:
        beside = ["-iquote", os.path.dirname(path) or "."]
        directed = run(base + beside + ["-E", "-fdirectives-only", "-x", "c", "-"], text)
    second = base[:1] + _second_pass(options) + ["-E", "-fpreprocessed", "-fdirectives-only", "-x", "c", "-"]
    expanded = run(second, mark_pragmas(directed))
    return Source(path, directed, _EXPANDED.sub(_unmark, expanded), command, options)


def run(command, text=None):
    """Runs gcc; `text` goes to its standard input. Returns what it writes."""
    environment = dict(os.environ, LC_ALL=os.environ.get("LC_ALL", "C.UTF-8"))
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL if text is None else subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment,
    )  # fmt: skip
    output, messages = process.communicate(None if text is None else text.encode("utf-8", "surrogateescape"))
    if process.returncode:
        raise PreprocessingFailed(messages.decode("utf-8", "replace"), process.returncode)
    return output.decode("utf-8", "surrogateescape")


def _as_system_headers(command):
    """MPI's and our own headers are system headers: not for the user to edit, and cheap to read."""
    return [("-isystem" + word[2:]) if word.startswith("-I") and len(word) > 2 else word for word in command]


def _second_pass(options):
    """Everything that defines or includes happened in the first pass."""
    return [option for option in options if option.startswith(("-std=", "-ansi", "-fopenmp", "-f", "-m", "-trigraphs"))]


def mark_pragmas(text):
    """Each `#pragma xmp` line as a line of tokens between marker words; continued lines become one, followed by empty lines."""
    if "xmp" not in text:
        return text
    return _PRAGMA_LINE.sub(_mark, text)


def _mark(match):
    operands = match.group("operands")
    if operands is None:
        return match.group()
    lines = match.group().count("\n")
    operands = _COMMENT.sub(" ", operands.replace("\\\r\n", " ").replace("\\\n", " ")).strip()
    return f"{match.group('indent')}{_BEGIN} {protect_words(operands)} {_END}" + "\n" * lines


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
        return _WORD + word if language else word

    return _OPERAND_WORDS.sub(replace, operands)


def _unmark(match):
    """Back to a pragma on one line. A macro of a system header leaves line markers inside: they go, and one behind the
    pragma says where we are."""
    body = match.group(1).replace(_WORD, "")
    markers = list(_MARKER.finditer(body))
    if not markers:
        return "#pragma xmp" + body.rstrip()
    last = markers[-1]
    line = int(last.group(1)) + body.count("\n", last.end()) - 1
    body = " ".join(_MARKER.sub("", body).split())
    return f'#pragma xmp {body}\n# {line + 1} "{last.group(2)}"'
