"""nodes, template, distribute, align, shadow, template_fix: the calls that create what they declare."""

from ...directives.words import integer, plus
from ...semantics.entities import TemplateEntity
from .elements import shape, type_code, type_text
from .texts import object_name, on_text


def order_text(entity):
    return "XMP_ROW_MAJOR" if entity.row_major else "XMP_COLUMN_MAJOR"


def nodes_call(context, entity, directive):
    sizes = ", ".join("XMP_REMAINING" if size is None else size for size in entity.sizes)
    of, part = "XMP_NODES_ENTIRE", "NULL"
    if entity.of == "*":
        of = "XMP_NODES_EXECUTING"
    elif entity.of is not None:
        of, part = "XMP_NODES_PART", on_text(entity.of)
    return (
        f'XMP_Nodes_declare({context.site_of(directive)}, "{entity.name}", {order_text(entity)}, {entity.rank}, '
        f"(const XMP_Index[]){{{sizes}}}, {of}, {part})"
    )


def template_call(context, entity, directive):
    return (
        f'XMP_Template_declare({context.site_of(directive)}, "{entity.name}", {order_text(entity)}, {entity.rank}, '
        f"{bounds_text(entity.bounds)})"
    )


def bounds_text(bounds):
    if bounds is None:
        return "NULL"
    return "(const XMP_Bounds[]){" + ", ".join(f"{{{low}, {high}}}" for low, high in bounds) + "}"


def distribute_call(context, entity, directive, scope, position):
    formats = formats_text(entity.formats, gblock_entries(context, scope, position, entity.nodes))
    return f"XMP_Distribute({context.site_of(directive)}, {object_name(entity)}, {object_name(entity.nodes)}, {formats})"


def formats_text(formats, sizes_of):
    """sizes_of(name): the number of entries of a gblock array, as text."""
    texts = []
    for f in formats:
        if f.kind == "*":
            texts.append("XMP_FORMAT_NONE")
        elif f.kind == "gblock":
            entries, array = ("0", "NULL") if f.size == "*" else (sizes_of(f), f.size)
            texts.append(f"XMP_FORMAT_GBLOCK({f.node_dimension}, {entries}, {array})")
        else:
            texts.append(f"XMP_FORMAT_{f.kind.upper()}({f.node_dimension}, {f.size or '0'})")
    return "(const XMP_Format[]){" + ", ".join(texts) + "}"


def gblock_entries(context, scope, position, nodes):
    """A function from a gblock FormatEntity to the number of entries of its array; checks that it is an int array."""

    def entries(f):
        declarator = scope.lookup(f.size, position) if f.size.isidentifier() else None
        if declarator is None:
            if f.size.isidentifier():
                context.error("XMP-E119", f"the array '{f.size}' is not declared", f.word)
            size = nodes.sizes[f.node_dimension]
            return size if size is not None else "0"
        element, sizes, pointer = shape(declarator.type)
        if type_code(element) != "XMP_TYPE_INT" or len(sizes) != 1:
            context.error(
                "XMP-E127",
                f"gblock needs a one-dimensional array of int; '{f.size}' is {type_text(declarator.type, f.size)}",
                f.word,
                [("it is declared here", declarator.word)],
            )
        if pointer or sizes[0] is None or declarator.kind == "parameter":
            size = nodes.sizes[f.node_dimension]
            return size if size is not None else "xmp_num_nodes()"
        return f"sizeof({f.size}) / sizeof(int)"

    return entries


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


# ---- template_fix ----


def template_fix(context, directive, scope, position):
    """The statement for a template_fix directive."""
    model = context.model
    template = model.named(directive.template, scope, position, TemplateEntity)
    if template is None:
        return ""
    if template.bounds is not None and not any(f.size == "*" for f in template.formats or ()):
        context.error(
            "XMP-E126",
            f"the template '{template.name}' is not deferred; its shape is fixed by its declaration",
            directive.template,
            [("it is declared here", template.word)],
            f"declare it as {template.name}[:]",
        )
    if template.nodes is None:
        return ""  # the model has said that it is not distributed
    bounds = formats = "NULL"
    if directive.bounds is not None:
        if len(directive.bounds) != template.rank:
            model.wrong_rank(template, len(directive.bounds), directive.template, "bounds")
            return ""
        from ...semantics.model import in_order

        bounds = bounds_text(in_order(model.bounds(directive.bounds, directive.bracket), directive.bracket, template.bracket))
    if directive.formats is not None:
        entities = model.formats(directive.formats, directive.bracket, template, template.nodes, directive.template)
        if entities is None:
            return ""
        for given, declared in zip(entities, template.formats):
            same = (
                given.size == declared.size
                or declared.size == "*"
                or integer(given.size or "1") == integer(declared.size or "1")
            )
            if given.kind != declared.kind or not same:
                context.error(
                    "XMP-E128",
                    f"template_fix gives another format than distribute for '{template.name}'",
                    given.word,
                    [("the distribution is here", declared.word)],
                    "only the array of gblock may differ",
                )
        formats = formats_text(entities, gblock_entries(context, scope, position, template.nodes))
    return f"XMP_Template_fix({context.site_of(directive)}, {object_name(template)}, {bounds}, {formats});"
