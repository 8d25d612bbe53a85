"""Components of derived types, as far as what communicates them must know."""

from .declarations import read


def address_in(declarations, type_):
    """The word of a component that is allocatable or a pointer, of the derived type with this text (`type(name)`); None if
    there is none, or the type is not known."""
    name = type_[type_.find("(") + 1 : -1].strip().lower()
    while declarations is not None:
        for known in (declarations, *(use.found.declarations for use in declarations.uses if use.found is not None)):
            found = _in_unit(known, name)
            if found is not None:
                return found
        declarations = declarations.host
    return None


def _in_unit(declarations, name):
    items = declarations.file.items
    for position in declarations.unit.bodies:
        item = items[position]
        if item.kind != "typedefinition" or item.words[-1].text != name:
            continue
        for one in items[position + 1 : item.end]:
            if one.kind == "declaration":
                _, _, attributes, _, entities = read(one)
                if entities and any(words[0].text in ("allocatable", "pointer") for words in attributes):
                    return entities[0].word
    return None
