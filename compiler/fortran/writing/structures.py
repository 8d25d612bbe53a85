"""Components of derived types that are global arrays: the definition of the type, and what comes and goes with its variables
(reading/structures.py)."""

from . import arrays, mapping
from .owners import is_component, repeated
from .views import detached, dropped


def write(context):
    """Edits of the definitions of types, and of `allocated(c%a)`: the component is a pointer now."""
    declared = {}
    for component in context.structures.mapped.values():
        if component.item in context.items:
            declared.setdefault(component.item, []).append(component)
    for item, components in declared.items():
        _declare(context, item, components)
    for item in context.items:
        if not item.statement.directive and item.unit is not None:
            _ask(context, item)


def _declare(context, item, components):
    """The object beside the component; both lie in the variable."""
    new = []
    for component in components:
        attributes = "" if component.bounds and "pointer" in component.attributes else ", contiguous"
        access = "".join(f", {a}" for a in ("public", "private") if a in component.attributes)
        colons = ", ".join(":" * len(component.bounds))
        new += [
            f"{component.type}, pointer{attributes}{access} :: {component.name}({colons}) => null()",
            f"type(xmp_object){access} :: {component.name}_xmp = xmp_null",
        ]
    kept = arrays.without(item, [[component.word] for component in components])
    context.edits.statement(item.statement, "; ".join([*([kept] if kept else []), *new]))


def _ask(context, item):
    words = item.words
    for number in range(len(words) - 2):
        if words[number].text == "allocated" and words[number + 1].text == "(" and hasattr(words[number + 2], "inside"):
            context.edits.word(item.statement, words[number], "associated")


def declared(context, unit, array, site):
    """Lines that create the object of a component before its memory is allocated."""
    if not is_component(array):
        return []
    object_, description = context.object(array), mapping.Creation(context, unit, []).description(array)
    return [f"call XMP_Array_release({object_})", f"call XMP_Array_declare({object_}, {site}, {description})"]


def released(context, array):
    return [f"call XMP_Array_release({context.object(array)})"] if is_component(array) else []


def ended(context, array):
    """Lines at the end of the variable that holds the array. What a pointer points to stays."""
    attributes = array.symbol.declaration.owner.component.attributes
    if "pointer" in attributes:
        return []
    if "allocatable" in attributes:
        return repeated(array, dropped(context, array))
    return repeated(array, detached(context, array))
