"""First pass over the tree: reads every directive, fills the model, and finds what declares and uses each array."""

from copy import copy

from ...directives import tree
from ...directives.parser import DirectiveError, parse
from ...directives.words import integer
from ...semantics.entities import NodesEntity
from ...semantics.model import Symbol
from ..reading import syntax, types
from ..reading.coarrays import container_member
from ..reading.names import undeclared
from ..reading.places import Place
from .elements import shape
from .texts import object_name


def collect(context):
    context.model.array_names = _array_names
    context.model.constant = _constant
    context.members.separate()
    _declarators(context)
    for directive in context.unit.directives:
        if directive.language == "xmp":
            _read(context, directive)
    context.model.finish()
    _check_descriptor_names(context)


def _check_descriptor_names(context):
    """The user's own `a_xmp` beside a global array `a`, whose descriptor has that name, in all files of the program."""
    of_entity = {object_name(entity): entity for entity in context.model.order}
    for node in context.unit.walk():
        if type(node) is syntax.Declarator and node.name in of_entity:
            entity = of_entity[node.name]
            message = f"'{node.name}' is the name of the descriptor of the {entity.what} '{entity.name}'"
            notes = [(f"'{entity.name}' is declared here", entity.word)]
            context.error("XMP-E138", message, node.word, notes, "give one of them another name")


def _declared_coarray(context, declarator):
    """What a declarator with codimensions declares."""
    if syntax.DEFERRED in declarator.codimensions:
        context.coarrays.declare_pointer(context.key(declarator), declarator)
    else:
        _coarray(context, declarator, _sizes(context, declarator))


def _coarray(context, declarator, codimensions, word=None):
    function = next((a.declarator.name for a in declarator.ancestors() if isinstance(a, syntax.FunctionDefinition)), None)
    context.coarrays.declare(context.key(declarator), declarator, codimensions, function, word)


def _sizes(context, declarator):
    return [None if size is None else context.lasting_spelling(size) for size in declarator.codimensions]


def _declarators(context):
    """Canonical declarators, uses and functions. A name's declarations in one scope are one object."""
    for node in context.unit.walk():
        kind = type(node)
        if kind is syntax.Declarator:
            if node.previous is not None:
                context.canonical[node] = context.key(node.previous)
            if node.codimensions is not None:
                _declared_coarray(context, node)
            _check_container(context, node)
        elif kind is syntax.Identifier and node.declaration is not None:
            key = context.key(node.declaration)
            context.uses.setdefault(key, []).append(node)
            if isinstance(node.parent, syntax.Unary) and node.parent.operator == "&":
                context.addressed.add(key)
    for members in context.members.separated.values():
        context.canonical.update((member, context.key(member.previous)) for member in members if member.previous is not None)
    functions = [item for item in context.unit.items if isinstance(item, syntax.FunctionDefinition)]
    for function in functions:
        for parameter in function.declarator.type.parameters or ():
            if parameter.codimensions is not None:
                _declared_coarray(context, parameter)
    context.definitions = {context.key(function.declarator): function for function in functions}


def _check_container(context, declarator):
    """What may not be a structure with coarray pointers (COA-29)."""
    function = declarator.kind == "function"
    member = container_member(declarator.type.result if function else declarator.type)
    if member is None:
        return
    message, help = None, None
    automatic = declarator.kind == "variable" and declarator.scope.kind != "file"
    if function:
        message, help = f"the function '{declarator.name}' returns a structure with a coarray pointer", "pass a pointer to it"
    elif declarator.codimensions is not None:
        message = f"'{declarator.name}' is a coarray and has a coarray pointer"
        help = "leave out one of the codimensions"
    elif automatic and declarator.storage not in ("static", "extern"):
        message = f"'{declarator.name}' has a coarray pointer and is automatic: its coarray would outlive it"
        help = "declare it static, or outside the function"
    if message:
        context.error("XMP-E203", message, declarator.word, [("the coarray pointer is declared here", member.word)], help)


def _read(context, directive):
    context.at = directive
    words = directive.tokens[directive.first + 1 : directive.last]
    try:
        parsed = parse(words, "C", Place(directive.token))
    except DirectiveError as error:
        context.diagnostics.error(error.code, error.message, error.word, error.notes, error.help)
        context.model.doubt(words)
        context.parsed[directive.first] = []
        return
    parsed = [one for whole in parsed for one in _of_members(context, whole)]
    context.parsed[directive.first] = parsed
    text = context.written_directive(directive)
    for one in parsed:
        one.text = text
    if isinstance(directive.parent, syntax.Declaration):
        _misplaced(context, directive, words[0], f"the directive '{words[0].text}' stands inside a structure")
        return
    for one in parsed:
        if not one.executable:
            if directive.scope.kind == "prototype":
                continue
            if isinstance(one, tree.Coarray):
                _coarray_directive(context, directive, one)
                continue
            context.model.declare(one, directive.scope, directive.first, _finder(context, directive))
        elif directive.scope.kind == "file":
            _misplaced(context, directive, one.word, f"the directive '{one.kind}' stands outside every function")
            return
        elif isinstance(one, tree.TemplateFix):
            _note_fix(context, directive, one)
    if not _declared(context, directive, parsed) and parsed[0].executable:
        context.parsed[directive.first] = []


