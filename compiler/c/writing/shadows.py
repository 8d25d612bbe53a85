"""Subscripts of a distributed loop that reach beyond what the node stores: `u[i + 1]` needs a shadow of 1."""

from ...directives.words import integer
from ..reading.syntax import text_of
from .context import Place
from .references import distance, references


def check(context, directive, nest, locals_):
    """Errors for constant offsets beyond the shadow in every dimension that a loop of the nest runs along."""
    if directive.expand or directive.margin or directive.peel:
        return  # the widths move the iterations; what they reach is the widths' business
    for local in locals_:
        template, index = nest.mapping.reference.entity, local.index
        for reference in references(context, local.loop.node.body):
            for d, subscript in enumerate(reference.subscripts[: reference.array.rank]):
                offset = distance(
                    reference.array, d, subscript.index, local.loop.declarator, template, index.dimension, index.offset
                )
                if offset:
                    _check(context, reference, d, subscript, offset)


def _check(context, reference, d, subscript, offset):
    array = reference.array
    if array.format(d) == "*" or _single_node(array, d):
        return
    shadow = array.shadow[d] if array.shadow else None
    if shadow is not None and shadow.full:
        return
    given = ("0", "0") if shadow is None else (shadow.lower, shadow.upper)
    width = integer(given[0 if offset < 0 else 1])
    if array.format(d) != "cyclic" and (width is None or width >= abs(offset)):
        return
    declared = (
        [("its shadow is declared here", array.shadow_directive.array)]
        if array.shadow
        else [("it is aligned here", array.align.array)]
    )
    text = subscript.index.text()
    identifier = reference.identifier
    place = Place(identifier.token, text_of(identifier.tokens, identifier.first, subscript.last))
    if array.format(d) == "cyclic":
        context.error(
            "XMP-E150",
            f"'{array.name}[{text}]' lies on another node: dimension {d + 1} of '{array.name}' is cyclic",
            place,
            declared,
            "only a full shadow `*` or a block distribution makes neighbours available",
        )
        return
    side = "a lower" if offset < 0 else "an upper"
    context.error(
        "XMP-E150",
        f"'{array.name}[{text}]' needs {side} shadow of {abs(offset)} in dimension {d + 1}; it has {width}",
        place,
        declared,
        f"write: #pragma xmp shadow {array.name}{_suggestion(array, d, offset)}, and before the loop: "
        f"#pragma xmp reflect ({array.name})",
    )


def _single_node(array, d):
    f = array.template.formats[array.dimensions[d].onto]
    return array.template.nodes.sizes[f.node_dimension] == "1"


def _suggestion(array, d, offset):
    texts = []
    for k in range(array.rank):
        shadow = array.shadow[k] if array.shadow else None
        low, high = ("0", "0") if shadow is None or shadow.full else (shadow.lower, shadow.upper)
        if shadow is not None and shadow.full:
            texts.append("[*]")
            continue
        if k == d and not array.shadow:
            low = high = str(abs(offset))  # neighbours are mostly read on both sides
        elif k == d:
            low = str(max(integer(low) or 0, -offset))
            high = str(max(integer(high) or 0, offset))
        texts.append(f"[{low}]" if low == high else f"[{low}:{high}]")
    return "".join(texts)
