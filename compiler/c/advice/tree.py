"""Questions about the tree that the rooms of this directory share."""

from ..reading import syntax
from ..writing.references import Reference, in_sizeof


def global_references(context):
    """The References to aligned arrays of the whole unit, but for those in sizeof."""
    for uses in context.uses.values():
        for identifier in uses:
            array = context.array_of(identifier)
            if array is None:
                break
            if array.dimensions is not None and not array.failed and not in_sizeof(identifier):
                yield Reference(identifier, array)


def called(call):
    """The name of the function that a Call calls, or None."""
    return call.function.name if isinstance(call.function, syntax.Identifier) else None


def constructs_around(context, node):
    """(kind, DirectiveStatement) of the XMP constructs that a node stands in, from the inside out."""
    for ancestor in node.ancestors():
        if isinstance(ancestor, syntax.DirectiveStatement) and ancestor.directive.language == "xmp":
            for one in context.parsed.get(ancestor.directive.first) or ():
                yield one.kind, ancestor


def may_communicate(context, function, seen=()):
    """Whether a function that is called may add values of all nodes up: by directives, coarrays or MPI, or it is defined in
    another file."""
    declarator = getattr(function, "declaration", None)
    if declarator is None or getattr(function, "name", "").startswith("MPI_"):
        return declarator is not None
    if declarator.system or context.key(declarator) in seen:
        return False
    definition = context.definitions.get(context.key(declarator))
    return definition is None or any(
        isinstance(part, (syntax.CoarrayReference, syntax.Directive))
        or isinstance(part, syntax.Call)
        and may_communicate(context, part.function, (*seen, context.key(declarator)))
        for part in definition.body.walk()
    )
