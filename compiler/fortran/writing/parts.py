"""This node's part of an array assignment: the sections that lie along the template shrink to it. Along cyclic dimensions a
range of positions is enough where all subscripts follow the template; else a list of this node's elements is the subscript."""

from ...directives.words import integer
from ...plan.array_construct import follows
from ..reading.lexer import find
from ..reading.operands import Vector
from .context import indices


class Construct:
    """One construct on its way to Fortran. found: its Operands."""

    def __init__(self, context, step, target, found, first):
        self.context, self.step, self.target, self.found, self.first = context, step, target, found, first
        self.site = context.site(step.place)
        self.own = [loop and context.name(f"part{number + 1}_xmp") for number, loop in enumerate(step.loops)]
        self.lists = {}  # (text of subscripts, whether on the left side) -> the variable that has them
        self.listed = [loop is not None and self._is_listed(loop, number) for number, loop in enumerate(step.loops)]

    def _is_listed(self, loop, number):
        """Whether this node's elements along a section are given by a list: no range describes them all."""
        operands = [operand for operand in self.found if operand.rank]
        positional = (o.array is not None and o.array.positional(o.index(number)) for o in operands)
        if not (loop.cyclic or any(positional)):
            return False
        return loop.counting.step != "1" or not all(follows(loop, operand, number) for operand in operands)

    def write(self):
        context, step = self.context, self.step
        item = context.items[self.first]
        last = context.items[item.end] if item.kind in ("where", "forall") else item
        head, tail = ["block"], ["end block"]
        for operand in self.found:
            self._shrink(operand)
        head += [self._declaration(number) for number, own in enumerate(self.own) if own]
        head += [f"integer(XMP_INDEX), allocatable :: {list_}(:)" for list_ in self.lists.values()]
        task = context.numbered("array_xmp") if step.partial or step.own_set else None
        head += [f"type(XMP_Task) :: {task}"] if task else []
        head += [self._iterate(number) for number, loop in enumerate(step.loops) if loop]
        head += [f"{list_} = {text}" for (text, _), list_ in self.lists.items()]
        if task:
            head += [self._set(task), f"if ({task}%member /= 0) then"]
            tail = ["end if", f"call XMP_Task_leave({task})", *tail]
        context.edits.after(last.statement, "; ".join(["", *tail]))
        return "; ".join(head)

    def _declaration(self, number):
        type_ = "integer(XMP_INDEX), allocatable" if self.listed[number] else "type(XMP_Iterations)"
        return f"{type_} :: {self.own[number]}{'(:)' * self.listed[number]}"

    def _set(self, task):
        reference, loops = self.step.mapping.reference, [loop for loop in self.step.loops if loop]
        running = {loop.index.dimension for loop in loops}
        on = self.context.on_with_indices(reference, running)
        return f"call XMP_Loop_set({task}, {self.site}, {on}, {self.step.mapping.mask}, {int(self.step.own_set)})"

    def _iterate(self, number):
        """From 0 to the distance of the section's last element from its first."""
        loop, section, own = self.step.loops[number], self.target.dimensions[number], self.own[number]
        if section.begin is None or section.end is None:
            return self._unknown(self.target)
        last = _scaled(_difference(section.end, section.begin), section.pace, loop.counting.step)
        range_ = indices("0", last, loop.counting.step, loop.index.offset)
        object_ = self.context.object(loop.entity)
        if self.listed[number]:
            return f"call XMP_Own_values({own}, {self.site}, {object_}, {loop.index.dimension}, {range_})"
        return f"call XMP_Iterate({own}, {self.site}, {object_}, 0, {loop.index.dimension}, {range_})"

    def _unknown(self, operand):
        message = f"the bounds of '{operand.word.text}' are not known"
        self.context.error("XMP-E206", message, operand.word, (), "write first and last of each section")
        return ""

    # ---- sections ----
    def _shrink(self, operand):
        edits, statement = self.context.edits, operand.item.statement
        for d, subscript in operand.indices if operand.array is not None else ():
            if operand.array.positional(d):
                edits.before_word(statement, subscript[0], f"XMP_Subscript({self.context.object(operand.array)}, {d}, ")
                edits.after_word(statement, subscript[-1], ")")
        numbers = range(operand.rank)
        if not operand.subscripts and operand.rank:
            texts = [self._section(operand, number, number) for number in numbers]
            edits.after_word(statement, operand.item.words[operand.at], f"({', '.join(texts)})")
            return
        for number, section in zip(numbers, operand.dimensions):
            if isinstance(section, Vector):
                self._vector(operand, number, section)
            else:
                text = self._section(operand, number, number)
                edits.words(statement, section.words[0], section.words[-1], text)

    def _vector(self, operand, number, vector):
        """The arrays in a vector subscript shrink as the dimension does."""
        array = operand.array
        if array is not None and (array.is_divided(operand.index(number)) or array.positional(operand.index(number))):
            message = f"the elements of '{array.name}' that a vector subscript picks along a distributed dimension lie anywhere"
            help = "use gmove in, xmp_gather or xmp_scatter"
            self.context.error("XMP-E206", message, vector.words[0], [("it is aligned here", array.align.array)], help)
        elif self.step.loops[number] is not None and not vector.inner:
            message = "an array constructor along a distributed dimension would have to be divided"
            self.context.error("XMP-E206", message, vector.words[0], (), "assign it to a variable first")
        for inner in vector.inner if self.step.loops[number] is not None else ():
            self._shrink_inner(inner, number)

    def _shrink_inner(self, operand, number):
        edits, statement, section = self.context.edits, operand.item.statement, operand.dimensions[0]
        if isinstance(section, Vector):
            self._vector(operand, 0, section)
        elif operand.subscripts:
            edits.words(statement, section.words[0], section.words[-1], self._section(operand, 0, number))
        else:
            edits.after_word(statement, operand.item.words[operand.at], f"({self._section(operand, 0, number)})")

    def _section(self, operand, place, number):
        """This node's part of an operand's section, along a loop of the construct."""
        loop, section, array = self.step.loops[number], operand.dimensions[place], operand.array
        dimension = operand.index(place)
        if loop is None:
            if array is not None and array.is_divided(dimension):
                self._crosswise(operand, array)
            return ":" if section.words is None else self._kept(section)
        if section.begin is None:
            return self._unknown(operand)
        own, step = self.own[number], loop.counting.step
        positional = array is not None and array.positional(dimension)
        if self.listed[number]:
            list_ = _sum(section.begin, _scaled(own, step, section.pace))
            if positional:
                list_ = f"XMP_Positions({self.context.object(array)}, {dimension}, {list_})"
            return self._list(list_, operand) if array is not None else list_
        if positional:
            return f"{own}%position:{own}%position + {own}%count - 1"
        first, last = (_sum(section.begin, _scaled(f"{own}%{end}", step, section.pace)) for end in ("first", "last"))
        return f"{first}:{last}" + (f":{section.pace}" if section.pace != "1" else "")

    def _list(self, text, operand):
        """The variable with a list of subscripts, computed before the statement. The left side has its own: in u(p, 2:3) =
        u(p, 1:2), gfortran 12 takes sections with the same vector subscript for independent of each other."""
        key = text, operand.at < (find(operand.item.words, "=") or 0)
        if key not in self.lists:
            self.lists[key] = self.context.numbered("positions_xmp")
        return self.lists[key]

    def _kept(self, section):
        return "".join((" " if n and word.space else "") + word.text for n, word in enumerate(section.words))

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
