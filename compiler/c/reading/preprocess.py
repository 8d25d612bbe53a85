"""From a C file to preprocessed text in which the operands of XMP directives are macro-expanded.

gcc does not expand macros in pragmas that it does not know. So the first pass keeps the macro definitions in its output
(-dD), and a second, small one expands the pragmas' operands as ordinary text, each behind the definitions that precede it.
That works in headers too. Words of the directive language are protected: `#define block 4` must not turn `distribute
t[block]` into nonsense. (-fdirectives-only would be the obvious way, but gcc 12 fails on an apostrophe in text that #if
leaves out.)"""

import os
import re

from .errors import PreprocessingFailed

_MARKER = re.compile(r'\n# (\d{1,18}) "((?:[^"\\]|\\.)*)"([ \d]*)(?=\n)')  # a literal first character makes the search fast
_BUILT_IN = re.compile(r'(?:\n# 0 "<built-in>"\n*)+(?=\n)')
_DEFINITION = re.compile(r"\n#(?:define|undef) [^\n]*")
_NAME = re.compile(r"\n#define ([^\s(]+)(\()?")
_LINES = re.compile(r"\n#(define|undef) ([^\s(]+)(\()?([^\n]*)")
_PRAGMA = re.compile(r"\n#pragma xmp\b([^\n]*)")
_DEFINITION_PRAGMA_OR_MARKER = re.compile(
    r"""\n\#(?:(?:define|undef)\ (?P<name>[^\s(]+)[^\n]*|pragma\ xmp\b[^\n]*
    |\ (?P<marked>\d{1,18})\ "(?P<file>(?:[^"\\]|\\.)*)"[ \d]*(?=\n))""",
    re.X,
)
_WORD = re.compile(r"\b[A-Za-z_]\w*|[()\[\]{}]")
_PARENTHESIS = re.compile(r"[()]")
_SAFE = re.compile(r"[\w(][^\n]*[\w)]|\w")  # may stand beside any other word of a directive without a blank
_LONE_RETURN = re.compile(r"\r(?!\n)")
_PROTECTED = "__xmp_word__"
_LINE_START = "__xmp_pragma__"

# Words of the directive language outside all brackets, and the few that stand inside them.
_OUTSIDE = frozenset(
    "nodes template distribute align shadow template_fix task tasks loop array reflect gmove barrier reduction bcast"
    " wait_async reduce_shadow coarray image local_alias post wait lock unlock save_desc master_io global_io static_desc"
    " onto with on from in out async nocomm expand margin peel_and_wait width orthogonal io atomic direct collective"
    " acquired_lock tasklet tasklets taskletwait reflect_init reflect_do acc host periodic profile nowait".split()
)
_FORMATS = frozenset("block cyclic gblock".split())
_INSIDE_FIRST = {"distribute": _FORMATS, "template_fix": _FORMATS}
_REDUCTIONS = frozenset("max min firstmax firstmin lastmax lastmin".split())


class Source:
    """A preprocessed C file: `text` with gcc's line markers and with expanded `#pragma xmp` lines, without definitions.

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
        self._user_files = self._markers = self._changing_macros = None
        self.alignment = self.parser = None  # of other modules, kept with the text they belong to

    def original(self, file=None):
        """The text of the file itself, or of one of its headers, as it lies on disk (bytes that are no UTF-8 survive)."""
        file = file or self.path
        if file not in self._originals:
            self._originals[file] = read(file)
        return self._originals[file]

    def macros(self):
        """name -> whether it takes arguments; of all macros ever defined."""
        return {name: bool(parenthesis) for name, parenthesis in _NAME.findall("".join(self.definitions))}

    def changing_macros(self):
        """The names that are not the same macro from their first definition to the end of the file."""
        if self._changing_macros is None:
            self._changing_macros, defined = set(), {}
            for kind, name, _, body in _LINES.findall("".join(self.definitions)):
                if kind == "undef" or defined.setdefault(name, body) != body:
                    self._changing_macros.add(name)
        return self._changing_macros

    def markers(self):
        """(start, end, line, file, flags) of gcc's line markers."""
        if self._markers is None:
            self._markers = [
                (m.start(), m.end(), int(m.group(1)), m.group(2).replace("\\\\", "\\"), m.group(3))
                for m in _MARKER.finditer(self.text)
            ]
        return self._markers

    def regions(self, empty=False):
        """(start, end, file, line, flags) of each stretch of the text between two line markers; empty ones too if asked for."""
        position, file, line, flags = 0, self.path, 1, ""
        for start, end, next_line, next_file, next_flags in self.markers():
            if empty or start > position:
                yield position, start + 1, file, line, flags
            position, file, line, flags = end + 1, next_file, next_line, next_flags
        if empty or position < len(self.text):
            yield position, len(self.text), file, line, flags

    def user_files(self):
        """The file, and what else is no system header: its headers, and names in #line directives."""
        if self._user_files is None:
            names, system = {self.path: None}, set()
            for _, _, _, file, flags in self.markers():
                if "3" not in flags:
                    names[file] = None
                elif "1" in flags:
                    system.add(file)  # gcc forgets flag 3 behind its own macros, but not here
            # Under -g gcc also names its working directory, with two slashes at the end.
            self._user_files = [name for name in names if name not in system and name[:1] != "<" and name[-2:] != "//"]
        return self._user_files


def read(path):
    """A source's text. A carriage return alone ends a line, as for gcc; before a line feed it stays."""
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        text = file.read()
    return _LONE_RETURN.sub("\n", text) if "\r" in text else text


