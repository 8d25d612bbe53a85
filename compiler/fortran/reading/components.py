"""Components of derived types, as far as what communicates or allocates them must know."""

from .declarations import read


def address_in(declarations, type_):
    """The word of a component that is allocatable or a pointer, of the derived type with this text (`type(name)`); None if
    there is none, or the type is not known."""
    for _, _, attributes, _, entities in _components(declarations, type_):
        if entities and any(words[0].text in ("allocatable", "pointer") for words in attributes):
            return entities[0].word
    return None


def has_defaults(declarations, type_):
    """Whether a variable of the type may begin with values. Types that are not known here may, as components or themselves."""
    components = _components(declarations, type_)
    known = components and not any(base == "type" for base, *_ in components)
    return not known or any(entity.initial is not None for *_, entities in components for entity in entities)


def component(declarations, type_, name):
    """(base, text of the type, bounds) of a component, or None where the type is not known."""
    for base, text, _, shape, entities in _components(declarations, type_):
        for entity in entities:
            if entity.word.text == name:
                return base, entity.type or text, entity.bounds or shape
    return None


def _components(declarations, type_):
    """What read gives of the statements that declare components; [] where the type is not known."""
    name = type_[type_.find("(") + 1 : -1].strip().lower()
    while declarations is not None:
        for known in (declarations, *(use.found.declarations for use in declarations.uses if use.found is not None)):
            items = known.file.items
            for position in known.unit.bodies:
                if items[position].kind == "typedefinition" and items[position].words[-1].text == name:
                    return [read(one) for one in items[position + 1 : items[position].end] if one.kind == "declaration"]
        declarations = declarations.host
    return []
