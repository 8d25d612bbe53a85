"""Files beside the compiler's .mod files, with what other program units need of a module's nodes, templates and global
arrays: the module's specification part as it was read. The first line says what the translation added."""

import os

from ...directives.parser import DirectiveError, parse
from .generics import listed
from .lines import InvalidLines, Source, marker, statements_of
from .scopes import Module, Scopes
from .structures import without_components
from .units import File, InvalidStructure

SUFFIX = ".xmpmod"
_VERSION = 1
_ONLY_COARRAYS = "only_coarrays"


class InvalidModule(Exception):
    """A file that no or another version of the compiler wrote. path: its name."""

    def __init__(self, path):
        super().__init__(path)
        self.path = path


def text_of_module(file, unit, dummies, functions, directives=True):
    """The text of the file for a module. dummies: as in Module; functions: Units, also of interface bodies, that return global
    arrays; directives: whether it has some, or only coarrays."""
    import json  # most translations need not wait for it

    head = {"version": _VERSION, "module": unit.name, "dummies": dummies, **({} if directives else {_ONLY_COARRAYS: True})}
    lines = ["! " + json.dumps(head), f"module {unit.name}"]
    functions = [function for function in functions if function.parent is unit]
    interfaces = _interfaces(file, unit, {*dummies, *(function.name for function in functions)}, functions)
    positions = sorted({*unit.items, *interfaces, *_types(file, unit)} - {unit.end})
    lines += _statements(file, [position for position in positions if position > unit.first])
    for function in functions:
        if function not in file.interfaces:
            inside = [position for position in function.items if _describes(file.items[position], position < function.start)]
            lines += ["interface", *_statements(file, [function.first, *inside]), "end function", "end interface"]
    return "\n".join([*lines, "end module"]) + "\n"


def _describes(item, early):
    """Whether a statement of a function, one among its declarations or a later one, is for others to know."""
    return item.kind == "entry" or early and item.kind in ("declaration", "specification", "directive")


def _statements(file, positions):
    """Their texts, with markers for their lines."""
    place = None
    for position in positions:
        item = file.items[position]
        if item.kind in ("pragma", "contains"):
            continue
        origin = file.source.origin[item.statement.first_line]
        if place != origin:
            yield marker(origin[1], origin[0])
        place = (origin[0], origin[1] + 1)
        text = " ".join(word.text for word in item.words)
        yield f"!$xmp {text}" if item.kind == "directive" else text


def _interfaces(file, unit, known, functions):
    """Positions of the interface blocks with the separate procedures of a module, whose arguments other files may not repeat,
    with some functions, and with generic names of known procedures."""
    separate = {body.first for body in file.interfaces if any(word.text == "module" for word in file.items[body.first].words)}
    separate.update(body.first for body in functions)
    for position in unit.bodies:
        item = file.items[position]
        inside = range(position, item.end or position)
        generic = any(not known.isdisjoint(listed(file.items[at].words)) for at in inside)
        if item.kind == "interface" and (generic or separate.intersection(inside)):
            yield from range(position, item.end + 1)


def _types(file, unit):
    """Positions of the derived types, whose components may be global arrays."""
    for position in unit.bodies:
        if file.items[position].kind == "typedefinition":
            yield from range(position, file.items[position].end + 1)


class Finder:
    """Looks for modules of other files in directories, and reads each once."""

    def __init__(self, directories):
        self.directories, self.found = directories, {}

    def __call__(self, name):
        if name not in self.found:
            self.found[name] = None  # a module that uses itself is the compiler's business
            self.found[name] = self._read(name)
        return self.found[name]

    def _read(self, name):
        path = path_of(name, self.directories)
        if path is None:
            return None
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as opened:
                return self._module(name, path, opened.read())
        except (ValueError, KeyError, IndexError, TypeError, InvalidLines, InvalidStructure, DirectiveError):
            raise InvalidModule(path) from None

    def _module(self, name, path, text):
        """The Module of a file's text; any of the errors above if that is not what text_of_module wrote."""
        import json

        head = json.loads(text[1 : text.index("\n")])
        if head["version"] != _VERSION:
            raise ValueError
        source = Source(path, text)
        file = File(source, statements_of(source))
        for item in file.items:
            words = without_components(item.words) if item.kind == "directive" else None
            if words:
                parse(words, "Fortran")
        module = Module(name, Scopes(file, self), file.units[0])
        module.dummies = head["dummies"]
        return module


def path_of(name, directories):
    """The file of a module, or None. One that is older than the compiler's has no meaning: the module has lost its
    directives."""
    for directory in directories:
        path, compiled = os.path.join(directory, name + SUFFIX), os.path.join(directory, name + ".mod")
        if os.path.exists(path):
            return path if not os.path.exists(compiled) or os.stat(compiled).st_mtime_ns <= os.stat(path).st_mtime_ns else None
    return None


def has_directives(name, directories):
    """Whether a module of another file is known to have directives, of its own or of modules that it uses."""
    path = path_of(name, directories)
    if path is None:
        return False
    with open(path, encoding="utf-8", errors="surrogateescape") as opened:
        return f'"{_ONLY_COARRAYS}"' not in opened.readline()
