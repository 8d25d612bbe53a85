"""Calls of the library that need the compiler: the array functions (specification 7.9), and xmp_desc_of (7.1)."""

from ...plan.array_functions import plan
from ..reading.lexer import closing, split
from ..reading.sides import Part, array_call
from .sides import side_text


def write(context):
    """Edits of all statements."""
    if not context.mentions({"xmp_desc_of", *_WRITERS}):
        return
    for position, item in enumerate(context.items):
        if item.statement.directive or item.unit is None:
            continue
        context.at = item
        call = array_call(item.words)
        if call is not None:
            _array_function(context, position, call)
        else:
            _descriptors(context, position)


def _array_function(context, position, call):
    item = context.items[position]
    words, declarations = item.words, context.declarations(position)
    opening = call + 2
    inside = words[opening + 1 : closing(words, opening)] if opening < len(words) else []
    arguments = [Part(_value(part), declarations) for part in split(inside) if part]
    step = plan(context, words[call + 1].text, arguments, position, words[call + 1])
    if step is None:
        return
    sides = [side_text(context, side) for side in step.sides]
    function, more = _WRITERS[step.name]
    text = f"call {function}({', '.join([context.site_of_code(position, item), *sides, *more(context, step)])})"
    context.edits.words(item.statement, words[call], words[-1], text)


def _value(words):
    """An argument without its keyword and without xmp_desc_of."""
    if len(words) > 2 and words[1].text == "=":
        words = words[2:]
    return words[2:-1] if len(words) == 4 and words[0].text == "xmp_desc_of" else words


def _option(context, step):
    return [step.option.text]


def _subscripts(context, step):
    return [f"[{', '.join(side_text(context, side) for side in step.more)}]"]


def _mask(context, step):
    return [side_text(context, side) for side in step.more]


_WRITERS = {
    "xmp_transpose": ("XMP_Transpose", _option),
    "xmp_matmul": ("XMP_Matmul", lambda context, step: []),
    "xmp_gather": ("XMP_Gather", _subscripts),
    "xmp_scatter": ("XMP_Scatter", _subscripts),
    "xmp_pack": ("XMP_Pack", _mask),
    "xmp_unpack": ("XMP_Unpack", _mask),
    "xmp_sort_up": ("XMP_Sort", lambda context, step: ["0"]),
    "xmp_sort_down": ("XMP_Sort", lambda context, step: ["1"]),
}


def _descriptors(context, position):
    """xmp_desc_of(name) becomes the structure with the object's address."""
    item = context.items[position]
    words = item.words
    for number, word in enumerate(words[:-3]):
        if word.text == "xmp_desc_of" and words[number + 1].text == "(" and words[number + 3].text == ")":
            described = _described(context, words[number + 2], position)
            if described is not None:
                text = f"xmp_desc(transfer({context.object(described)}, 0_8))"
                context.edits.words(item.statement, word, words[number + 3], text)


def _described(context, name, position):
    """The node array, template or global array of that name, or None after an error."""
    unit = context.unit(position)
    array = context.array_at(name.text, unit)
    entity = array if array is not None else context.model.lookup(name.text, *context.scope(position))
    if entity is None:
        message = f"'{name.text}' is no node array, template or global array"
        context.error("XMP-E119", message, name, (), "xmp_desc_of takes the name of one")
    return entity
