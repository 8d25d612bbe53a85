"""Global arrays and distributed loops of random programs, as XMP/Fortran writes them: any lower bounds, do loops in every form.
What is drawn, and what may be read, is as for C (layouts.py, loops.py)."""

import dataclasses

from layouts import Array, plus, width_text
from loops import Loop, Read

TYPES = ("integer", "integer(8)", "integer(2)", "integer(1)", "real", "real(8)", "complex(8)")


@dataclasses.dataclass
class FortranArray(Array):
    """firsts: the lower bound of each dimension."""

    firsts: list = None
    allocatable: bool = False

    def element(self, indices):
        return f"{self.name}({', '.join(map(str, indices))})"

    def bounds(self, k):
        first, last = self.firsts[k], self.firsts[k] + self.dimensions[k].extent - 1
        return str(last) if first == 1 else f"{first}:{last}"

    def declaration(self):
        if self.allocatable:
            return f"{self.type}, allocatable :: {self.name}({', '.join(':' * self.rank)})"
        return f"{self.type} :: {self.declarator()}"

    def declarator(self):
        return f"{self.name}({', '.join(self.bounds(k) for k in range(self.rank))})"

    def directives(self):
        sources, targets = ["*"] * self.rank, ["*"] * self.template.rank
        for k, d in enumerate(self.dimensions):
            if d.onto >= 0:
                sources[k] = "abcdefg"[k]
                targets[d.onto] = plus(sources[k], d.offset - self.firsts[k])
        lines = [f"!$xmp align {self.name}({', '.join(sources)}) with {self.template.name}({', '.join(targets)})"]
        if self.has_shadow:
            lines.append(f"!$xmp shadow {self.name}({', '.join(map(width_text, self.dimensions))})")
        return lines


def fortran_array(draw, array):
    fields = {field.name: getattr(array, field.name) for field in dataclasses.fields(array)}
    fields["type"] = draw.choice(TYPES)
    return FortranArray(**fields, firsts=[draw.choice((1, 1, 1, 0, -3, 4)) for _ in array.dimensions])


class FortranRead(Read):
    def text(self, parallel):
        return f"int({self.place(parallel)}, 8)"

    def place(self, parallel):
        texts = []
        for m, (k, distance) in enumerate(self.indices):
            first, extent = self.array.firsts[m], self.array.dimensions[m].extent
            if k is None:
                texts.append(str(distance + first))
            elif self.reach.beyond[m] and not parallel:
                texts.append(plus(f"modulo({self.loop.variables[k].text(distance)}, {extent})", first))
            else:
                texts.append(self.loop.variables[k].text(distance + first))
        return self.array.element(texts)


class FortranLoop(Loop):
    """label: of the statement that ends the nest, for old forms; step_name: a variable for the steps."""

    reading = FortranRead

    def __init__(self, draw, case, array, **options):
        super().__init__(draw, array, **options)
        self.label = case.label() if draw.random() < 0.25 else None
        self.step_name = case.variable("integer") if draw.random() < 0.2 else None

    def element(self, parallel=True):
        return self.array.element([v.text(first) for v, first in zip(self.variables, self.array.firsts)])

    def directive(self, outer, listed):
        return super().directive(outer, listed).replace("#pragma xmp", "!$xmp")

    def _do(self, k, named):
        variable = self.variables[k]
        low, high = variable.lower - variable.shift, variable.upper - variable.shift
        ends = f"{low}, {high}" if variable.step > 0 else f"{high}, {low}"
        step = self.step_name if named else variable.step
        text = f"{variable.name} = {ends}" + ("" if step == 1 else f", {step}")
        return f"do {self.label} {text}" if self.label else f"do {text}"

    def lines(self, body):
        nest = [k for k in self.order if not self.variables[k].fixed]
        distributed = [k for k in nest if k in self.distributed]
        stepping = [k for k in nest if self.variables[k].step != 1] if self.step_name else []
        lines = [f"{self.step_name} = {self.variables[stepping[0]].step}"] if stepping else []
        nested = self.nested and len(distributed) > 1
        for number, k in enumerate(nest):
            if nested and k == distributed[1]:
                lines.append(self.directive(distributed[:1], distributed[1:]))
            if number == 0:
                lines.append(self.directive([], distributed[:1] if nested else distributed))
            lines.append(self._do(k, stepping[:1] == [k]))
        ends = [f"{self.label} continue"] if self.label else ["end do"] * len(nest)
        return [*lines, *body, *ends]