def begin(path, command, options=()):
    """Begins to preprocess the C file `path`; the function that is returned waits for the Source. command: the compiler with
    MPI's and our own include options, e.g. ["gcc", "-I/usr/lib/.../openmpi/include"] (those directories count as system
    headers); options: the user's -I, -D, -U, -std=, -include, -fopenmp ... Both raise PreprocessingFailed with gcc's message
    and exit code."""
    finish = _start([*as_system_headers(command), *options, "-E", "-dD", "-x", "c", path])
    return lambda: make_source(finish(), path, command, options)


def preprocess(path, command, options=()):
    return begin(path, command, options)()


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
    text = _BUILT_IN.sub("", _DEFINITION.sub("\n", text))
    return Source(path, text, definitions, list(command), list(options))


def escape(path):
    return path.replace("\\", "\\\\").replace('"', '\\"')


def run(command, text=None):
    """Runs gcc; `text` goes to its standard input. Returns what it writes."""
    return _start(command, text)()


def _start(command, text=None):
    """The same in two steps: the function that is returned waits. (subprocess would cost 7 ms to import.)"""
    streams = [os.memfd_create(name) for name in ("input", "output", "messages")]
    if text is not None:
        with open(streams[0], "wb", closefd=False) as stream:
            stream.write(text.encode("utf-8", "surrogateescape"))
        os.lseek(streams[0], 0, os.SEEK_SET)
    actions = [(os.POSIX_SPAWN_DUP2, stream, number) for number, stream in enumerate(streams)]
    try:
        child = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    except OSError as error:
        _contents(streams)
        raise PreprocessingFailed(f"{command[0]}: {error.strerror}\n", 127) from None

    def finish():
        status = os.waitpid(child, 0)[1]
        _, output, messages = _contents(streams)
        if status:
            code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1
            raise PreprocessingFailed(messages.decode("utf-8", "replace"), code)
        return output.decode("utf-8", "surrogateescape")

    return finish


def _contents(streams):
    """What was written to files in memory, which are closed."""
    found = []
    for stream in streams:
        os.lseek(stream, 0, os.SEEK_SET)
        with open(stream, "rb") as file:
            found.append(file.read())
    return found


def as_system_headers(command):
    """MPI's and our own headers are system headers: not for the user to edit, and cheap to read."""
    return [("-isystem" + word[2:]) if word.startswith("-I") and len(word) > 2 else word for word in command]


def expand_pragmas(text, command, options):
    """The text with macros expanded in the operands of `#pragma xmp` lines."""
    definitions = {}
    for kind, name, parenthesis, body in _LINES.findall(text):
        definitions.setdefault(name, []).append((kind, parenthesis, body))
    protected = [protect_words(match.group(1)) for match in _PRAGMA.finditer(text)]
    used = _reachable(protected, definitions)
    if not used:
        return text
    expand = _expand_simply if _are_simple(used, definitions, protected) else _expand_by_compiler
    results = iter(expand(protected, used, definitions, text, command, options))
    return _PRAGMA.sub(lambda match: "\n#pragma xmp " + next(results).replace(_PROTECTED, "").strip(), text)


def _balanced(operands):
    """Whether a macro call that begins in the operands also ends in them."""
    depth = 0
    for bracket in _PARENTHESIS.findall(operands):
        depth += 1 if bracket == "(" else -1
        if depth < 0:
            return False
    return depth == 0


def _reachable(operands, definitions):
    """The names of the macros that the operands may use, directly or through other macros."""
    found, texts = set(), list(operands)
    while texts:
        for word in _WORD.findall(texts.pop()):
            if word in definitions and word not in found:
                found.add(word)
                texts += [body for _, _, body in definitions[word]]
    return found


def _are_simple(used, definitions, operands):
    """Whether all macros are names for a text, defined once: then no compiler is needed to expand them."""
    texts = list(operands)
    for name in used:
        if len(definitions[name]) != 1 or definitions[name][0][1]:
            return False
        texts.append(definitions[name][0][2])
    return not any(mark in text for text in texts for mark in ("##", '"', "'"))


def _expand_simply(operands, used, definitions, *_):
    def expand(text, active):
        def replace(match):
            word = match.group()
            if word not in used or word in active:
                return word
            body = expand(definitions[word][0][2].strip(), active | {word})
            return body if _SAFE.fullmatch(body) else f" {body} "

        return _WORD.sub(replace, text)

    return [expand(text, frozenset()) for text in operands]


def _expand_by_compiler(operands, used, definitions, text, command, options):
    """Operands in which a macro call would go on behind their end stay as they are: the directive's reader says what is wrong.
    Other wrong calls are gcc's to tell, at the line of the directive."""
    lines, number, expanded = [], 0, list(operands)
    asked = []
    for match in _DEFINITION_PRAGMA_OR_MARKER.finditer(text):
        if match.group("marked"):
            marked, marker = int(match.group("marked")), match
        elif match.group("name") is None:
            if _balanced(operands[number]):
                line = marked + text.count("\n", marker.end(), match.start())
                lines += [f'# {line} "{marker.group("file")}"', f"{_LINE_START} {operands[number]}"]
                asked.append(number)
            number += 1
        elif match.group("name") in used:
            lines.append(match.group()[1:])
    dialect = [option for option in options if option.startswith(("-std=", "-ansi"))]
    second_pass = ["-E", "-P", "-fpreprocessed", "-fdirectives-only", "-x", "c", "-"]
    results = run(list(command[:1]) + dialect + second_pass, "\n".join(lines) + "\n").split(_LINE_START)[1:]
    for number, result in zip(asked, results):
        expanded[number] = " ".join(result.split())
    return expanded


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
