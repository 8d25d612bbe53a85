"""The variables that bcast and reduction directives name: where they lie and how large they are."""

from ...plan.gmove import Triplet, check_section
from ...plan.language import Variable
from ...record import Record
from ..reading import syntax, types
from .elements import kind_of, shape, type_text
from .gmove import extent


class Memory(Record):
    """A variable's elements, as texts of C. element: their type; varies: whether the count may change later."""

    fields = ("address", "bytes", "count", "element", "varies")
    varies = False


def variable(context, tree, expression, place):
    """The Variable that an expression of a clause means, or None after an error. tree: its syntax tree."""
    if not _declared(context, tree, expression.word, place):
        return None
    if any(isinstance(part, syntax.CoarrayReference) for part in tree.walk()):
        context.error("XMP-E190", "coarrays of other images in a directive are not supported yet", expression.word)
        return None
    side = context.side(tree)
    if side.kind == "array" and not side.subscripts:
        side = context.whole_side(tree)
    if side.kind == "array" or side.rank > 0 and side.kind == "memory":
        return _section(context, side, expression)
    if side.kind == "member" or context.element_inside(tree)[1] is not None:
        message = f"'{expression.text}' needs an element of a global array, which is not on every node"
        context.error("XMP-E184", message, expression.word, help="copy it to a local variable first")
        return None
    memory = _of_local(context, tree, expression)
    return memory and Variable(expression, kind_of(memory.element), type_text(memory.element), memory)


def _section(context, side, expression):
    """A section, or a global array: what a node owns of it."""
    type_ = side.type
    if side.kind == "array":
        type_ = shape(side.array.symbol.declaration.type)[0]
    if not check_section(context, side, expression.word):
        return None
    return Variable(expression, kind_of(type_), type_text(type_), side)


def in_a_row(context, side):
    """The Memory of a section of a local array, if its elements lie one behind the other; else None."""
    first, *inner = side.subscripts
    begin, length, step = first.parts if isinstance(first, Triplet) else (None, None, first)
    whole = all(isinstance(one, Triplet) and not any(one.parts) for one in inner)
    if side.kind != "memory" or not whole or step is not None and step.constant() != 1:
        return None
    address, type_ = _local_text(context, side.start), type_text(side.type)
    texts = [None if part is None else f"({_local_text(context, part)})" for part in (begin, length)]
    known = extent(side, 0, address)[0]
    if known == "XMP_OPEN" and length is None:
        return None
    begin_text, count = texts[0] or "0", texts[1] or (f"({known} - {texts[0]})" if begin else f"({known})")
    varies = any(part is not None and part.constant() is None for part in (begin, length))
    if varies:
        count = f"((XMP_Index){count} > 0 ? {count} : 0)"
    count = f"(size_t){count} * (sizeof(({address})[0]) / sizeof({type_}))"
    return Memory(f"&({address})[{begin_text}]", f"{count} * sizeof({type_})", count, side.type, varies)


def _declared(context, tree, word, place):
    """Whether all names of an expression are; if not, that is an error."""
    unknown = next((p for p in tree.walk() if isinstance(p, syntax.Identifier) and p.declaration is None), None)
    if unknown is not None:
        context.undeclared("XMP-E180", "variable", unknown.name, word, visible_variables(*context.scope(place)))
    return unknown is None


def visible_variables(scope, position):
    return [name for name, found in scope.visible(position) if found.kind in ("variable", "parameter")]


def _of_local(context, tree, expression):
    text, element = _local_text(context, tree), types.element_type(tree.type)
    resolved = types.resolve(tree.type)
    if isinstance(resolved, types.Function):
        return context.error("XMP-E181", f"'{text}' is a function, not a variable", expression.word)
    if isinstance(resolved, types.Pointer):
        help = "an address means nothing on other nodes; name an array, or one element"
        return context.error(
            "XMP-E185", f"'{text}' is a pointer: how many elements it means is not known", expression.word, (), help
        )
    if not isinstance(resolved, types.Array):
        return Memory(f"&{text}", f"sizeof({text})", "1", element)
    if not (isinstance(tree, syntax.Identifier) and tree.declaration.kind == "parameter"):
        return Memory(text, f"sizeof({text})", f"sizeof({text}) / sizeof({type_text(element)})", element)
    sizes = types.array_shape(tree.type)[0]
    if any(array.size is None for array in sizes):
        message = f"the number of elements of '{text}' is not known"
        context.error("XMP-E185", message, expression.word, (), "declare the parameter with its size")
        return None
    product = " * ".join(f"({array.size.text()})" for array in sizes)
    return Memory(text, f"(size_t){product} * sizeof({type_text(element)})", f"(size_t){product}", element)


def _local_text(context, tree):
    """The expression with coarrays as they are called here."""
    coarrays = {part.first: context.coarray_of(part) for part in tree.walk() if isinstance(part, syntax.Identifier)}

    def edited(index):
        coarray = coarrays.get(index)
        plain = coarray is None or coarray.kind == "parameter"
        return tree.tokens[index].text if plain else f"(*{coarray.holder})"

    return tree.text(edited)
