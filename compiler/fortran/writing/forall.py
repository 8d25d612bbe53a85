"""FORALL under the array directive: each index that lies along the template runs over this node's values (specification 4.4.4).
The statements themselves stay as they are."""

from ...directives.words import plus
from ..reading.declarations import text_of
from ..reading.lexer import closing, find, split
from ..reading.operands import Refused, Section, Values
from .parts import Construct


class Header:
    """The indices of a FORALL, as the target of plan.array_construct: one section for each. array: that of the first left side,
    whose subscripts they are; positions: which of them."""

    remote = False

    def __init__(self, context, item):
        words = item.words
        self.item, self.word = item, words[0]
        self.end = closing(words, 1)
        self.text = text_of(words[: self.end + 1])
        parts = split(words[2 : self.end])
        triplets = [part for part in parts if len(part) > 2 and part[1].text == "=" and find(part, ":") is not None]
        self.array, subscripts = _left_side(context, item, self.end)
        self.dimensions, self.places = [], []
        for part in triplets:
            self._index(context, item, part, subscripts)

    @property
    def rank(self):
        return len(self.dimensions)

    def _index(self, context, item, part, subscripts):
        found = [context.affine(subscript) for subscript in subscripts]
        place = next((d for d, affine in enumerate(found) if affine is not None and affine[0] == part[0].text), None)
        if place is None:
            message = f"'{part[0].text}' is no subscript of the left side, alone or with a constant added"
            raise Refused("XMP-E206", message, part[0], "write the loops with a loop directive")
        section = Section(part[2:], None, None, Values(context, item.unit))
        section.name, section.value = part[0], section.begin  # of the index; its subscript may differ from it
        section.begin = plus(section.begin, found[place][1])
        section.end = plus(section.end, found[place][1])
        self.dimensions.append(section)
        self.places.append(place)

    def index(self, number):
        return self.places[number]


def _left_side(context, item, end):
    """(global array, subscripts) of the first assignment of a FORALL."""
    behind = item.words[end + 1 :]
    if not behind:
        position = context.items.index(item) + 1
        behind = context.items[position].words
    array = context.array_at(behind[0].text, item.unit) if behind[0].kind == "identifier" else None
    if array is None or len(behind) < 2 or behind[1].text != "(":
        message = "the first assignment of a forall under array must be to an element of a global array"
        raise Refused("XMP-E206", message, behind[0], None)
    return array, split(behind[2 : closing(behind, 1)])


class Forall(Construct):
    """One FORALL on its way to Fortran."""

    def _is_listed(self, loop, number):
        return loop.cyclic and loop.entity.formats[loop.index.dimension].size not in (None, "1")

    def _shrink(self, header):
        for number, (loop, section) in enumerate(zip(self.step.loops, header.dimensions)):
            if loop is None:
                continue
            own, bounds = self.own[number], f"1:size({self.own[number]})"
            if self.listed[number]:
                self._look_up(section, own)
            else:
                bounds = ":".join(f"{section.value} + {own}%{end}" for end in ("first", "last")) + f":{own}%step"
            self.context.edits.words(header.item.statement, section.words[0], section.words[-1], bounds)

    def _look_up(self, section, own):
        """The index counts the values of a list: its uses become these values."""
        name, items = section.name, self.context.items
        last = items[self.first].end or self.first
        for item in (one for one in items[self.first : last + 1] if not one.statement.directive):
            for before, word, after in zip([None, *item.words], item.words, [*item.words[1:], None]):
                keyword = after is not None and after.text == "=" and before.text in ("(", ",")  # of an argument, or the header
                if word.text == name.text and word.kind == "identifier" and before.text != "%" and not keyword:
                    text = f"int({section.value} + {own}({word.text}), kind({word.text}))"
                    self.context.edits.word(item.statement, word, text)
