"""Coarrays of Fortran are gfortran's. What the directives say about them (specification 5.3, 5.4) goes into image selectors:

    !$xmp coarray on p :: s
    s(i)[k] = 0            ->  s(i)[XMP_Cosubscript_on(site, p_xmp, [k], lcobound(s), ucobound(s), 1)] = 0
    me = this_image(s)     ->  me = XMP_This_image_on(site, p_xmp, lcobound(s), ucobound(s))

The function gives the cosubscripts that the same image has among those that execute the statement."""

from ...semantics.entities import NodesEntity
from ..reading.coindexed import coindexed
from ..reading.lexer import closing, split

# Of C only (5.8.4): they are "equivalent to the lock/unlock statements in Fortran 2008" (decision COA-33).
STATEMENTS = ("lock", "unlock")


def read(context):
    """Variable -> the NodesEntity whose images count for it."""
    local = [(array, alias) for array, aliases in context.aliases.items() for alias in aliases if alias.is_coarray]
    found = {}
    for directive, unit, position, find_symbol in context.model.pins:
        nodes = _nodes(context, directive, unit, position)
        for name in directive.names if directive.on is not None else ():
            symbol = find_symbol(name.text)
            variable = symbol.declaration if symbol is not None else None
            if position >= 0 and not _fits(context, name, unit, variable, found):
                continue
            if nodes is not None and variable is not None:
                found[variable] = nodes
    return {**{alias.variable: array.template.nodes for array, alias in local}, **found}


def _nodes(context, directive, unit, position):
    if directive.on is None:
        context.error("XMP-E213", "codimensions are declared by the language", directive.word, (), "real, save :: a(n)[*]")
        return None
    if directive.on.subscripts:
        context.error("XMP-E213", "the images of a coarray are those of a whole node array", directive.on.word)
        return None
    return context.model.named(directive.on.word, unit, position, NodesEntity)


def _fits(context, name, unit, variable, found):
    """Whether a coarray can be mapped onto a node array here; it is told why not."""
    code, message = "XMP-E213", None
    if variable is None:
        context.undeclared("XMP-E119", "variable", name.text, name, context.scopes.of(unit).names())
        return False
    if not variable.has("codimension"):
        code, message = "XMP-E200", f"'{name.text}' is no coarray"
    elif variable.unit is not unit:
        message = f"'{name.text}' is declared in another scoping unit"
    elif variable in found:
        message = f"'{name.text}' is in two coarray directives"
    if message is not None:
        context.error(code, message, name, [("it is declared here", variable.word)])
    return message is None


def refer_to_statement(context, directive):
    """Tells that a directive of C is a statement here, and which."""
    acquired = getattr(directive, "acquired", None)
    specifiers = [directive.variable.text]
    specifiers += [f"acquired_lock={acquired.text}"] if acquired is not None else []
    specifiers += [f"stat={directive.status.text}"] if directive.status is not None else []
    message = f"the directive '{directive.kind}' is one of C, and a statement in Fortran"
    context.error("XMP-E190", message, directive.word, (), f"write: {directive.kind} ({', '.join(specifiers)})")


def check(context):
    """What must follow an image directive."""
    for position, directives in context.parsed.items():
        if directives and directives[0].kind == "image":
            _check_following(context, position, directives[0])


def _check_following(context, position, directive):
    """5.4: an image directive counts for one statement."""
    following = next((item for item in context.items[position + 1 :] if not item.statement.directive), None)
    words = following.words if following is not None else []
    if "".join(word.text for word in words[:2]).startswith(("syncall", "syncimages")):
        return
    context.error("XMP-E222", "an image directive stands before sync all or sync images", directive.word)


def write(context):
    """Edits of all statements with coarrays of node arrays. Gives those coarrays."""
    pinned = read(context)
    for position, item in enumerate(context.items) if pinned else ():
        if item.statement.directive or item.unit is None:
            continue
        for one in coindexed(item, context.declarations(position)):
            if one.variable in pinned and one.cosubscripts:
                _select(context, position, one, pinned[one.variable])
        for words, variable in _inquiries(context, position):
            if variable in pinned:
                call = _this_image(context, position, words, pinned[variable])
                context.edits.words(item.statement, words[0], words[-1], call)
    return pinned


def _select(context, position, one, nodes):
    item = context.items[position]
    text, words = item.statement.text, item.words
    name = words[one.first].text
    selected = ", ".join(text[part[0].start : part[-1].end] for part in one.cosubscripts)
    asked = f"{_asked(context, position, nodes)}, [{selected}], {_bounds(name)}"
    texts = [f"XMP_Cosubscript_on({asked}, {d + 1})" for d in range(len(one.cosubscripts))]
    context.edits.words(item.statement, one.cosubscripts[0][0], one.cosubscripts[-1][-1], ", ".join(texts))


def _asked(context, position, nodes):
    return f"{context.site_of_code(position, context.items[position])}, {context.object(nodes)}"


def _bounds(name):
    return f"lcobound({name}), ucobound({name})"


def _inquiries(context, position):
    """(words, Variable) of each `this_image(a)` and `this_image(a, dim)` of a statement."""
    words, declarations = context.items[position].words, context.declarations(position)
    for number in range(len(words) - 2):
        if words[number].text == "this_image" and words[number + 1].text == "(" and words[number + 2].kind == "identifier":
            end = closing(words, number + 1)
            variable = declarations.lookup(words[number + 2].text)
            if variable is not None:
                yield words[number : end + 1], variable


def _this_image(context, position, words, nodes):
    arguments = split(words[2:-1])
    text = context.items[position].statement.text
    dim = [text[part[0].start : part[-1].end] for part in arguments[1:] if part]
    bounds = _bounds(arguments[0][-1].text)
    return f"XMP_This_image_on({', '.join([_asked(context, position, nodes), bounds, *dim])})"
