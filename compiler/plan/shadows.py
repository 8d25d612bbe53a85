"""Subscripts of a distributed loop that reach beyond what the node stores: `u[i + 1]` needs a shadow of 1."""

from ..directives.words import integer
from .questions import Elements

QUESTIONS = (Elements,)


def check(language, loops):
    """Errors for constant offsets beyond the shadow in every dimension that a DistributedLoop runs along."""
    accesses = [access for loop in loops for access in loop.accesses]
    check_accesses(language, accesses, lambda access: language.element(access.reference, access.dimension))


def check_accesses(language, accesses, shown):
    """shown: an Access -> the text and the word that show it."""
    reached = {}  # array -> dimension -> the offsets of all its subscripts
    accesses = [access for access in accesses if access.distance]
    for access in accesses:
        offsets = reached.setdefault(access.reference.array, {}).setdefault(access.dimension, [])
        offsets.append(access.distance)
    for access in accesses:
        _check(language, access, reached, shown)


def _check(language, access, reached, shown):
    array, d, offset = access.reference.array, access.dimension, access.distance
    shadow = array.shadow[d] if array.shadow else None
    cyclic = array.format(d) == "cyclic"
    if not array.is_divided(d):
        return
    width = 0 if shadow is None else integer(shadow.lower if offset < 0 else shadow.upper)
    if not cyclic and (width is None or width >= abs(offset)):
        return
    element, word = shown(access)
    if cyclic:
        message = f"'{element}' lies on another node: dimension {d + 1} of '{array.name}' is cyclic"
        help = "only a full shadow `*` or a block distribution makes neighbours available"
    else:
        side = "a lower" if offset < 0 else "an upper"
        message = f"'{element}' needs {side} shadow of {abs(offset)} in dimension {d + 1}; it has {width}"
        help = language.shadow_proposal(array, _widths(array, reached[array]))
    if array.shadow:
        declared = ("its shadow is declared here", array.shadow_directive.array)
    else:
        declared = ("it is aligned here", array.align.array)
    language.error("XMP-E150", message, word, [declared], help)


def _widths(array, reached):
    """The shadow that an array needs in all dimensions, for all that a loop reaches: pairs of texts, None where it is full."""
    found = []
    for k in range(array.rank):
        shadow = array.shadow[k] if array.shadow else None
        low, high = ("0", "0") if shadow is None else (shadow.lower, shadow.upper)
        offsets = [0, *reached.get(k, ())] if array.format(k) != "*" else [0]
        below, above = -min(offsets), max(offsets)
        if not array.shadow:
            low = high = str(max(below, above))  # neighbours are mostly read on both sides
        elif below or above:
            low, high = str(max(integer(low) or 0, below)), str(max(integer(high) or 0, above))
        found.append(None if shadow is not None and shadow.full else (low, high))
    return found
