"""First pass over the tree: reads every directive, fills the model, and finds what declares and uses each array."""

from ..c import syntax, types
from ..directives import tree
from ..directives.parser import DirectiveError, parse
from ..semantics.model import Symbol
from .context import Place, shape


def collect(context):
    _declarators(context)
    for directive in context.unit.directives:
        if directive.language == "xmp":
            _read(context, directive)
    context.model.finish()


def _declarators(context):
    """Canonical declarators, uses and functions. A name's declarations in one scope are one object."""
    for node in context.unit.walk():
        kind = type(node)
        if kind is syntax.Declarator:
            if node.previous is not None:
                context.canonical[node] = context.key(node.previous)
        elif kind is syntax.Identifier and node.declaration is not None:
            key = context.key(node.declaration)
            context.uses.setdefault(key, []).append(node)
            if isinstance(node.parent, syntax.Unary) and node.parent.operator == "&":
                context.addressed.add(key)
    functions = [item for item in context.unit.items if isinstance(item, syntax.FunctionDefinition)]
    context.definitions = {context.key(function.declarator): function for function in functions}


def _read(context, directive):
    words = directive.tokens[directive.first + 1 : directive.last]
    try:
        parsed = parse(words, "C", Place(directive.token))
    except DirectiveError as error:
        context.diagnostics.error(error.code, error.message, error.word, (), error.help)
        context.parsed[directive.first] = []
        return
    context.parsed[directive.first] = parsed
    text = context.written_directive(directive)
    for one in parsed:
        one.text = text
    for one in parsed:
        if not one.executable:
            if directive.scope.kind == "prototype":
                continue
            context.model.declare(one, directive.scope, directive.first, _finder(context, directive))
        elif directive.scope.kind == "file":
            context.error("XMP-E105", f"the directive '{one.kind}' stands outside every function", one.word)
        elif isinstance(one, tree.TemplateFix):
            _note_fix(context, directive, one)


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
    symbol.word = declarator.tokens[declarator.name_index]
    symbol.rank = len(shape(declarator.type)[1])
    symbol.scope = declarator.scope
    symbol.key = key
    uses = context.uses.get(key)
    symbol.used = uses[0].token if uses else None
    symbol.used_position = uses[0].first if uses else None
    initialised = declarator.initializer is not None and isinstance(types.resolve(declarator.type), types.Array)
    symbol.initialised = declarator.initializer.token if initialised else None
    return symbol
