"""Uses of global arrays in statements: only elements are translated so far, and they must lie where the node stores them."""

from ...directives.words import integer
from ..reading.lexer import closing, find, split


class Element:
    """array, word, and the subscripts as lists of words."""

    def __init__(self, array, word, subscripts):
        self.array, self.word, self.subscripts = array, word, subscripts


def elements(context, item, hidden=()):
    """The Elements of global arrays in a statement. Other uses are errors. hidden: names that mean something else there."""
    found, words = [], item.words
    depth = 0
    for number, word in enumerate(words):
        depth += (word.text in ("(", "[")) - (word.text in (")", "]"))
        array = context.model.array(word.text) if word.kind == "identifier" else None
        if array is None or array.dimensions is None or word.text in hidden or (number and words[number - 1].text == "%"):
            continue
        after = words[number + 1].text if number + 1 < len(words) else ""
        if after == "=" and depth:
            continue  # the keyword of an argument
        if after != "(":
            context.unsupported(f"the whole global array '{array.name}' in a statement is", word,
                                "write a loop over its elements",
                                [("it is aligned here", array.align.array)])  # fmt: skip
            continue
        subscripts = split(words[number + 2 : closing(words, number + 1)])
        if len(subscripts) != array.rank:
            context.model.wrong_rank(array, len(subscripts), word, "subscripts")
        elif _is_section(context, subscripts):
            context.unsupported(f"sections of the global array '{array.name}' are", word, "write a loop over its elements")
        else:
            found.append(Element(array, word, subscripts))
    return found


def _is_section(context, subscripts):
    for subscript in subscripts:
        if find(subscript, ":") is not None or find(subscript, "::") is not None:
            return True
        for number, word in enumerate(subscript):
            variable = context.declarations.variables.get(word.text) if word.kind == "identifier" else None
            whole = number + 1 == len(subscript) or subscript[number + 1].text != "("
            if variable is not None and variable.bounds and whole and find(subscript, word.text) == number:
                return True  # an array as subscript
    return False


def check_all(context, hidden):
    """All statements of the main program and of its internal procedures. hidden(unit): names that a unit declares itself."""
    for item in context.items:
        if item.kind in ("directive", "end", "contains") or item.unit is None or not _sees(context, item.unit):
            continue
        if item.unit is context.unit and item.kind in ("declaration", "specification"):
            _check_specification(context, item)
        else:
            elements(context, item, hidden(item.unit))


def _sees(context, unit):
    return unit is context.unit or unit.parent is context.unit


def _check_specification(context, item):
    """Bounds and initial values of other declarations must not depend on a global array."""
    for array in context.model.arrays:
        declaration = array.symbol.declaration
        for word in item.words:
            if (
                word.text == array.name
                and word.kind == "identifier"
                and word is not declaration.word
                and item is not declaration.item
            ):
                if item.kind == "declaration" or item.words[0].text not in ("implicit", "use"):
                    context.unsupported(f"the global array '{array.name}' in this statement is", word)


# ---- subscripts in a distributed loop ----


def check_shadow(context, directive, body, mapping):
    """Errors for `u(i + 2)` with a shadow of 1 in dimensions that a loop variable of the nest runs along."""
    template = mapping.reference.entity
    for item in body:
        if item.kind == "directive":
            continue
        for element in elements(context, item):
            for d, subscript in enumerate(element.subscripts):
                aligned = element.array.dimensions[d]
                if element.array.template is not template or aligned.onto is None:
                    continue
                for index in mapping.indices:
                    if index.dimension == aligned.onto:
                        _check(context, element, d, subscript, index)


def _check(context, element, d, subscript, index):
    constant = _distance(subscript, index.variable)
    a, o = integer(element.array.dimensions[d].offset), integer(index.offset)
    if constant is None or (a is None or o is None) and element.array.dimensions[d].offset != index.offset:
        return
    offset = constant + (a - o if a is not None and o is not None else 0)
    array = element.array
    if offset == 0 or array.format(d) == "*":
        return
    shadow = array.shadow[d] if array.shadow else None
    if shadow is not None and shadow.full:
        return
    f = array.template.formats[array.dimensions[d].onto]
    if array.template.nodes.sizes[f.node_dimension] == "1":
        return
    width = 0 if shadow is None else integer(shadow.lower if offset < 0 else shadow.upper)
    if width is None or width >= abs(offset):
        return
    side = "a lower" if offset < 0 else "an upper"
    text = "".join((" " if n and w.space else "") + w.text for n, w in enumerate(subscript))
    declared = (
        [("its shadow is declared here", array.shadow_directive.array)]
        if array.shadow
        else [("it is aligned here", array.align.array)]
    )
    context.error(
        "XMP-E150",
        f"'{array.name}({text})' needs {side} shadow of {abs(offset)} in dimension {d + 1}; it has {width}",
        subscript[0],
        declared,
        f"give {array.name} a shadow of {abs(offset)}, and write before the loop: !$xmp reflect ({array.name})",
    )


def _distance(subscript, variable):
    """c of `v + c`, `v - c`, `c + v`, `v`; None for everything else."""
    texts = [word.text for word in subscript]
    if texts == [variable]:
        return 0
    if len(texts) == 3 and texts[0] == variable and texts[1] in ("+", "-") and integer(texts[2]) is not None:
        return integer(texts[2]) * (1 if texts[1] == "+" else -1)
    if len(texts) == 3 and texts[2] == variable and texts[1] == "+":
        return integer(texts[0])
    return None
