"""Generic names: the procedures that they stand for, and which of them a call means as far as its arguments are known."""

import re

from .components import part_of
from .constants import value
from .structures import word_like

_KIND = re.compile(r"(?:\*|\(\s*(?:kind\s*=)?)\s*(\w+)\s*\)?$", re.I)
_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)(?:([ed])[+-]?\d+)?(?:_(\w+))?")


def specifics(declarations, name):
    """The names in a unit's interface blocks of a generic name."""
    items = declarations.file.items
    for position in declarations.unit.bodies:
        item = items[position]
        if item.kind == "interface" and len(item.words) == 2 and item.words[1].text == name:
            for inside in items[position + 1 : item.end]:
                yield from [inside.name] if inside.kind == "function" else listed(inside.words)


def listed(words):
    """The names in `procedure a, b`, or `module procedure :: a, b`."""
    at = next((n for n, word in enumerate(words[:2]) if word.text == "procedure"), None)
    return [word.text for word in words[at + 1 :] if word.kind == "identifier"] if at is not None else []


def fits(procedure, arguments, type_of):
    """Whether a procedure with these Declarations may have the arguments, lists of words, of a call. type_of: (base, text of
    the type, bounds, Declarations) of such words, or None."""
    dummies = [variable for variable in procedure.variables.values() if variable.dummy]
    if len(arguments) > len(dummies):
        return False
    given = {}
    for dummy, words in zip(dummies, arguments):
        keyword = len(words) > 2 and words[1].text == "="
        given[words[0].text if keyword else dummy.name] = words[2:] if keyword else words
    if any(dummy.name not in given and not dummy.has("optional") for dummy in dummies):
        return False
    return all(_suits(dummy, given[dummy.name], type_of) for dummy in dummies if dummy.name in given)


def _suits(dummy, words, type_of):
    known = type_of(words)
    if known is None:
        return True
    base, type_, bounds, declarations = known
    kinds = kind_of(type_, words[0], declarations), kind_of(dummy.type, dummy.word, dummy.declarations)
    return base == dummy.base and len(bounds) == len(dummy.bounds) and (None in kinds or kinds[0] == kinds[1])


def type_of(words, declarations):
    """(base, text of the type, bounds, Declarations) of a variable, a part of it or a number; None for other expressions."""
    words = words[1:] if words[0].text in ("+", "-") else words
    if words and words[0].kind == "identifier":
        known = part_of(declarations, words)
    else:
        known = _literal(words[0].text) if len(words) == 1 and words[0].kind == "number" else None
    return (*known, declarations) if known is not None else None


def _literal(text):
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    base = "integer" if text.isdigit() or found.group(1).isdigit() and not found.group(2) else "real"
    kind = f"({found.group(3)})" if found.group(3) else ""
    return base, "double precision" if found.group(2) == "d" else base + kind, []


def kind_of(type_, word, declarations):
    """The kind in the text of a type, 8 for `double precision`; None if its value is not known here."""
    found = _KIND.search(type_)
    if found is None:
        return 8 if type_.lower().startswith("double") else 4
    text = found.group(1).lower()
    known = int(text) if text.isdigit() else value([word_like(text, word)], declarations)
    return known // 2 if known is not None and "*" in type_ and type_.lower().startswith("complex") else known
