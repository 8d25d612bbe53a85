"""Whether the innermost loop of a nest has no dependence between its iterations. gcc gives up on loops with many
arrays, because it cannot see that they do not overlap; we know it for declared arrays, and say so by `#pragma GCC ivdep`."""

from ..reading import syntax, types
from .canonical import loop_variable
from .pragmas import taken
from .references import changer, variable_plus

# Functions of <math.h> and <stdlib.h> that read and write nothing but their arguments.
_PURE = frozenset(
    name + suffix
    for name in (
        "fabs sqrt exp log sin cos tan asin acos atan atan2 sinh cosh tanh pow fmin fmax floor ceil cbrt hypot fma exp2 log2"
    ).split()
    for suffix in ("", "f", "l")
) | {"abs", "labs"}

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
        if isinstance(part, syntax.Call):
            if not isinstance(part.function, syntax.Identifier) or part.function.name not in _PURE:
                return False
        elif isinstance(
            part, (syntax.Member, syntax.Assembly, syntax.StatementExpression, syntax.Section, syntax.CoarrayReference)
        ):
            return False
        elif isinstance(part, syntax.Unary) and part.operator in ("*", "&"):
            return False
        elif isinstance(part, syntax.Identifier) and not _is_function(part):
            if not _access(context, part, variable, accesses, written_scalars, inside):
                return False
    return (
        len(accesses) > 1
        and not written_scalars
        and all(_safe(uses) for uses in accesses.values())
        and any(written for uses in accesses.values() for _, written, _ in uses)
    )


def _is_function(identifier):
    return identifier.declaration is None or isinstance(types.resolve(identifier.declaration.type), types.Function)


def _access(context, identifier, variable, accesses, written_scalars, inside):
    """Records one use of a variable; False where nothing can be said of it."""
    declarator = identifier.declaration
    type_ = types.resolve(declarator.type)
    if isinstance(type_, types.Array) and declarator.kind == "variable":
        node, texts, moves = identifier, [], False
        while isinstance(node.parent, syntax.Subscript) and node.parent.base is node:
            node = node.parent
            texts.append(node.index.text())
            found = variable_plus(node.index)
            moves = moves or found is not None and found[0] is variable
        if isinstance(types.resolve(node.type), types.Array):
            return False  # a row, not an element
        accesses.setdefault(context.key(declarator), []).append((texts, changer(node) is not None, moves))
        return True
    if isinstance(type_, (types.Pointer, types.Array)):
        return False
    if changer(identifier) is not None and declarator not in inside:
        written_scalars.add(declarator)
    return True


def _safe(uses):
    """An array that is written is touched at one place only in each iteration, and at another one in every iteration."""
    if not any(written for _, written, _ in uses):
        return True
    first = uses[0][0]
    return all(texts == first and moves for texts, _, moves in uses)
