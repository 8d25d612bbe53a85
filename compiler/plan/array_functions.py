"""The array functions (specification 7.9): calls whose arguments are whole arrays, the sides of an assignment (gmove.py)."""

from ..semantics.alignment import counted, counted_dimensions
from .gmove import Index
from .questions import ArrayArguments
from .step import Step

QUESTIONS = (ArrayArguments,)


class Function:
    """ranks: of its arrays, None for any; subscripts_of: the array that further arrays have subscripts of, one for each of its
    dimensions; mask: whether one more array may follow; option: whether an integer follows."""

    def __init__(self, *ranks, subscripts_of=None, mask=False, option=False):
        self.ranks, self.subscripts_of, self.mask, self.option = ranks, subscripts_of, mask, option

    def counts(self, sides):
        """How many arguments there may be."""
        least = len(self.ranks) + self.option
        if self.subscripts_of is not None:
            return (least + sides[self.subscripts_of].rank,)
        return (least, least + 1) if self.mask else (least,)


FUNCTIONS = {
    "xmp_transpose": Function(2, 2, option=True),
    "xmp_matmul": Function(2, 2, 2),
    "xmp_gather": Function(None, None, subscripts_of=1),
    "xmp_scatter": Function(None, None, subscripts_of=0),
    "xmp_pack": Function(1, None, mask=True),
    "xmp_unpack": Function(None, 1, mask=True),
    "xmp_sort_up": Function(1, 1),
    "xmp_sort_down": Function(1, 1),
}


class ArrayCall(Step):
    """name: of the function; sides: the arrays that all have one type; more: subscripts, or the mask; option: an expression of
    the language, or None."""

    fields = ("name", "sides", "more", "option")

    def validate(self):
        ranks = FUNCTIONS[self.name].ranks
        self.require(len(self.sides) == len(ranks), "has too many or few arrays")
        self.require(all(rank in (None, side.rank) for rank, side in zip(ranks, self.sides)), "has arrays of other ranks")


def plan(language, name, arguments, place, word):
    """The ArrayCall of a call, or None after an error. word: where the call stands, for messages."""
    function = FUNCTIONS[name]
    if function.mask and len(arguments) > len(function.ranks) and language.is_null(arguments[-1]):
        arguments = arguments[:-1]
    option = arguments[len(function.ranks)] if function.option and len(arguments) > len(function.ranks) else None
    sides = [language.whole_side(argument) for argument in arguments if argument is not option]
    fine = [_check_array(language, side) for side in sides]  # all of them are told
    if not all(fine) or not _check_count(language, name, function, arguments, sides, word):
        return None
    arrays, more = sides[: len(function.ranks)], sides[len(function.ranks) :]
    fine = [_check_rank(language, name, side, rank) for side, rank in zip(arrays, function.ranks)]
    fine += [_check_type(language, arrays[0], side) for side in arrays[1:]]
    fine += [_check_integers(language, name, side) for side in more]
    if not all(fine):
        return None
    return language.planned(ArrayCall(None, place, name=name, sides=arrays, more=more, option=option))


def _check_array(language, side):
    written = language.written(side.expression)
    index = next((subscript for subscript in side.subscripts if isinstance(subscript, Index)), None)
    if side.kind not in ("array", "memory"):
        message, help_ = f"'{written}' is no array", None
    elif index is not None:
        message, help_ = f"'{written}' is only a part of its array", "array functions take whole arrays"
    elif side.kind == "memory" and not side.subscripts:
        message, help_ = f"'{written}' is no array", language.section_of(side.expression)
    elif side.scattered is not None:
        message, help_ = f"the rows of '{written}' are pointers: they may lie anywhere", "declare an array"
    else:
        return True
    language.error("XMP-E193", message, side.expression, help=help_)
    return False


def _check_count(language, name, function, arguments, sides, word):
    least = len(function.ranks) + function.option
    known = function.subscripts_of is None or len(arguments) >= least
    counts = function.counts(sides) if known else (least + 1,)
    if len(arguments) in counts:
        return True
    needed = " or ".join(str(count) for count in counts) if known else f"at least {counts[0]}"
    message = f"{name} needs {needed} arguments, but {counted(len(arguments), 'argument')} given"
    help_ = None
    if function.subscripts_of is not None and len(sides) >= least:
        named = sides[function.subscripts_of]
        help_ = f"one array of subscripts for each dimension of '{language.written(named.expression)}'"
    language.error("XMP-E193", message, word, help=help_)
    return False


def _check_rank(language, name, side, rank):
    if rank in (None, side.rank):
        return True
    message = f"'{language.written(side.expression)}' has {counted_dimensions(side.rank)}, but {name} needs {rank} here"
    language.error("XMP-E193", message, side.expression)
    return False


def _check_type(language, first, side):
    if language.same_type(first.type, side.type):
        return True
    texts = [f"'{language.written(one.expression)}' ({language.type_text(one.type)})" for one in (side, first)]
    language.error("XMP-E193", f"{texts[0]} has not the type of {texts[1]}", side.expression)
    return False


def _check_integers(language, name, side):
    if language.is_integer(side.type) or FUNCTIONS[name].mask and language.is_mask(side.type):
        return True
    what = "subscripts" if FUNCTIONS[name].subscripts_of is not None else "a mask"
    message = f"'{language.written(side.expression)}' ({language.type_text(side.type)}) cannot be {what}"
    language.error("XMP-E193", message, side.expression, help="integers can")
    return False
