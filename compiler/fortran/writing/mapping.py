"""nodes, template, distribute, align, shadow: variables where the directives stand, and the internal procedure that creates the
objects when the program starts. A global array becomes an allocatable one whose descriptor shows this node's block under
its global
subscripts, so that the program's own `u(i, j)` stays as it is."""

from ...plan import mapping as plan
from ...semantics.model import Symbol
from ..reading.lexer import words_of
from .context import indices, quoted

_ELEMENTS = ("integer", "real", "complex", "logical")
_KEPT = ("save", "target", "dimension")  # attributes that a global array may have


def declare(context, position, directive):
    """Hands a declarative directive to the model, after the checks of what Fortran has not yet."""
    if directive.kind in ("distribute",):
        for f in directive.formats:
            if f.kind == "cyclic":
                context.unsupported("cyclic distributions are", f.word, "distribute in blocks")
            elif f.argument == "*":
                context.unsupported("gblock(*) is", f.word, "give the array of sizes")
    if directive.kind == "template":
        for declaration in directive.declarations:
            if any(bound is None for bound in declaration.bounds):
                context.unsupported("templates of deferred shape are", declaration.word, "give the bounds")
    context.model.declare(directive, context.unit, position, lambda name: _symbol(context, name))


def _symbol(context, name):
    variable = context.declarations.variables.get(name)
    if variable is None:
        return None
    symbol = Symbol()
    symbol.name, symbol.word, symbol.rank, symbol.scope = name, variable.word, len(variable.bounds), context.unit
    symbol.key, symbol.declaration = name, variable
    symbol.used = symbol.used_position = None
    symbol.initialised = variable.initial
    return symbol


# ---- declarations of global arrays ----


def check_array(context, array):
    """Checks that the array's declaration is one that can be distributed; one without bounds has failed."""
    variable = array.symbol.declaration
    if variable.base not in _ELEMENTS:
        context.unsupported(f"global arrays of type {variable.type} are", variable.word)
    elif array.rank == 0:
        context.error("XMP-E122", f"'{array.name}' is not an array", variable.word, [("it is aligned here", array.align.array)])
    elif any(upper is None for _, upper in variable.bounds):
        array.failed = True
        context.unsupported(
            "allocatable and assumed-shape global arrays are", variable.word, "declare the array with its bounds"
        )
    else:
        for words in variable.attributes:
            if words[0].text not in _KEPT:
                context.unsupported(f"the attribute '{words[0].text}' of a global array is", words[0])
        if array.name in context.declarations.others:
            first, word = context.declarations.others[array.name]
            context.unsupported(f"a {first} statement for a global array is", word)
        for pair in variable.bounds:
            for text in pair:
                check_constant(context, text, variable.word)


def check_constant(context, text, word):
    """What the directives say is evaluated when the program starts: variables have no values then."""
    from ..reading.lines import Statement

    statement = Statement(False)
    for character in text:
        statement.add(character, 0, 0)
    statement.finish()
    for part in words_of(statement, context.file.source):
        variable = context.declarations.variables.get(part.text) if part.kind == "identifier" else None
        if variable is not None and not variable.has("parameter") and variable.initial is None:
            context.unsupported(
                f"'{part.text}', whose value is set while the program runs, in a declaration is", word, "declare it "
                "as a parameter",
                [(f"'{part.text}' is declared here", variable.word)],
            )  # fmt: skip


def rewrite_declarations(context):
    """Type declarations of global arrays: the others of the statement stay, the arrays become allocatable."""
    arrays = {array.name: array for array in context.model.arrays if array.dimensions is not None}
    done = set()
    for array in arrays.values():
        item = array.symbol.declaration.item
        if item in done:
            continue
        done.add(item)
        context.edits.statement(item.statement, _declaration(context, item, arrays))


def _declaration(context, item, arrays):
    declared = [v for v in context.declarations.variables.values() if v.item is item]
    texts, text = [], item.statement.text
    others = [v for v in declared if v.name not in arrays]
    if others:
        entities = ", ".join(text[v.entity[0].start : v.entity[-1].end] for v in others)
        attributes = "".join(", " + text[a[0].start : a[-1].end] for a in _written(others[0]))
        texts.append(f"{_type_text(item)}{attributes} :: {entities}")
    kept = [v for v in declared if v.name in arrays]
    attributes = "".join(", " + text[a[0].start : a[-1].end] for a in _written(kept[0]) if a[0].text not in ("dimension",))
    if not kept[0].has("save") and not context.declarations.saved:
        attributes += (
            ", save"  # else the internal procedure makes it part of a frame, where gfortran does not vectorise its uses
        )
    names = ", ".join(f"{text[v.word.start : v.word.end]}({', '.join(':' * len(v.bounds))})" for v in kept)
    texts.append(f"{kept[0].type}{attributes}, allocatable :: {names}")
    return "; ".join(texts)


def _written(variable):
    """The attributes in the type declaration itself, not those of statements about the variable."""
    return [
        a
        for a in variable.attributes
        if any(word is w for word in a[:1] for w in variable.item.words) and a[0].text not in "[("
    ]


def _type_text(item):
    from ..reading.declarations import read

    return read(item)[0].type if len(read(item)) == 1 else _common_type(item)


