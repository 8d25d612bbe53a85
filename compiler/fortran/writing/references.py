"""Uses of global arrays in statements: elements, which must lie where the node stores them, and sections and whole arrays along
dimensions of which each node has all elements."""

from ...record import Record
from ..reading.io_statements import io_statement, values
from ..reading.lexer import closing, find, split
from ..reading.operands import fills


class Element(Record):
    """array, word, and the subscripts as lists of words: indices, and sections of dimensions that are not divided. [] for
    the `:` of an argument."""

    fields = ("array", "word", "subscripts")


def elements(context, item):
    """The Elements of global arrays in a statement. Other uses are errors."""
    if item not in context.elements:
        context.elements[item] = _elements(context, item)
    return context.elements[item]


def _elements(context, item):
    found, words = [], item.words
    within = _arguments_of_references(context, words) if item in context.assignments() else range(len(words))
    depth = 0
    for number, word in enumerate(words):
        depth += (word.text in ("(", "[")) - (word.text in (")", "]"))
        if number not in within:
            continue
        array = context.array_at(word.text, item.unit) if word.kind == "identifier" and item.unit is not None else None
        if array is None or (number and words[number - 1].text == "%"):
            continue
        after = words[number + 1].text if number + 1 < len(words) else ""
        if after == "=" and depth or about(words, number):
            continue  # the keyword of an argument, or the array itself
        if number == 0 and fills(context, item):
            continue
        if after != "(":
            whole = all(_whole(array, d) for d in range(array.rank)) or depth and passed(words, number) is not None
            if not whole and not _listed(context, item, word):
                _refuse_whole(context, array, words, number)
            continue
        subscripts = split(words[number + 2 : closing(words, number + 1)])
        if len(subscripts) != array.rank:
            context.model.wrong_rank(array, len(subscripts), word, "subscripts")
        elif _is_passed(context, item, number, subscripts):
            found.append(Element(array, word, [[] if is_all(subscript) else subscript for subscript in subscripts]))
        elif any(not _whole(array, d) and is_section(context, item, subscript) for d, subscript in enumerate(subscripts)):
            if not _refuse_reduced(context, array, words, number):
                _refuse_section(context, item, array, word)
        else:
            found.append(Element(array, word, subscripts))
    return found


def _is_passed(context, item, number, subscripts):
    """Whether a section is an argument that stands for this node's part of it: `a(:, :, i)` (specification 6.2)."""
    kinds = [is_all(subscript) for subscript in subscripts]
    plain = all(every or not is_section(context, item, subscript) for every, subscript in zip(kinds, subscripts))
    callee = passed(item.words, number, closing(item.words, number + 1) + 1 - number)
    argument = callee is not None and callee.text not in ("where", "elsewhere")
    return argument and kinds[0] and kinds == sorted(kinds, reverse=True) and plain


def is_all(subscript):
    return [word.text for word in subscript] == [":"]


def _arguments_of_references(context, words):
    """The positions of the arguments of functions whose results are global arrays: they are evaluated before the statement."""
    references = ((n, context.result_reference(word)) for n, word in enumerate(words) if word.kind == "identifier")
    return {at for n, one in references if one is not None for at in range(n + 1, n + len(one.words))}


def _listed(context, item, word):
    """Whether the name of a global array is an item of input or output: there it is all that the node stores (specification
    D.1.1)."""
    io = _io_statement(context, item)
    return io is not None and any(len(value.words) == 1 and value.words[0] is word for value in values(io.items))


def _io_statement(context, item):
    return io_statement((item.guarded or item).words, context.scopes.of(item.unit))


def _refuse_whole(context, array, words, number):
    if not _refuse_reduced(context, array, words, number):
        what, aligned = f"the whole global array '{array.name}' in a statement is", [("it is aligned here", array.align.array)]
        context.unsupported(what, words[number], _proposal(array), aligned)


def _refuse_section(context, item, array, word):
    io = _io_statement(context, item)
    if io is not None and any(value.words[0] is word for value in values(io.items)):
        message = f"a section of the global array '{array.name}' cannot be an item of input or output"
        context.error("XMP-E231", message, word, (), f"write {array.name} for all that this node stores, or its elements")
    else:
        context.unsupported(f"sections of the global array '{array.name}' are", word, _proposal(array))


def _refuse_reduced(context, array, words, number):
    """Whether a function of the language would get a divided array that it takes as a whole (7.7, decision LIB-12): told."""
    callee = next((name for name in _callees(words, number) if name in _TRANSFORMATIONAL), None)
    if callee is None:
        return False
    message = f"'{callee}' would get this node's part of the global array '{array.name}'"
    help = "compute it in a loop with a reduction, or after a gmove to a local array"
    context.error("XMP-E206", message, words[number], [("it is aligned here", array.align.array)], help)
    return True


