"""nodes, template, distribute, template_fix, and the arrays that align and shadow describe: the calls that create them."""

from ...directives.words import plus
from ...plan.mapping import Distribute, Nodes, Template, TemplateFix
from .elements import shape, type_code, type_text
from .texts import object_name, on_text


def order_text(entity):
    return "XMP_ROW_MAJOR" if entity.row_major else "XMP_COLUMN_MAJOR"


def call(context, step):
    """The call for a Step of plan.mapping."""
    return _CALLS[type(step)](context, context.site_of(step.directive), step)


def _nodes(context, site, step):
    entity = step.entity
    sizes = ", ".join("XMP_REMAINING" if size is None else size for size in entity.sizes)
    of, part = "XMP_NODES_ENTIRE", "NULL"
    if entity.of == "*":
        of = "XMP_NODES_EXECUTING"
    elif entity.of is not None:
        of, part = "XMP_NODES_PART", on_text(entity.of)
    return (
        f'XMP_Nodes_declare({site}, "{entity.name}", {order_text(entity)}, {entity.rank}, '
        f"(const XMP_Index[]){{{sizes}}}, {of}, {part})"
    )


def _template(context, site, step):
    entity = step.entity
    return f'XMP_Template_declare({site}, "{entity.name}", {order_text(entity)}, {entity.rank}, {bounds_text(entity.bounds)})'


def bounds_text(bounds):
    if bounds is None:
        return "NULL"
    return "(const XMP_Bounds[]){" + ", ".join(f"{{{low}, {high}}}" for low, high in bounds) + "}"


def _distribute(context, site, step):
    template = step.template
    formats = _formats(context, step, template, template.formats)
    return f"XMP_Distribute({site}, {object_name(template)}, {object_name(template.nodes)}, {formats})"


def _template_fix(context, site, step):
    formats = "NULL" if step.formats is None else _formats(context, step, step.template, step.formats)
    return f"XMP_Template_fix({site}, {object_name(step.template)}, {bounds_text(step.bounds)}, {formats})"


def _formats(context, step, template, formats):
    texts = []
    for f in formats:
        if f.kind == "*":
            texts.append("XMP_FORMAT_NONE")
        elif f.kind == "gblock":
            entries, array = ("0", "NULL") if f.size == "*" else (_entries(context, step, template, f), f.size)
            texts.append(f"XMP_FORMAT_GBLOCK({f.node_dimension}, {entries}, {array})")
        else:
            size = "0" if f.size is None else f.size if f.size.isdigit() else f"XMP_Size({f.size})"
            texts.append(f"XMP_FORMAT_{f.kind.upper()}({f.node_dimension}, {size})")
    return "(const XMP_Format[]){" + ", ".join(texts) + "}"


def _entries(context, step, template, f):
    """The number of entries of a gblock's array, as text; checks that it is an int array."""
    scope, position = context.scope(step.place)
    declared = template.nodes.sizes[f.node_dimension]
    declarator = scope.lookup(f.size, position) if f.size.isidentifier() else None
    if declarator is None:
        if f.size.isidentifier():
            context.error("XMP-E119", f"the array '{f.size}' is not declared", f.word)
        return declared if declared is not None else "0"
    element, sizes, pointer = shape(declarator.type)
    if type_code(element) != "XMP_TYPE_INT" or len(sizes) != 1:
        message = f"gblock needs a one-dimensional array of int; '{f.size}' is {type_text(declarator.type, f.size)}"
        context.error("XMP-E127", message, f.word, [("it is declared here", declarator.word)])
        return "0"
    if pointer or sizes[0] is None or declarator.kind == "parameter":
        return declared if declared is not None else "xmp_num_nodes()"
    return f"(XMP_Index)(sizeof({f.size}) / sizeof(int))"


# ---- arrays ----


def array_arguments(context, array):
    """Everything that XMP_Array_declare, _argument and _expect take after the site."""
    element, sizes, _ = shape(array.symbol.declaration.type)
    bounds = array_bounds(context, array)
    element_text = type_text(element)
    align = ", ".join(f"{{{-1 if d.onto is None else d.onto}, {d.offset}}}" for d in array.dimensions)
    shadow = "NULL"
    if array.shadow:
        shadow = "(const XMP_Width[]){" + ", ".join(_width(w) for w in array.shadow) + "}"
    return (
        f'"{array.name}", XMP_ROW_MAJOR, {type_code(element)}, sizeof({element_text}), {array.rank}, {bounds}, '
        f"{object_name(array.template)}, (const XMP_Align[]){{{align}}}, {shadow}"
    )


def array_bounds(context, array):
    """NULL for pointers (the first extent is not known before xmp_malloc). A parameter's first extent may be open."""
    _, sizes, pointer = shape(array.symbol.declaration.type)
    parameter = array.symbol.declaration.kind == "parameter"
    if not parameter and (pointer or any(size is None for size in sizes)):
        return "NULL"
    at_file_scope = array.symbol.scope.kind == "file"
    spelling = context.lasting_spelling if at_file_scope else context.written
    return bounds_text([("0", "XMP_OPEN" if size is None else plus(spelling(size), -1)) for size in sizes])


def _width(width):
    if width.full:
        return "{0, 0, XMP_WIDTH_FULL}"
    return f"{{{width.lower}, {width.upper}, XMP_WIDTH_PLAIN}}"


_CALLS = {Nodes: _nodes, Template: _template, Distribute: _distribute, TemplateFix: _template_fix}
