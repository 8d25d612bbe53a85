"""Derived types and their components, in a file or in modules that were compiled before."""

import re

from ...record import Record
from .declarations import read
from .lexer import closing, find, split

_TYPE = re.compile(r"(?:type|class)\s*\(\s*(\w+)\s*\)", re.I)


class Component(Record):
    """Of a derived type: definition, the Item that begins the type; name; item and word of its declaration; base, type, bounds,
    initial and attributes as of a Variable; declarations: those of the unit that defines the type."""

    fields = ("definition", "name", "item", "word", "base", "type", "bounds", "initial", "attributes", "declarations")

    @property
    def allocated(self):
        """Whether the program allocates it itself."""
        return "allocatable" in self.attributes or "pointer" in self.attributes


def name_of_type(text):
    """The name of the derived type that `type(name)` means; None for other types, and for no text."""
    match = _TYPE.fullmatch(text) if text else None
    return match.group(1).lower() if match else None


def definition(declarations, name):
    """(the Item that begins a derived type, Declarations of its unit); (None, None) for a type that is not known."""
    while declarations is not None:
        items = declarations.file.items
        for position in declarations.unit.bodies:
            if items[position].kind == "typedefinition" and items[position].words[-1].text == name:
                return items[position], declarations
        for use in declarations.uses:
            found = definition(use.found.declarations, use.renames.get(name, name)) if use.found is not None else (None, None)
            if found[0] is not None:
                return found
        declarations = declarations.host
    return None, None


def components(type_, declarations):
    """The Components of a type that an Item of the Declarations' unit begins."""
    items, found = declarations.file.items, []
    for item in items[type_.begin + 1 : type_.end]:
        if item.kind == "declaration":
            base, text, attributes, shape, entities = read(item)
            named = {words[0].text: words for words in attributes if words[0].text != "dimension"}
            for one in entities:
                attributes_ = {**named, "codimension": one.words} if one.coarray else named
                declared = one.type or text, one.bounds or shape, one.initial, attributes_, declarations
                found.append(Component(type_, one.word.text, item, one.word, base, *declared))
    return found


def component_in(type_, declarations, name):
    """(Component, Declarations) of a name in a type or in one that it extends; (None, None) if there is none."""
    while type_ is not None:
        found = next((one for one in components(type_, declarations) if one.name == name), None)
        if found is not None:
            return found, declarations
        at = next((n for n, word in enumerate(type_.words) if word.text == "extends"), None)
        parent = type_.words[at + 2].text if at is not None and at + 2 < len(type_.words) else None
        type_, declarations = definition(declarations, parent)
    return None, None


def parts(variable, words, at):
    """(last word, Component) of each part of `c%e%a` whose type is known; `at`: the word behind the variable's name."""
    type_, declarations = (variable.type, variable.declarations) if variable is not None else (None, None)
    while name_of_type(type_) is not None:
        if at < len(words) and words[at].text == "(":
            at = closing(words, at) + 1
        if at + 1 >= len(words) or words[at].text != "%":
            return
        found, declarations = component_in(*definition(declarations, name_of_type(type_)), words[at + 1].text)
        if found is None:
            return
        yield at + 1, found
        type_, at = found.type, at + 2


def part_of(declarations, words):
    """(base, text of the type, bounds) of an element or component, with the bounds of what is left of it; None where that is
    not known."""
    known, at = _element(declarations.type_of(words[0].text), words, 1)
    for last, found in parts(declarations.lookup(words[0].text), words, 1):
        if known is None or known[2]:
            return None  # components of several elements
        known, at = _element((found.base, found.type, found.bounds), words, last + 1)
    return known if at == len(words) else None


def _element(known, words, at):
    """What part_of gives, when the subscripts that may follow have taken an element, and the position behind them."""
    if known is None or at == len(words) or words[at].text != "(":
        return known, at
    subscripts = split(words[at + 1 : closing(words, at)])
    single = len(subscripts) == len(known[2]) and all(find(subscript, ":") is None for subscript in subscripts)
    return (*known[:2], []) if single else None, closing(words, at) + 1


# ---- what communicates or allocates a type ----


def address_in(declarations, type_):
    """The word of a component that is allocatable or a pointer, of the derived type with this text (`type(name)`); None if
    there is none, or the type is not known."""
    return next((one.word for one in _of(declarations, type_) if one.allocated), None)


def has_defaults(declarations, type_):
    """Whether a variable of the type may begin with values. Types that are not known here may, as components or themselves."""
    found = _of(declarations, type_)
    known = found and not any(one.base == "type" for one in found)
    return not known or any(one.initial is not None for one in found)


def component(declarations, type_, name):
    """(base, text of the type, bounds) of a component, or None where the type is not known."""
    found, _ = component_in(*definition(declarations, name_of_type(type_)), name)
    return None if found is None else (found.base, found.type, found.bounds)


def _of(declarations, type_):
    item, within = definition(declarations, name_of_type(type_))
    return components(item, within) if item is not None else []