def _common_type(item):
    """Type as it stands before the names, without a length that one name has of its own (`character a*3`)."""
    from ..reading.declarations import type_end

    words, at = item.words, 1
    if words[0].text == "double":
        at = 2
    at = type_end(words, at)
    return item.statement.text[words[0].start : words[at - 1].end]


# ---- the lines of the directives ----


def objects(context, steps):
    """The variables of what is declared."""
    entities = [step.entity for step in steps if isinstance(step, (plan.Nodes, plan.Template))]
    return [context.object(entity) for entity in entities + [step.array for step in steps if isinstance(step, plan.Array)]]


def declaration(names):
    return f"type(xmp_object) :: {', '.join(names)}"


# ---- the declaring procedure ----


def declaring_procedure(context, name, steps):
    """Lines of the internal procedure. steps: those of plan.mapping, in order."""
    body = [line for step in steps for line in _CALLS[type(step)](context, context.site(step.place), step)]
    interfaces = [line for step in steps if isinstance(step, plan.Array) for line in _interface(step.array)]
    sites = [
        f"{context.site_array}({n}) = XMP_Site({quoted(f)}, {line}, {quoted(text)})"
        for n, (f, line, text) in enumerate(context.sites, 1)
    ]
    lines = [f"subroutine {name}()  ! starts the runtime and creates what the directives declare"]
    if interfaces:
        lines += ["  interface", *("    " + line for line in interfaces), "  end interface"]
    lines += ["  " + line for line in ("call XMP_Start(XMP_ABI_VERSION)", *sites, *body)]
    return ["  " + line for line in (*lines, "end subroutine")]


def _nodes(context, site, step):
    entity = step.entity
    for size in entity.sizes:
        check_constant(context, size or "", entity.word)
    sizes = indices(*("XMP_REMAINING" if size is None else size for size in entity.sizes))
    of = ""
    if entity.of == "*":
        of = ", of=XMP_NODES_EXECUTING"
    elif entity.of is not None:
        of = f", part={context.on(entity.of)}"
    return [f"{context.object(entity)} = XMP_Nodes_declare({site}, {quoted(entity.name)}, {sizes}{of})"]


def _template(context, site, step):
    entity = step.entity
    pairs = [text for pair in entity.bounds or () for text in pair]
    for text in pairs:
        check_constant(context, text, entity.word)
    return [f"{context.object(entity)} = XMP_Template_declare({site}, {quoted(entity.name)}, {indices(*pairs)})"]


def _distribute(context, site, step):
    entity = step.template
    formats = ", ".join(_format(context, f) for f in entity.formats)
    return [f"call XMP_Distribute({site}, {context.object(entity)}, {context.object(entity.nodes)}, [{formats}])"]


def _format(context, f):
    if f.kind == "*":
        return "XMP_FORMAT_NONE"
    check_constant(context, f.size or "", f.word)
    if f.kind == "gblock":
        known = context.declarations.type_of(f.size) if f.size.isidentifier() else None
        if known is not None and (known[0] != "integer" or len(known[2]) != 1):
            context.error("XMP-E127", f"gblock needs a one-dimensional array of integers; '{f.size}' is none", f.word)
        return f"XMP_Format_gblock({f.node_dimension}, {indices(f.size)})"
    size = "" if f.size is None else f", int({f.size}, XMP_INDEX)"
    return f"XMP_Format_block({f.node_dimension}{size})"


def _array(context, site, step):
    array, variable = step.array, step.array.symbol.declaration
    name, object_ = array.name, context.object(array)
    bounds = indices(*(text for pair in variable.bounds for text in pair))
    align = ", ".join(f"XMP_Align({-1 if d.onto is None else d.onto}, {d.offset})" for d in array.dimensions)
    shadow = f", [{', '.join(_width(w) for w in array.shadow)}]" if array.shadow else ""
    for dimension in array.dimensions:
        check_constant(context, dimension.offset, array.align.array)
    for width in array.shadow or ():
        check_constant(context, f"{width.lower} {width.upper}", width.word)
    return [
        f"{object_} = XMP_Array_declare({site}, {quoted(name)}, XMP_Type({quoted(variable.base)}, "
        f"kind({name})), "
        f"storage_size({name}) / 8, {bounds}, {context.object(array.template)}, [{align}]{shadow})",
        f"call {_attach(array)}({name}, {object_})",
    ]


def _width(width):
    return "XMP_Width(0, 0, XMP_WIDTH_FULL)" if width.full else f"XMP_Width({width.lower}, {width.upper}, XMP_WIDTH_PLAIN)"


def _attach(array):
    return f"xmp_attach_{array.name}"


def _interface(array):
    variable = array.symbol.declaration
    target = ", target" if variable.has("target") else ""
    return [
        f'subroutine {_attach(array)}(array, descriptor) bind(c, name="XMP_Fortran_attach")',
        "  import",
        f"  {variable.type}, allocatable{target}, intent(inout) :: array({', '.join(':' * array.rank)})",
        "  type(xmp_object), value :: descriptor",
        "end subroutine",
    ]


_CALLS = {plan.Nodes: _nodes, plan.Template: _template, plan.Distribute: _distribute, plan.Array: _array}
