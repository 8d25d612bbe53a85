"""The loop nest of a loop directive: which for statements it distributes and how their variables meet the on clause."""

from ...directives import tree
from ...directives.reader import nearest
from ...semantics.entities import ResolvedSubscript
from ...semantics.iteration import loop_mapping
from ..reading import syntax
from .canonical import NotCanonical, canonical, loop_variable


class Nest:
    """mapping: semantics.LoopMapping; loops: CanonicalLoops from the outermost to the innermost that is distributed;
    by_name: loop variable -> CanonicalLoop; statement: the outermost For."""

    __slots__ = ("mapping", "loops", "statement")


def first_for(statement):
    """The For that a directive's statement is: itself, or behind OpenMP directives and in braces of its own."""
    while statement is not None and not isinstance(statement, syntax.For):
        if isinstance(statement, syntax.DirectiveStatement) and statement.directive.language == "omp":
            statement = statement.statement
        elif isinstance(statement, syntax.Compound):
            statements = [item for item in statement.items if not _empty(item)]
            statement = statements[0] if len(statements) == 1 else None
        else:
            return None
    return statement


def _empty(item):
    return isinstance(item, syntax.ExpressionStatement) and item.expression is None


def find_nest(context, directive, node, reference):
    """The Nest for a loop directive, or None after an error. node: the DirectiveStatement."""
    outer = first_for(node.statement)
    if outer is None:
        context.error("XMP-E160", "a loop directive must be followed by a for statement", directive.word)
        return None
    tight = _tight(outer)
    names = [variable.name for _, variable in tight if variable is not None]
    wanted = [word.text for word in directive.indices] if directive.indices else names
    for word in directive.indices or ():
        if word.text not in names:
            _no_such_loop(context, word, names)
            return None
    _whole_range(reference, set(names) - set(wanted))
    mapping = loop_mapping(reference, wanted)
    used = {index.variable for index in mapping.indices}
    if mapping.general:
        nest = Nest()
        nest.mapping, nest.loops, nest.statement = mapping, [], outer
        return nest
    if not used:
        _not_mentioned(context, directive, names, tight)
        return None
    for word in directive.indices or ():
        if word.text not in used:
            context.error("XMP-E161", f"the loop variable '{word.text}' does not appear in the on clause", word)
            return None
    return _canonical_nest(context, directive, tight, used, mapping, outer)


def _whole_range(reference, unlisted):
    """A loop variable that the index list leaves out stands for all its values."""
    for d, subscript in enumerate(reference.subscripts):
        if subscript.kind == tree.SCALAR and unlisted & set(subscript.source.first.names):
            reference.subscripts[d] = ResolvedSubscript(tree.ALL, source=subscript.source)


def _canonical_nest(context, directive, tight, used, mapping, outer):
    nest = Nest()
    nest.mapping, nest.loops, nest.statement = mapping, [], outer
    for statement, variable in tight:
        if variable is None or variable.name not in used or any(loop.name == variable.name for loop in nest.loops):
            continue
        try:
            nest.loops.append(canonical(statement, context.spelling))
        except NotCanonical as wrong:
            context.error("XMP-E162", wrong.message, wrong.node, [("the loop is distributed here", directive.word)])
            return None
    if not all(_unmodified(context, loop) for loop in nest.loops):
        return None
    return nest


def _tight(outer):
    """[(For, its variable)] of the tightly nested loops."""
    found = []
    while outer is not None:
        found.append((outer, loop_variable(outer)))
        body = outer.body
        outer = None if isinstance(body, syntax.DirectiveStatement) and body.directive.language == "xmp" else first_for(body)
    return found


def _no_such_loop(context, word, names):
    meant = nearest(word.text, names)
    context.error(
        "XMP-E161",
        f"no loop of the nest has the variable '{word.text}'",
        word,
        help=f"did you mean '{meant}'?" if meant else f"the loop variables are {', '.join(names)}" if names else None,
    )


def _not_mentioned(context, directive, names, tight):
    variable = ", ".join(f"'{name}'" for name in names) or "the loop variable"
    context.error(
        "XMP-E161",
        f"the on clause does not mention {variable}",
        directive.on.word,
        [("this loop is to be distributed", _place(tight[0][0]))],
        "write the loop variable as a subscript of the on clause",
    )


def _place(node):
    from .context import Place

    return Place(node.token)


def _unmodified(context, loop):
    for node in loop.node.body.walk():
        target = None
        if isinstance(node, syntax.Assign):
            target = node.target
        elif isinstance(node, (syntax.Unary, syntax.Postfix)) and node.operator in ("++", "--"):
            target = node.operand
        if isinstance(target, syntax.Identifier) and target.declaration is loop.declarator:
            context.error("XMP-E163", f"the body changes the loop variable '{loop.name}'", node)
            return False
    return True
