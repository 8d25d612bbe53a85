"""Distributed loops of random programs: a nest over the elements of an array, and what it may read there."""

import dataclasses

from filled_shadows import Reach
from layouts import plus

VARIABLES = "ijkl"


@dataclasses.dataclass
class Variable:
    """Counts the elements lower..upper of one dimension of the loop's array: element = variable + shift."""

    name: str
    lower: int
    upper: int
    shift: int = 0
    step: int = 1  # negative: downwards
    fixed: bool = False  # no loop: the only element is `lower`

    def text(self, distance=0):
        """Element + distance."""
        return str(self.lower + distance) if self.fixed else plus(self.name, self.shift + distance)

    def header(self, style):
        """style: draws the relation; the loop is the same."""
        v, low, high, step = self.name, self.lower - self.shift, self.upper - self.shift, abs(self.step)
        if self.step > 0:
            condition = (f"{v} < {high + 1}", f"{v} <= {high}", f"{v} != {high + 1}" if step == 1 else f"{v} < {high + 1}")
            return f"for (int {v} = {low}; {condition[style % 3]}; {f'{v}++' if step == 1 else f'{v} += {step}'})"
        condition = (f"{v} >= {low}", f"{v} > {low - 1}", f"{v} >= {low}")
        return f"for (int {v} = {high}; {condition[style % 3]}; {f'{v}--' if step == 1 else f'{v} -= {step}'})"


