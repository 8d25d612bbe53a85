"""Sections of arrays as the command line gives them: 3,0:10,:"""

from ..failure import Failure


def parse(text, shape):
    """A tuple of numbers and slices, one for each dimension, as Python has them."""
    words = text.split(",") if text else []
    if len(words) > len(shape):
        raise Failure(f"--slice {text}: {len(words)} dimensions, the variable has {len(shape)}")
    words += [":"] * (len(shape) - len(words))
    return tuple(_of_dimension(word.strip(), text, dimension, shape[dimension]) for dimension, word in enumerate(words))


def _of_dimension(word, text, dimension, length):
    try:
        numbers = [int(part) if part.strip() else None for part in word.split(":")]
    except ValueError:
        raise Failure(f"--slice {text}: '{word}' is neither a number nor FIRST:END:STEP") from None
    if len(numbers) == 1 and numbers[0] is not None:
        if not -length <= numbers[0] < length:
            raise Failure(f"--slice {text}: dimension {dimension + 1} has the positions 0 to {length - 1}")
        return numbers[0] % length
    if not 2 <= len(numbers) <= 3 or (len(numbers) == 3 and numbers[2] is not None and numbers[2] < 1):
        raise Failure(f"--slice {text}: '{word}' is neither a number nor FIRST:END:STEP with a positive step")
    first, end, step = slice(*numbers).indices(length)
    return slice(first, max(first, end), step)


def text_of(section):
    parts = []
    for one in section:
        parts.append(str(one) if isinstance(one, int) else f"{one.start}:{one.stop}" + (f":{one.step}" if one.step > 1 else ""))
    return ",".join(parts)
