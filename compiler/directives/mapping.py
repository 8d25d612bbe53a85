"""Directives that declare nodes, templates and mappings (specification 4.1.2, 4.2, 4.3)."""

from ..spelling import did_you_mean
from . import tree
from .words import Expression, negated

FORMATS = ("block", "cyclic", "gblock")


# ---- nodes ----
def nodes(reader, word):
    return tree.Nodes(word, reader.listed(lambda: _nodes_declaration(reader)))


def _nodes_declaration(reader, dimension=None):
    name = reader.name("the name of a node array")
    bracket, sizes = _shape(reader, name, _node_size, dimension)
    of = None
    if reader.accept("="):
        star = reader.accept("*")
        if star:
            of = tree.Reference(star, "**" if reader.accept("*") else "*")
        elif reader.at("**"):
            of = tree.Reference(reader.take(), "**")
        else:
            of = reader.reference("a node array")
    return tree.NodesDeclaration(name, name.text, bracket, sizes, of)


def _node_size(reader):
    if reader.at("*") and reader.peek().text in (",", ")", "]"):
        reader.take()
        return None
    return reader.expression((",", ")", "]"), "a size")


# ---- template ----
def template(reader, word):
    return tree.Template(word, reader.listed(lambda: _template_declaration(reader)))


def _template_declaration(reader, dimension=None):
    name = reader.name("the name of a template")
    bracket, bounds = _shape(reader, name, bound, dimension)
    return tree.TemplateDeclaration(name, name.text, bracket, bounds)


def _shape(reader, name, read, dimension):
    """The bracket and the extents behind a name, or those of the attribute `dimension`, which begins at that position."""
    after = reader.position
    elsewhere = dimension is not None and not reader.at("(", "[")
    if elsewhere:
        reader.position = dimension
    shape = reader.bracketed(lambda b: read(reader), f"and the shape of '{name.text}'")
    if elsewhere:
        reader.position = after
    return shape


def bound(reader):
    """`upper`, `lower:upper`, `:`. One expression alone is (None, it): its meaning depends on the bracket."""
    if reader.at(":"):
        reader.take()
        return None
    first = reader.expression((",", ":", ")", "]"), "a size")
    if reader.accept(":"):
        return (first, reader.expression((",", ":", ")", "]"), "an upper bound"))
    return (None, first)


# ---- distribute, template_fix ----
def distribute(reader, word):
    name = reader.name("the name of a template")
    bracket, formats, onto = _distribution(reader, name.text)
    return tree.Distribute(word, name, bracket, formats, onto)


def _distribution(reader, name):
    bracket, formats = reader.bracketed(lambda b: format(reader), f"and the formats of '{name}'")
    reader.expect("onto", "and the name of a node array")
    return bracket, formats, reader.name("the name of a node array")


def format(reader):
    word = reader.word
    if reader.accept("*"):
        return tree.Format(word, "*")
    kind = reader.key(reader.name("a distribution format"))
    if kind not in FORMATS:
        help = did_you_mean(kind, FORMATS, "the formats are *, block, block(n), cyclic, cyclic(n) and gblock(m)")
        reader.fail(f"unknown distribution format '{word.text}'", word, help, "XMP-E102")
    argument = None
    if reader.accept("("):
        argument = "*" if kind == "gblock" and reader.accept("*") else reader.expression((")",), "a block size")
        reader.expect(")")
    elif kind == "gblock":
        reader.fail("gblock needs the array of block sizes", word, "write gblock(m), or gblock(*) and give m to template_fix")
    return tree.Format(word, kind, argument)


def template_fix(reader, word):
    formats = None
    if reader.at("(", "["):
        formats = reader.bracketed(lambda b: format(reader), "")[1]
    name = reader.name("the name of a template")
    bracket, bounds = None, None
    if reader.at("(", "["):
        bracket, bounds = reader.bracketed(lambda b: bound(reader), "")
        for one in bounds:
            if one is None:
                reader.fail("template_fix needs the sizes", name, "write the bounds of every dimension")
    if formats is None and bounds is None:
        reader.fail("template_fix needs the shape, the distribution formats, or both", name)
    return tree.TemplateFix(word, name, bracket, formats, bounds)