class Loop:
    """A nest over the elements of `array`, whose body a statement fills.

    variables: one for each dimension of the array; order: the nest, outermost first; clauses: of the directive;
    overlapping: it may read other elements of the array than it writes in the same iteration"""

    def __init__(self, draw, array, whole=False, fixed=0.1, nested=0.15, overlapping=False):
        self.draw, self.array, self.template = draw, array, array.template
        self.variables = [self._variable(k, whole, fixed) for k in range(array.rank)]
        if not self.distributed:
            k = next(k for k, d in enumerate(array.dimensions) if d.onto >= 0)
            self.variables[k].fixed = False
        self.order = list(range(array.rank))
        if draw.random() < 0.5:
            draw.shuffle(self.order)
        self.everywhere = [draw.choice((":", "*")) for _ in range(self.template.rank)]
        self.styles = [draw.randrange(3) for _ in range(array.rank)]
        self.nested = not whole and draw.random() < nested
        self.overlapping = overlapping
        self.listed = draw.random() < 0.7
        self.clauses = ""

    def _variable(self, k, whole, fixed):
        draw, extent = self.draw, self.array.dimensions[k].extent
        lower, upper = 0, extent - 1
        if not whole and draw.random() < 0.5:
            lower = draw.randint(0, upper)
            upper = draw.randint(lower, upper)
        variable = Variable(VARIABLES[k], lower, upper)
        if whole:
            return variable
        if draw.random() < fixed:
            variable.upper, variable.fixed = lower, True
        variable.shift = draw.choice((0, 0, 0, 1, -2))
        variable.step = draw.choice((1, 1, 1, 1, -1, 2, 3, -2))
        return variable

    @property
    def distributed(self):
        """Dimensions of the array that a loop of the directive runs along."""
        return [k for k, d in enumerate(self.array.dimensions) if d.onto >= 0 and not self.variables[k].fixed]

    # ---- what the body may say ----
    def element(self, parallel=True):
        return self.array.element([variable.text() for variable in self.variables])

    def numbers(self):
        """A value that depends on the iteration."""
        draw = self.draw
        terms = [f"{draw.randint(1, 9)} * ({variable.text()})" for variable in self.variables]
        return " + ".join([*terms, str(draw.randint(0, 40))])

    def read(self, array):
        """A Read of an array in this loop, which may narrow the loop's ranges; None if its elements are elsewhere."""
        reach = Reach([0] * array.rank, [False] * array.rank, [False] * array.rank)
        indices, ranges = [], [(v.lower, v.upper) for v in self.variables]
        for m in range(array.rank):
            found = self._index(array, m, reach, ranges)
            if found is None:
                return None
            indices.append(found)
        for variable, (lower, upper) in zip(self.variables, ranges):
            variable.lower, variable.upper = lower, upper
        return self.reading(array, self, indices, reach)

    def _index(self, array, m, reach, ranges):
        """(the dimension of this loop's array, distance) or (None, index) for dimension m of the array that is read."""
        draw, dimension = self.draw, array.dimensions[m]
        k = next((k for k, d in enumerate(self.array.dimensions) if d.onto == dimension.onto and d.onto >= 0), None)
        if k is None:
            if array.distributed(m):
                if not dimension.full:
                    return None
                reach.anywhere[m] = True
            return None, draw.randrange(dimension.extent)
        aligned = self.array.dimensions[k].offset - dimension.offset  # from the element of this loop's to the one beside it
        delta = self._delta(array, m)
        lower, upper = ranges[k]
        around = delta and not any(d.full for d in array.dimensions) and draw.random() < 0.25
        periodic = around and -dimension.lower <= delta <= dimension.upper
        for distance in (aligned, aligned + delta):
            if distance == aligned + delta and periodic:
                continue
            lower, upper = max(lower, -distance), min(upper, dimension.extent - 1 - distance)
        if lower > upper or (self.variables[k].fixed and (lower, upper) != ranges[k]):
            return None
        ranges[k] = lower, upper
        reach.beyond[m] = periodic and (lower + aligned + delta < 0 or upper + aligned + delta >= dimension.extent)
        if array.distributed(m):
            reach.anywhere[m] = bool(delta) and dimension.full
            reach.deltas[m] = 0 if dimension.full else delta
        elif reach.beyond[m]:
            reach.deltas[m] = delta
        return k, aligned + delta

    def _delta(self, array, m):
        draw, dimension = self.draw, array.dimensions[m]
        if (array is self.array and not self.overlapping) or draw.random() < 0.4:
            return 0
        if dimension.full or not array.distributed(m):
            return draw.randint(-2, 2)
        return draw.randint(-dimension.lower, dimension.upper)

    # ---- the text ----
    def on(self, variables):
        """The on clause where the loops of these dimensions are distributed; the others' places are all of them."""
        texts = list(self.everywhere)
        for k, dimension in enumerate(self.array.dimensions):
            if dimension.onto >= 0 and (k in variables or self.variables[k].fixed):
                texts[dimension.onto] = self.variables[k].text(dimension.offset)
            elif dimension.onto >= 0:
                texts[dimension.onto] = ":"
        return self.template.name + self.template.subscripts(texts)

    def directive(self, outer, listed):
        """outer: dimensions of the directives around; listed: those of this one."""
        names = f" ({', '.join(self.variables[k].name for k in listed)})" if self.listed or outer else ""
        return f"#pragma xmp loop{names} on {self.on([*outer, *listed])}{self.clauses}"

    def lines(self, body):
        nest = [k for k in self.order if not self.variables[k].fixed]
        distributed = [k for k in nest if k in self.distributed]
        if not self.nested or len(distributed) < 2:
            return [
                self.directive([], distributed),
                *(self.variables[k].header(self.styles[k]) for k in nest),
                *block(body),
            ]
        lines, cut = [], distributed[1]
        for k in nest:
            if k == nest[0]:
                lines.append(self.directive([], distributed[:1]))
            if k == cut:
                lines.append(self.directive(distributed[:1], distributed[1:]))
            lines.append(self.variables[k].header(self.styles[k]))
        return [*lines, *block(body)]


@dataclasses.dataclass
class Read:
    array: object
    loop: Loop
    indices: list  # (dimension of the loop's array, distance) or (None, index)
    reach: Reach

    def text(self, parallel, type_="(long)"):
        texts = []
        for m, (k, distance) in enumerate(self.indices):
            if k is None:
                texts.append(str(distance))
                continue
            text, extent = self.loop.variables[k].text(distance), self.array.dimensions[m].extent
            around = self.reach.beyond[m] and not parallel
            texts.append(f"({text} + {8 * extent}) % {extent}" if around else text)
        return f"{type_}{self.array.element(texts)}"


Loop.reading = Read


def block(lines):
    return ["{", *("    " + line for line in lines), "}"]
