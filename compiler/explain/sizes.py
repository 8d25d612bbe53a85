"""Numbers of elements as far as they are known when compiling; where they are not, the user's own words for them."""

from ..directives.words import integer, parenthesised


def product(factors):
    """Of numbers and texts: a number, or a text that a reader understands."""
    number, texts = 1, []
    for factor in factors:
        if isinstance(factor, int):
            number *= factor
        else:
            texts.append(parenthesised(factor))
    if number == 0 or not texts:
        return number
    return " * ".join(([str(number)] if number != 1 else []) + texts)


def number(text):
    """A text's value if it is a literal, else the text."""
    value = integer(text)
    return text if value is None else value


def nodes_along(array, dimension):
    """How many nodes share an array's dimension: None where it is known only at run time."""
    size = array.nodes_along(dimension)
    return None if size is None else number(size)


def length(language, array, dimension):
    """The number of elements of a dimension, a text where it is known only at run time."""
    return number(language.length(array, dimension))


def local_length(language, array, dimension):
    """The most elements that a node stores of a dimension, without shadow."""
    whole, nodes = length(language, array, dimension), nodes_along(array, dimension)
    if nodes == 1:
        return whole
    if array.format(dimension) == "gblock":
        return "the largest block"
    if isinstance(whole, int) and isinstance(nodes, int):
        return -(-whole // nodes)
    return f"{parenthesised(str(whole))} / {'nodes' if nodes is None else nodes}"


def counted(count, noun):
    """`4 doubles`, `1 double`, `4 elements of real(8)`."""
    if not noun.isalpha():
        return f"{counted(count, 'element')} of {noun}"
    return f"{count} {noun}{'' if count == 1 else 's'}"
