"""A global array's name without subscripts: it means this node's block, but sizeof means the whole array. Together they write
past the block's end."""

from ..reading import syntax, types
from ..reading.places import Place
from ..writing.references import Reference, in_sizeof
from .tree import called, global_references

# Functions of the system that a global array's name may be given to: ours, and MPI's (its counts are the program's own).
_KNOWING = ("xmp", "XMP", "MPI_", "PMPI_")


def whole_arrays(context):
    for identifier in _sized(context):
        _sizeof(context, identifier)
    for reference in global_references(context):
        if not reference.subscripts and not reference.array.symbol.declaration.kind == "parameter":
            _given(context, reference)


def _sized(context):
    for uses in context.uses.values():
        for identifier in uses:
            array = context.array_of(identifier)
            if array is None or array.dimensions is None:
                break
            if in_sizeof(identifier) and not Reference(identifier, array).subscripts and not _dereferenced(identifier):
                yield identifier


def _dereferenced(identifier):
    """`sizeof *u`: an element, or a row."""
    node = identifier.parent
    while isinstance(node, syntax.Parenthesized):
        node = node.parent
    return isinstance(node, syntax.Unary) and node.operator == "*"


def _sizeof(context, identifier):
    name = identifier.name
    size = next(ancestor for ancestor in identifier.ancestors() if isinstance(ancestor, syntax.SizeOf))
    if _counts_elements(size):
        return
    context.error(
        "XMP-E147",
        f"sizeof '{name}' is the size of the whole global array; a node stores only its block",
        Place(size.token, size.text()),
        [("the array is aligned here", context.array_of(identifier).align.array)],
        f"xmp_array_lsize(xmp_desc_of({name}), dim, &size) gives a length of the block; count elements with the array's bounds",
    )


def _counts_elements(size):
    """`sizeof u / sizeof u[0]`: the number of elements is that of the whole array on every node."""
    node = size
    while isinstance(node.parent, syntax.Parenthesized):
        node = node.parent
    parent = node.parent
    if not (isinstance(parent, syntax.Binary) and parent.operator == "/" and parent.left is node):
        return False
    return isinstance(syntax.bare(parent.right), syntax.SizeOf)


def _given(context, reference):
    """Warns where the name is the argument of a function that cannot know of the distribution."""
    node = reference.identifier
    while isinstance(node.parent, (syntax.Parenthesized, syntax.Cast)) or _is_address(node.parent):
        node = node.parent
    call = node.parent
    if not isinstance(call, syntax.Call) or node is call.function or not _ignorant(context, call, call.arguments.index(node)):
        return
    name, function = reference.array.name, called(call)
    message = f"'{function}' gets this node's block of '{name}', not the whole global array"
    notes = [("the array is aligned here", reference.array.align.array)]
    help = f"if the block is meant, say so: xmp_array_laddr(xmp_desc_of({name}), (void **)&block)"
    context.diagnostics.warning("XMP-W148", message, Place(reference.identifier.token), notes, help)


def _is_address(node):
    return isinstance(node, syntax.Unary) and node.operator == "&"


def _ignorant(context, call, number):
    """Whether the function is one of the system's, or one of this file whose parameter is not aligned."""
    name = called(call)
    declarator = call.function.declaration if name else None
    if declarator is None or name.startswith(_KNOWING) or name == "free":
        return False
    if declarator.system:
        return True
    definition = context.definitions.get(context.key(declarator))
    if definition is None:
        return False
    parameters = definition.declarator.type.parameters or ()
    if number >= len(parameters):
        return False
    parameter = parameters[number]
    is_memory = isinstance(types.resolve(parameter.type), (types.Pointer, types.Array))
    key = context.key(parameter)
    return is_memory and context.model.array(key) is None and context.coarrays.get(key) is None
