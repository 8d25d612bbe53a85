"""What the lowering asks of expressions and their texts: where an lvalue lies, whether a value is used, what a macro's argument
may be."""

from ...directives.parser import shortened
from ..reading import syntax, types
from .elements import is_floating, is_integer, is_unsigned, type_code
from .texts import quoted


def parts(expression):
    """An lvalue and what it is a part of, from the outside inwards, until a pointer is followed."""
    node = expression
    while True:
        yield node
        if isinstance(node, syntax.Parenthesized):
            node = node.operand
        elif isinstance(node, (syntax.Subscript, syntax.Section, syntax.CoarrayReference)) or _is_dotted(node):
            node = node.base
        else:
            return


def _is_dotted(node):
    return isinstance(node, syntax.Member) and not node.arrow


def root_of(expression):
    """(the expression that an lvalue is a part of, whether no pointer is followed on the way)."""
    reachable = True
    while True:
        *chain, last = parts(expression)
        indexed = (part for part in chain if isinstance(part, (syntax.Subscript, syntax.Section)))
        reachable = reachable and all(isinstance(types.resolve(part.base.type), types.Array) for part in indexed)
        if isinstance(last, syntax.Member):
            reachable, expression = False, last.base
        elif isinstance(last, syntax.Unary) and last.operator == "*":
            reachable, expression = False, last.operand
        else:
            return last, reachable


def pointers_followed(expression):
    """An lvalue and what it is a part of, from the outside inwards; with each how many pointers have been followed so far."""
    node, followed = expression, 0
    while True:
        yield node, followed
        if isinstance(node, syntax.Parenthesized) or isinstance(node, syntax.Unary) and node.operator == "*":
            follows, inner = isinstance(node, syntax.Unary), node.operand
        elif isinstance(node, (syntax.Subscript, syntax.Section, syntax.CoarrayReference, syntax.Member)):
            follows, inner = not isinstance(node, syntax.CoarrayReference) and not _is_dotted(node), node.base
        else:
            return
        followed += follows and not isinstance(types.resolve(inner.type), types.Array)
        node = inner


def reference_in(expression):
    """The CoarrayReference by which the lvalue itself, not one of its subscripts, is on another image, or None."""
    return next((part for part in parts(expression) if isinstance(part, syntax.CoarrayReference)), None)


def converts(target, value, operator):
    """Whether `target op= (target)value` is `target op= value`: what the runtime does. (Floating values are rounded to the
    target's type first.)"""
    if "XMP_TYPE_OTHER" in (type_code(target), type_code(value)) or type_code(target) == "XMP_TYPE_BOOL":
        return False
    if is_floating(target):
        return types.is_complex(target) or not types.is_complex(value)
    if is_floating(value):
        return False
    if operator != "/=":
        return True
    narrower = (types.size_of(value) or 9) < (types.size_of(target) or 0) and (is_unsigned(value) or not is_unsigned(target))
    return narrower or type_code(target) == type_code(value)


def is_countable(node):
    """Whether processors and networks add to it atomically."""
    return is_integer(node.type) and types.size_of(node.type) in (4, 8)


def value_unused(node):
    """Whether an expression stands where its value is dropped."""
    parent = node.parent
    while isinstance(parent, syntax.Parenthesized):
        node, parent = parent, parent.parent
    if isinstance(parent, syntax.ExpressionStatement):
        return not isinstance(parent.parent, syntax.Compound) or not isinstance(
            parent.parent.parent, syntax.StatementExpression
        )
    if isinstance(parent, syntax.For):
        return node is parent.init or node is parent.step
    if isinstance(parent, syntax.Comma):
        return node is parent.left or value_unused(parent)
    if isinstance(parent, syntax.Cast):
        return isinstance(types.resolve(parent.type), types.Basic) and types.resolve(parent.type).name == "void"
    return False


def quoted_text(context, node):
    """A node's text as a string literal for messages."""
    return quoted(shortened(node.text()))


def bare_comma(node):
    """Whether the text has a comma that the preprocessor takes for the end of a macro's argument."""
    return _bare_comma(token.text for token in node.tokens[node.first : node.last + 1])


def _bare_comma(words):
    depth = 0
    for word in words:
        depth += {"(": 1, ")": -1}.get(word, 0)
        if word == "," and depth == 0:
            return True
    return False


def argument(text):
    """A text as one argument of a macro."""
    return f"({text})" if _bare_comma(text) else text