# ---- align ----
def align(reader, word):
    array = reader.array_name("the name of an array")
    attribute = _alignment(reader, f"and the subscripts of '{array.text}'")
    return tree.Align(word, array, *attribute)


def _alignment(reader, after):
    bracket, sources = reader.bracketed(lambda b: _align_source(reader), after)
    reader.expect("with", "and the name of a template")
    template_name = reader.name("the name of a template")
    template_bracket, subscripts = reader.bracketed(
        lambda b: _align_subscript(reader), f"and the subscripts of '{template_name.text}'"
    )
    return bracket, sources, template_name, template_bracket, subscripts


def _align_source(reader):
    word = reader.word
    if reader.accept("*") or reader.accept(":"):
        return tree.AlignSource(word, word.text)
    return tree.AlignSource(word, reader.key(reader.name("an align dummy variable, `*` or `:`")))


def _align_subscript(reader):
    """`*`, `:`, or a dummy variable plus or minus an integer expression, in either order. The semantic model knows the
    dummy variables; here the subscript is the name and the text of the offset."""
    word = reader.word
    if reader.at("*", ":") and reader.peek().text in (",", ")", "]"):
        reader.take()
        return tree.AlignSubscript(word, word.text, "0")
    whole = reader.expression((",", ")", "]"), "an align subscript")
    words = whole.words
    if whole.name:
        return tree.AlignSubscript(word, reader.key(word), "0")
    if words[0].kind == "identifier" and words[1].text in ("+", "-") and len(words) > 2:
        offset = Expression.of(words[2:])
        text = offset.text if words[1].text == "+" else negated(offset.text)
        return tree.AlignSubscript(word, reader.key(words[0]), text, offset)
    if words[-1].kind == "identifier" and words[-2].text == "+" and len(words) > 2:
        offset = Expression.of(words[:-2])
        return tree.AlignSubscript(word, reader.key(words[-1]), offset.text, offset)
    if whole.names:
        reader.fail(
            f"'{whole.text}' is no align subscript", word, "an align subscript is `i`, `i + offset`, `i - offset`, `*` or `:`"
        )
    return tree.AlignSubscript(word, None, whole.text)


# ---- shadow ----
def shadow(reader, word):
    array = reader.array_name("the name of an array")
    bracket, widths = _shadow_widths(reader, f"and the shadow widths of '{array.text}'")
    return tree.Shadow(word, array, bracket, widths)


def _shadow_widths(reader, after):
    return reader.bracketed(lambda b: reader.width(), after)


# ---- the combined form: attribute, attribute :: declaration, declaration ----
ATTRIBUTES = ("nodes", "template", "distribute", "align", "shadow", "dimension", "coarray", "static_desc", "save_desc")


def is_combined(reader):
    """Whether the directive has a `::` outside brackets before anything else that could contain one; also where a bracket in
    front of it is not closed, which the attributes tell."""
    if _has_names_behind_brackets(reader.words):
        return True
    depth, inside = 0, False
    for number, word in enumerate(reader.words):
        if word.text in "([":
            depth += 1
        elif word.text in ")]":
            depth -= 1
        elif depth == 0 and (
            word.text == "::"
            or (word.text == ":" and reader.words[number + 1 : number + 2] and reader.words[number + 1].text == ":")
        ):
            return True
        elif word.text == "::":
            inside = True
    return inside and depth > 0 and reader.key(reader.words[0]) in ATTRIBUTES


