"""Uses of global arrays in statements: only elements are translated so far, and they must lie where the node stores them."""

from ...record import Record
from ..reading.lexer import closing, find, split


class Element(Record):
    """array, word, and the subscripts as lists of words."""

    fields = ("array", "word", "subscripts")


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