def _callees(words, number):
    """What stands before the brackets around a word, the innermost ones first."""
    opening = _opening(words, number)
    while opening:
        yield words[opening - 1].text
        opening = _opening(words, opening)


def _proposal(array):
    return f"write a loop over its elements, or before an assignment: !$xmp array on {array.template.name}"


def _whole(array, dimension):
    """Whether each node has all elements of a dimension, under the user's subscripts."""
    return not array.is_divided(dimension) and not array.positional(dimension)


# Functions of the language that would take this node's block for the array. What the elemental ones mean is for the array
# construct to say.
_TRANSFORMATIONAL = frozenset(
    "all any count cshift dot_product eoshift findloc iall iany iparity matmul maxloc maxval minloc minval norm2 pack parity "
    "product reshape spread sum transpose unpack".split()
)
_ELEMENTAL_OR_REDUCING = _TRANSFORMATIONAL | frozenset(
    "abs aimag aint anint cmplx conjg cos dble dim exp int loc log log10 max merge min mod modulo move_alloc nint not real "
    "sign sin sqrt tan transfer".split()
)


def passed(words, number, length=1):
    """The word of the procedure whose argument a whole array is, which gets this node's block; None if it is none. length: how
    many words stand for the array."""
    behind = number + length
    before, after = words[number - 1].text, words[behind].text if behind < len(words) else ""
    if before not in ("(", ",", "=") or after not in (")", ","):
        return None
    opening = _opening(words, number)
    callee = words[opening - 1] if opening else None
    known = callee is not None and callee.kind == "identifier"
    return callee if known and callee.text not in _ELEMENTAL_OR_REDUCING else None


_ALLOCATING = ("allocate", "deallocate", "nullify")
INQUIRIES = ("size", "shape", "lbound", "ubound")


def about(words, number):
    """Whether a statement or function is about the array itself, not about its elements."""
    before, after = words[number - 1].text if number else "", words[number + 1].text if number + 1 < len(words) else ""
    if "=>" in (before, after):
        return after == "=>" or not after
    opening = _opening(words, number) if before in ("(", ",") else 0
    callee = words[opening - 1].text if opening else ""
    return callee in _ALLOCATING or callee in INQUIRIES and before == "(" and after in (",", ")")


def _opening(words, number):
    """Position of the bracket around a word."""
    depth = 0
    for position in range(number - 1, -1, -1):
        if words[position].text in (")", "]"):
            depth += 1
        elif words[position].text in ("(", "["):
            if not depth:
                return position
            depth -= 1
    return 0


def is_section(context, item, subscript):
    """Whether a subscript stands for several elements."""
    constructed = subscript and (subscript[0].text == "[" or [word.text for word in subscript[:2]] == ["(", "/"])
    if constructed or find(subscript, ":") is not None or find(subscript, "::") is not None:
        return True
    for number, word in enumerate(subscript):
        variable = context.scopes.of(item.unit).lookup(word.text) if word.kind == "identifier" else None
        whole = number + 1 == len(subscript) or subscript[number + 1].text != "("
        if variable is not None and variable.bounds and whole and find(subscript, word.text) == number:
            return True  # an array as subscript
    return False


def check_all(context):
    """All statements."""
    for item in context.items:
        if item.statement.directive or item.unit is None or item.kind in _NO_USES:
            continue
        if item.kind in ("declaration", "specification"):
            _check_specification(context, item)
        else:
            elements(context, item)


# What opens or ends a unit or construct without an expression that could use an array.
_NO_USES = frozenset(
    "end contains program module submodule subroutine function procedure entry interface typedefinition enum".split()
)
# Statements that say something about an array and do not use it.
_ABOUT = frozenset(
    "use import implicit dimension allocatable pointer target save common data public private intent optional".split()
)


def _check_specification(context, item):
    """Bounds and initial values of other declarations must not depend on a global array."""
    if item.kind == "specification" and item.words[0].text in _ABOUT:
        return
    for word in item.words:
        array = context.array_at(word.text, item.unit) if word.kind == "identifier" else None
        variable = context.scopes.of(item.unit).lookup(word.text) if array is not None and not array.failed else None
        if variable is not None and all(at is not item for at, _ in variable.mentions):
            context.unsupported(f"the global array '{array.name}' in this statement is", word)
