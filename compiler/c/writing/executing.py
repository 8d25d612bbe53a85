"""Whether the iterations of a loop need an executing set of their own: pushing one costs at every entry of the loop."""

from ..reading import syntax


def needs_set(context, statement):
    """Whether something in the iterations may ask for the executing set: a call of a user's function or an inquiry, or a
    directive other than a loop without reduction."""
    for part in statement.walk():
        if isinstance(part, syntax.Directive) and part.language == "xmp":
            if part.name != "loop":
                return True
        elif isinstance(part, syntax.Call) and not _harmless(context, part.function):
            return True
    return False


def _harmless(context, function):
    """A function that cannot ask for the executing set: of a system header and none of XMP's, or defined in this file."""
    if not isinstance(function, syntax.Identifier):
        return False
    if function.name.startswith(("xmp_", "xmpc_")):
        return function.name in ("xmp_desc_of", "xmp_wtime")
    declarator = function.declaration
    if declarator is None:
        return function.name.startswith("__builtin_")
    return declarator.system or _is_local(context, context.key(declarator))


def _is_local(context, key):
    """Whether a function defined in this file has no XMP construct and calls harmless functions only."""
    if key not in context.local_functions:
        definition = context.definitions.get(key)
        context.local_functions[key] = True  # a call of itself changes nothing
        context.local_functions[key] = definition is not None and not _communicates(context, definition.body)
    return context.local_functions[key]


def _communicates(context, body):
    return any(
        isinstance(part, syntax.Directive)
        and part.language == "xmp"
        or isinstance(part, syntax.Call)
        and not _harmless(context, part.function)
        for part in body.walk()
    )
