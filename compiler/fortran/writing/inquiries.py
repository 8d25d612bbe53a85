"""size, shape, lbound and ubound of global arrays: they tell of the whole array, as in the serial program, where the compiler's
own functions would tell of this node's block. present(u) asks whether the view of the argument has something to show."""

from ..reading.lexer import closing, split
from .arrays import allocated_by_program
from .references import INQUIRIES, about


def write(context):
    if not context.mentions({"present", *INQUIRIES}):
        return
    for position, item in enumerate(context.items):
        if not item.statement.directive and item.unit is not None:
            for words, call in changes(context, position, item.words):
                context.edits.words(item.statement, words[0], words[-1], call)
            for word in _asking_for_views(context, item):
                context.edits.word(item.statement, word, "allocated")


def _asking_for_views(context, item):
    """The words `present` before the name of an argument that a view has taken."""
    for word, opening, name in zip(item.words, item.words[1:], item.words[2:]):
        array = context.array_at(name.text, item.unit) if (word.text, opening.text) == ("present", "(") else None
        if array is not None and array.symbol.declaration.dummy and not allocated_by_program(array.symbol.declaration):
            yield word


def changes(context, position, words):
    """(words of an inquiry, the call instead) of those among some words of the statement at a position."""
    for number in range(len(words) - 2):
        if words[number].text in INQUIRIES and words[number + 1].text == "(" and words[number].kind == "identifier":
            array = context.array_at(words[number + 2].text, context.unit(position))
            if array is not None and about(words, number + 2) and (not number or words[number - 1].text != "%"):
                inquiry = words[number : closing(words, number + 1) + 1]
                if all(split(inquiry[2:-1])):  # else the compiler says what is missing
                    yield inquiry, _call(context, context.items[position], inquiry, array)


def _call(context, item, words, array):
    text = item.statement.text
    arguments = split(words[2:-1])[1:]
    kind = next((argument for argument in arguments if len(argument) > 2 and argument[0].text == "kind"), None)
    plain = [text[argument[0].start : argument[-1].end] for argument in arguments if argument is not kind]
    if words[0].text != "shape" and len(plain) > 1:  # the kind without its keyword
        kind, plain = arguments[-1], plain[:1]
    call = f"XMP_{words[0].text.capitalize()}({', '.join([context.object(array), *plain])})"
    if kind is not None:
        value = kind[2:] if kind[1:] and kind[1].text == "=" else kind
        call = f"int({call}, {text[value[0].start : value[-1].end]})"
    return call
