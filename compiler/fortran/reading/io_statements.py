"""Input and output statements taken apart: the specifiers in brackets, and the items behind them."""

from ...record import Record
from .lexer import closing, find, split

_BRACKETS = frozenset("open close read write inquire backspace endfile rewind flush wait".split())
# What the specifiers without a keyword mean, in their order. A second one that names a namelist is `nml`.
_POSITIONAL = {"read": ("unit", "fmt"), "write": ("unit", "fmt")}
_UNIT_ALONE = frozenset("backspace endfile rewind flush".split())  # may stand without brackets: `rewind 10`


class Specifier(Record):
    """name: its keyword, also where that is left out; word: the first one; words: those of the value."""

    fields = ("name", "word", "words")

    @property
    def star(self):
        return len(self.words) == 1 and self.words[0].text == "*"


class ImpliedDo(Record):
    """`(items, variable = first, last, step)`. opening, closing: the words of its brackets; variable: a word; control: lists of
    words of first, last and step."""

    fields = ("opening", "closing", "items", "variable", "control")


class Value(Record):
    """An item that is no implied do."""

    fields = ("words",)


class IoStatement(Record):
    """kind: open, close, read, write, print, inquire, backspace, endfile, rewind, flush, wait; word: the first one.
    specifiers: Specifiers in the order of the statement; items: Values and ImpliedDos; brackets: the words `(` and `)` around
    the specifiers, None where there are none."""

    fields = ("kind", "word", "specifiers", "items", "brackets")

    def specifier(self, name):
        return next((one for one in self.specifiers if one.name == name), None)

    def has(self, name):
        return self.specifier(name) is not None


def io_statement(words, declarations):
    """The IoStatement that the words of a statement are; None if they are another statement. declarations: those that tell
    namelists apart from formats."""
    if not words or _assigns(words):
        return None
    kind, at = words[0].text, 1
    if kind == "end" and len(words) > 1 and words[1].text == "file":
        kind, at = "endfile", 2
    opening = words[at].text == "(" if at < len(words) else False
    if kind in ("read", "print") and not (opening and kind == "read" and _controls(words, at)):
        return _plain(kind, words, at, declarations)
    if kind in _BRACKETS and opening:
        end = closing(words, at)
        specifiers = [_specifier(kind, n, part, declarations) for n, part in enumerate(split(words[at + 1 : end])) if part]
        rest = words[end + 1 :]
        rest = rest[1:] if rest and rest[0].text == "," else rest  # an extension: `write (6, *), x`
        return IoStatement(kind, words[0], specifiers, _items(rest), (words[at], words[min(end, len(words) - 1)]))
    if kind in _UNIT_ALONE and at < len(words):
        return IoStatement(kind, words[0], [Specifier("unit", words[at], words[at:])], [], None)
    return None


def _assigns(words):
    """Whether the first word is a variable: of an assignment."""
    after = closing(words, 1) + 1 if len(words) > 1 and words[1].text == "(" else 1
    return after < len(words) and words[after].text in ("=", "=>", "%")


def _controls(words, at):
    """Whether the brackets behind `read` hold specifiers: `read (10) x`, and not a format that is an expression,
    `read (form), x`."""
    end = closing(words, at)
    return end + 1 >= len(words) or words[end + 1].text not in (",", "//") or find(words[at + 1 : end], ",") is not None


def _plain(kind, words, at, declarations):
    """`print format, items` and `read format, items`."""
    parts = split(words[at:])
    if not parts or not parts[0]:
        return None
    comma = find(words, ",", at)
    items = _items(words[comma + 1 :]) if comma is not None else []
    name = "nml" if _is_namelist(parts[0], declarations) else "fmt"
    return IoStatement(kind, words[0], [Specifier(name, parts[0][0], parts[0])], items, None)


def _specifier(kind, number, words, declarations):
    if len(words) > 2 and words[0].kind == "identifier" and words[1].text == "=":
        return Specifier(words[0].text, words[0], words[2:])
    names = _POSITIONAL.get(kind, ("unit",))
    name = names[min(number, len(names) - 1)]
    return Specifier("nml" if name == "fmt" and _is_namelist(words, declarations) else name, words[0], words)


def _is_namelist(words, declarations):
    return len(words) == 1 and declarations.namelist(words[0].text) is not None


# ---- items ----


def values(items):
    """The Values among items and in their implied dos."""
    for item in items:
        if isinstance(item, ImpliedDo):
            yield from values(item.items)
        else:
            yield item


def _items(words):
    return [_item(part) for part in split(words) if part]


def _item(words):
    if words[0].text == "(" and closing(words, 0) == len(words) - 1:
        inside = split(words[1:-1])
        control = next((n for n, part in enumerate(inside) if _is_control(part)), None)
        if control:
            bounds = [inside[control][2:], *inside[control + 1 :]]
            items = [_item(part) for part in inside[:control] if part]
            return ImpliedDo(words[0], words[-1], items, inside[control][0], bounds)
    return Value(words)


def _is_control(words):
    return len(words) > 2 and words[0].kind == "identifier" and words[1].text == "="
