"""nodes, template, distribute, align, shadow and template_fix in words."""

from ..plan.mapping import Array, Distribute, Nodes, Template, TemplateFix
from .sizes import local_length


def _nodes(language, step):
    rest = "the remaining" if step.entity.rank > 1 else "all"
    return [f"{step.entity.name}: {' x '.join(rest if size is None else size for size in step.entity.sizes)} nodes"]


def _template(language, step):
    if step.entity.bounds is None:
        return [f"{step.entity.name}: its shape comes with template_fix"]
    return [f"{step.entity.name}: indices {' x '.join(f'{low}..{high}' for low, high in step.entity.bounds)}"]


def _distribute(language, step):
    formats = " x ".join(_format(f) for f in step.template.formats)
    return [f"{step.template.name}: {formats} on {step.template.nodes.name}"]


def _format(f):
    return "whole on each node" if f.kind == "*" else f.kind if f.size is None else f"{f.kind}({f.size})"


def layout(array):
    """`block x *`: how each dimension is distributed."""
    texts = []
    for dimension in array.dimensions:
        f = None if dimension.onto is None else array.template.formats[dimension.onto]
        texts.append("*" if f is None or f.kind == "*" else f.kind if f.size is None else f"{f.kind}({f.size})")
    return " x ".join(texts)


def _array(language, step):
    array = step.array
    lengths = [local_length(language, array, d) for d in range(array.rank)]
    stored = " x ".join(str(length) for length in lengths)
    sentences = [
        f"{array.name}: {layout(array)}, at most {stored} elements of {language.element_type(array)} on a node{_shadow(array)}"
    ]
    copies = _copies(array)
    if copies:
        sentences.append(f"every element lies on {copies}: what changes one changes one of several copies")
    return sentences


def _shadow(array):
    if not array.shadow or all(not w.full and (w.lower, w.upper) == ("0", "0") for w in array.shadow):
        return ""
    widths = ["*" if w.full else w.lower if w.lower == w.upper else f"{w.lower}:{w.upper}" for w in array.shadow]
    return f", with a shadow of {' x '.join(widths)}"


def _copies(array):
    """The nodes that hold the same element, where there are several."""
    used = {array.template.formats[d.onto].node_dimension for d in array.dimensions if d.onto is not None}
    nodes = array.template.nodes
    others = [size for d, size in enumerate(nodes.sizes) if d not in used and size != "1"]
    if not others:
        return None
    return "several nodes" if None in others else f"{' x '.join(others)} nodes"


def _template_fix(language, step):
    return [f"{step.template.name} gets its shape here, on every node by itself"]


SENTENCES = {Nodes: _nodes, Template: _template, Distribute: _distribute, Array: _array, TemplateFix: _template_fix}
