"""This node's part of an array assignment: the sections that lie along the template shrink to it."""

from ...directives.words import integer
from ...plan.array_construct import follows
from .context import indices


class Construct:
    """One construct on its way to Fortran."""

    def __init__(self, context, step, target, found, first):
        self.context, self.step, self.target, self.found, self.first = context, step, target, found, first
        self.site = context.site(step.place)
        self.own = [loop and context.name(f"part{number + 1}_xmp") for number, loop in enumerate(step.loops)]

    def write(self):
        context, step = self.context, self.step
        item = context.items[self.first]
        last = context.items[item.end] if item.kind in ("where", "forall") else item
        head, tail = ["block"], ["end block"]
        names = [own for own in self.own if own]
        head += [f"type(XMP_Iterations) :: {', '.join(names)}"] if names else []
        task = context.numbered("array_xmp") if step.partial or step.own_set else None
        head += [f"type(XMP_Task) :: {task}"] if task else []
        head += [self._iterate(number) for number, loop in enumerate(step.loops) if loop]
        if task:
            head += [self._set(task), f"if ({task}%member /= 0) then"]
            tail = ["end if", f"call XMP_Task_leave({task})", *tail]
        for operand in self.found:
            self._shrink(operand)
        context.edits.after(last.statement, "; ".join(["", *tail]))
        return "; ".join(head)

    def _set(self, task):
        reference, loops = self.step.mapping.reference, [loop for loop in self.step.loops if loop]
        running = {loop.index.dimension for loop in loops}
        on = self.context.on_with_indices(reference, running) if reference.subscripts else self.context.on(reference)
        return f"call XMP_Loop_set({task}, {self.site}, {on}, {self.step.mapping.mask}, {int(self.step.own_set)})"

    def _iterate(self, number):
        """From 0 to the distance of the section's last element from its first."""
        loop, section = self.step.loops[number], self.target.dimensions[number]
        if section.begin is None or section.end is None:
            return self._unknown(self.target)
        last = _scaled(_difference(section.end, section.begin), section.pace, loop.counting.step)
        range_ = indices("0", last, loop.counting.step, loop.index.offset)
        object_ = self.context.object(loop.entity)
        return f"call XMP_Iterate({self.own[number]}, {self.site}, {object_}, 0, {loop.index.dimension}, {range_})"

    def _unknown(self, operand):
        message = f"the bounds of '{operand.word.text}' are not known"
        self.context.error("XMP-E206", message, operand.word, (), "write first and last of each section")
        return ""

    # ---- sections ----
    def _shrink(self, operand):
        texts = [self._section(operand, number) for number in range(operand.rank)]
        edits, statement = self.context.edits, operand.item.statement
        if not operand.subscripts:
            edits.after_word(statement, operand.word, f"({', '.join(texts)})")
        for section, text in zip(operand.dimensions if operand.subscripts else (), texts):
            edits.words(statement, section.words[0], section.words[-1], text)

    def _section(self, operand, number):
        """This node's part of a section."""
        loop, section, array = self.step.loops[number], operand.dimensions[number], operand.array
        dimension = operand.index(number)
        if loop is None:
            if array is not None and array.is_divided(dimension):
                self._crosswise(operand, array)
            return ":" if section.words is None else self._kept(section)
        if section.begin is None:
            return self._unknown(operand)
        own, step = self.own[number], loop.counting.step
        if loop.cyclic or array is not None and array.positional(dimension):
            return self._positions(operand, number)
        first, last = (_sum(section.begin, _scaled(f"{own}%{end}", step, section.pace)) for end in ("first", "last"))
        return f"{first}:{last}" + (f":{section.pace}" if section.pace != "1" else "")

    def _kept(self, section):
        return "".join((" " if n and word.space else "") + word.text for n, word in enumerate(section.words))

    def _positions(self, operand, number):
        """The same in a cyclic dimension: this node's elements follow each other there where no others lie between them."""
        loop, own = self.step.loops[number], self.own[number]
        if not follows(loop, operand, number) or loop.counting.step != "1":
            what = f"'{operand.text}' along a cyclic dimension in this array construct is"
            self.context.unsupported(what, operand.word, "write a loop over its elements")
        return f"{own}%position:{own}%position + {own}%count - 1"

    def _crosswise(self, operand, array):
        message = f"'{operand.text}' is distributed along a dimension in which the left side is not"
        notes = [("it is aligned here", array.align.array)]
        self.context.error("XMP-E206", message, operand.word, notes, "use gmove to copy it first")


def _difference(text, other):
    values = integer(text), integer(other)
    return str(values[0] - values[1]) if None not in values else f"{text} - ({other})"


def _sum(text, distance):
    return distance if text == "0" else f"{text} + {distance}"


def _scaled(distance, from_step, to_step):
    """A distance in steps of one size as one in steps of another."""
    if from_step == to_step:
        return distance
    divided = f"({distance})" if from_step == "1" else f"({distance}) / ({from_step})"
    return divided if to_step == "1" else f"{divided} * ({to_step})"