def _has_names_behind_brackets(words):
    """`shadow (1) u, v`: the `::` is missing in front of the names, which the attributes tell."""
    opened = len(words) > 3 and words[0].text.lower() in ("align", "shadow") and words[1].text in ("(", "[")
    return opened and words[-1].kind == "identifier" and words[-2].text in (")", "]", ",")


def combined(reader):
    """Returns the directives that the combined one stands for."""
    attributes, seen = [], {}
    while True:
        word = reader.name("an attribute")
        kind = reader.key(word)
        if kind not in ATTRIBUTES:
            reader.fail(f"unknown attribute '{word.text}'", word, did_you_mean(kind, ATTRIBUTES), "XMP-E101")
        if kind in seen:
            reader.fail(f"the attribute '{kind}' is given twice", word, code="XMP-E102")
        seen[kind] = word
        attributes.append((kind, word, _attribute(reader, kind)))
        if not reader.accept(","):
            break
    if reader.accept(":"):  # in C `:` and `:` are two words
        reader.expect(":")
    else:
        reader.expect("::")
    return _entities(reader, attributes, seen)


def _attribute(reader, kind):
    if kind == "distribute":
        return _distribution(reader, "the templates")
    if kind == "align":
        return _alignment(reader, "and the subscripts of the arrays")
    if kind == "shadow":
        return _shadow_widths(reader, "and the shadow widths")
    if kind == "dimension":  # whether it is a shape of nodes or of templates is known after the last attribute
        start = reader.position
        reader.bracketed(lambda b: _node_size(reader) if reader.at("*") else bound(reader), "and the shape")
        return start
    if kind == "coarray":
        reader.expect("on")
        return reader.reference("a node array")
    return None


def _entities(reader, attributes, seen):
    _check_company(reader, seen)
    return [one for made in reader.listed(lambda: _entity(reader, attributes, seen)) for one in made]


def _check_company(reader, seen):
    """Which attributes one name can have (4.1.2, restrictions)."""
    company = (("nodes",), ("template", "distribute"), ("align", "shadow", "coarray"))
    kinds = [next((group for group in company if kind in group), None) for kind in seen]
    first = next((kind for kind, group in zip(seen, kinds) if group), None)
    for kind, group in zip(seen, kinds):
        if group and first not in group:
            reader.fail(f"the attributes '{first}' and '{kind}' do not go together", seen[kind], code="XMP-E102")
    if "dimension" in seen and not ("nodes" in seen or "template" in seen):
        reader.fail("'dimension' goes with 'nodes' or 'template' only", seen["dimension"], code="XMP-E102")


def _entity(reader, attributes, seen):
    """The directives for one name after the `::`."""
    name = reader.word
    dimension = next((value for kind, _, value in attributes if kind == "dimension"), None)
    made = []
    if "nodes" in seen:
        made.append(tree.Nodes(seen["nodes"], [_nodes_declaration(reader, dimension)]))
    elif "template" in seen:
        made.append(tree.Template(seen["template"], [_template_declaration(reader, dimension)]))
    elif "distribute" in seen and reader.peek().text in ("(", "["):  # `distribute(...) onto p :: t(100)` declares t, too
        made.append(tree.Template(seen["distribute"], [_template_declaration(reader)]))
    else:
        name = reader.array_name("the name of an array" if "distribute" not in seen else "the name of a template")
    for kind, word, value in attributes:
        if kind in _OF_ONE_NAME:
            made.append(_OF_ONE_NAME[kind](word, name, value))
    return made


_OF_ONE_NAME = {
    "distribute": lambda word, name, value: tree.Distribute(word, name, *value),
    "align": lambda word, name, value: tree.Align(word, name, *value),
    "shadow": lambda word, name, value: tree.Shadow(word, name, *value),
    "coarray": lambda word, name, value: tree.Coarray(word, value, [name]),
    "static_desc": lambda word, name, value: tree.StaticDescriptor(word, [name]),
    "save_desc": lambda word, name, value: tree.StaticDescriptor(word, [name]),
}