def _of_members(context, one):
    """align and shadow of `s.a`: one for the member of each variable of that structure (MAP-18)."""
    if not isinstance(one, (tree.Align, tree.Shadow)) or "." not in one.array.text:
        return [one]
    name, member = one.array.text.split(".")
    variables = context.members.names(name, member)
    if not variables:
        context.error("XMP-E119", f"no structure '{name}' with a member '{member}' has a variable at file scope", one.array)
    made = []
    for variable in variables:
        made.append(copy(one))
        made[-1].array = copy(one.array)
        made[-1].array.text = variable
    return made


def _declared(context, directive, parsed):
    """Whether all names in the directive's expressions are declared; each one that is not is told."""
    unknown = [found for one in parsed for found in undeclared(directive, one)]
    for word, help in unknown:
        context.error("XMP-E180", f"the variable '{word.text}' is not declared", word, (), help)
    return not unknown


def _constant(text, scope):
    """The value of a literal or an enumerator, or None."""
    if not text.isidentifier():
        return integer(text)
    found = scope.lookup(text)
    return found.value if found is not None and found.kind == "enumerator" else None


def _array_names(scope, position):
    """The names of arrays and pointers that are visible at a place."""
    visible = ((name, found) for name, found in scope.visible(position) if found.kind in ("variable", "parameter"))
    return [name for name, found in visible if shape(found.type)[1]]


def _misplaced(context, directive, word, message):
    """An error, after which the directive is none."""
    context.error("XMP-E105", message, word)
    context.parsed[directive.first] = []


def _coarray_directive(context, directive, one):
    """`coarray a:[*]` of specification 1.0 declares; `coarray on p :: a` pins what is declared."""
    for number, name in enumerate(one.names):
        declarator = directive.scope.lookup(name.text, directive.first)
        if declarator is None:
            context.error("XMP-E119", f"the variable '{name.text}' is not declared", name)
        elif one.on is None:
            _coarray(context, declarator, [size and size.text for size in one.codimensions[number]], name)
        else:
            _pin(context, directive, one, name, declarator)


def _pin(context, directive, one, name, declarator):
    coarray = context.coarrays.get(context.key(declarator))
    if context.key(declarator) in context.coarrays.pointers:
        message = f"the images of the coarray pointer '{name.text}' are those of the executing nodes"
        context.error("XMP-E213", message, name, [("it is declared here", declarator.word)])
    elif coarray is None:
        context.error("XMP-E200", f"'{name.text}' is no coarray", name, [("it is declared here", declarator.word)])
    elif declarator.scope is not directive.scope:
        context.error(
            "XMP-E213", f"'{name.text}' is declared in another scope", name, [("it is declared here", declarator.word)]
        )
    elif one.on.subscripts:
        context.error("XMP-E213", "the images of a coarray are those of a whole node array", one.on.word)
    elif context.model.named(one.on.word, directive.scope, directive.first, NodesEntity) is not None:
        context.coarrays.pin(coarray, one.on.word, name)


def _note_fix(context, directive, one):
    template = context.model.lookup(one.template.text, directive.scope, directive.first)
    if template is not None and hasattr(template, "fixes"):
        template.fixes.append(one)


def _finder(context, directive):
    def find(name):
        declarator = directive.scope.lookup(name, directive.first)
        if declarator is None or declarator.kind not in ("variable", "parameter"):
            return None
        return _symbol(context, declarator)

    return find


def _symbol(context, declarator):
    key = context.key(declarator)
    symbol = Symbol()
    symbol.name = declarator.name
    symbol.declaration = declarator
    symbol.word = declarator.word
    symbol.rank = len(shape(declarator.type)[1])
    symbol.proposal = _rows_proposal(declarator)
    symbol.scope = declarator.scope
    symbol.key = key
    uses = context.uses.get(key)
    symbol.used = uses[0].token if uses else None
    symbol.used_position = uses[0].first if uses else None
    initialised = declarator.initializer is not None and isinstance(types.resolve(declarator.type), types.Array)
    symbol.initialised = declarator.initializer.token if initialised else None
    return symbol


def _rows_proposal(declarator):
    """How to declare `double **u` as a global array of a rank: its rows lie in one block, and behind no pointers."""
    element, depth = declarator.type, 0
    while isinstance(types.resolve(element), types.Pointer):
        element, depth = types.resolve(element).target, depth + 1
    if not depth:
        return None

    def proposal(rank):
        sizes = "".join(f"[n{number}]" for number in range(2, rank + 1)) if rank > 2 else "[n]"
        return (
            f"declare it as `{types.render(element, f'(*{declarator.name}){sizes}')}`: n columns in each row"
            if rank > 1
            else None
        )

    return proposal
