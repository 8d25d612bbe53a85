"""Whether the innermost loop of a nest has no dependence between its iterations. gcc gives up on loops with many
arrays, because it cannot see that they do not overlap; we know it for declared arrays, and say so by `#pragma GCC ivdep`.
That holds for one loop. Where other loops stand around it, gcc can also keep elements in registers from one of their
iterations to the next, if the arrays themselves are told apart: their origins then come from XMP_Separate."""

from ..reading import syntax, types
from .canonical import loop_variable
from .pragmas import taken
from .references import changer, mentions, variable_plus

# Functions of <math.h> and <stdlib.h> that read and write nothing but their arguments.
_PURE = frozenset(
    name + suffix
    for name in (
        "fabs sqrt exp log sin cos tan asin acos atan atan2 sinh cosh tanh pow fmin fmax floor ceil cbrt hypot fma exp2 log2"
    ).split()
    for suffix in ("", "f", "l")
) | {"abs", "labs"}

_OTHER_MEMORY = (syntax.Member, syntax.Assembly, syntax.StatementExpression, syntax.Section, syntax.CoarrayReference)

_PRAGMA = '_Pragma("GCC ivdep") '


def independent(context, statement):
    """The innermost for statements that are proved independent."""
    found = (node for node in statement.walk() if isinstance(node, syntax.For) and not _contains_for(node.body))
    return [node for node in found if _independent(context, node)]


def say_independent(edits, nodes, copies):
    """Puts the pragma before for statements. copies: those that are no loops any more."""
    for node in nodes:
        said = _PRAGMA in edits.prefix(node.first)  # by a loop directive inside: gcc takes it once
        if not said and not any(copy.first <= node.first <= copy.last for copy in copies):
            edits.before(node.first, _PRAGMA)


def separate(context, block, nodes):
    """Whether gcc gains by knowing that the arrays of a nest are distinct objects, and whether that is true: nothing in the
    nest is reached but by the names of arrays. nodes: its independent innermost loops."""
    if not any(_written_again(block, node) for node in nodes):
        return False
    return not any(isinstance(part, syntax.Directive) or _hides(context, part) for part in block.walk())


def _written_again(block, node):
    """Whether an innermost loop writes the same elements in each iteration of a loop around it, as c[i][j] of a matrix product
    in the loop over k."""
    around = [loop_variable(one) for one in node.ancestors() if isinstance(one, syntax.For) and one.first >= block.first]
    return any(
        variable is not None and not any(mentions(index, variable) for index in indices)
        for indices in _written_elements(node.body)
        for variable in around
    )


def _written_elements(body):
    """The subscripts of each element that is assigned."""
    for part in body.walk():
        if isinstance(part, syntax.Identifier) and isinstance(part.parent, syntax.Subscript):
            node, indices = _subscripted(part)
            if indices and changer(node) is not None:
                yield indices


def _contains_for(body):
    return any(
        isinstance(part, (syntax.For, syntax.While, syntax.DoWhile, syntax.Directive, syntax.Label)) for part in body.walk()
    )


def _independent(context, node):
    variable = loop_variable(node)
    if variable is None or taken(node):
        return False
    accesses = {}  # declarator of an array -> list of (subscript texts, whether written, whether the variable moves it)
    written_scalars = set()
    inside = {part for part in node.body.walk() if isinstance(part, syntax.Declarator)}
    for part in node.body.walk():
        if _hides(context, part):
            return False
        if isinstance(part, syntax.Identifier) and not _is_function(part):
            _access(context, part, variable, accesses, written_scalars, inside)
    return (
        len(accesses) > 1
        and not written_scalars
        and all(_safe(uses) for uses in accesses.values())
        and any(written for uses in accesses.values() for _, written, _ in uses)
    )


def _hides(context, part):
    """Whether memory may be reached here otherwise than as a scalar variable or an element of a declared array."""
    if isinstance(part, syntax.Call):
        return not isinstance(part.function, syntax.Identifier) or part.function.name not in _PURE
    if isinstance(part, syntax.Unary):
        return part.operator in ("*", "&")
    if isinstance(part, syntax.Identifier) and not _is_function(part):
        type_ = types.resolve(part.declaration.type)
        if isinstance(type_, types.Array) and part.declaration.kind == "variable":
            return isinstance(types.resolve(_subscripted(part)[0].type), types.Array)  # a row, not an element
        return isinstance(type_, (types.Pointer, types.Array))
    return isinstance(part, _OTHER_MEMORY)


def _subscripted(identifier):
    """(the identifier with its subscripts, their expressions)"""
    node, indices = identifier, []
    while isinstance(node.parent, syntax.Subscript) and node.parent.base is node:
        node = node.parent
        indices.append(node.index)
    return node, indices


def _is_function(identifier):
    return identifier.declaration is None or isinstance(types.resolve(identifier.declaration.type), types.Function)


def _access(context, identifier, variable, accesses, written_scalars, inside):
    """Records one use of a variable."""
    declarator = identifier.declaration
    if isinstance(types.resolve(declarator.type), types.Array):
        node, indices = _subscripted(identifier)
        found = [variable_plus(index) for index in indices]
        moves = any(one is not None and one[0] is variable for one in found)
        texts = [index.text() for index in indices]
        accesses.setdefault(context.key(declarator), []).append((texts, changer(node) is not None, moves))
    elif changer(identifier) is not None and declarator not in inside:
        written_scalars.add(declarator)


def _safe(uses):
    """An array that is written is touched at one place only in each iteration, and at another one in every iteration."""
    if not any(written for _, written, _ in uses):
        return True
    first = uses[0][0]
    return all(texts == first and moves for texts, _, moves in uses)
