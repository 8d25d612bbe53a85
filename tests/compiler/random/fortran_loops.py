"""Global arrays and distributed loops of random programs, as XMP/Fortran writes them: any lower bounds, do loops in every form.
What is drawn, and what may be read, is as for C (layouts.py, loops.py)."""

import dataclasses

from layouts import Array, plus, width_text
from loops import Loop, Read

TYPES = ("integer", "integer(8)", "integer(2)", "integer(1)", "real", "real(8)", "complex(8)", "type(pair)")


@dataclasses.dataclass
class FortranArray(Array):
    """firsts: the lower bound of each dimension; style: of its declaration; holder: the structure whose component it is."""

    firsts: list = None
    allocatable: bool = False
    style: int = 0
    holder: str = None

    @property
    def member(self):
        return "%weight" if self.type == "type(pair)" else ""

    def element(self, indices):
        return f"{self.name}({', '.join(map(str, indices))}){self.member}"

    def bounds(self, k):
        first, last = self.firsts[k], self.firsts[k] + self.dimensions[k].extent - 1
        return str(last) if first == 1 else f"{first}:{last}"

    def declaration(self):
        bounds = ", ".join(":" if self.allocatable else self.bounds(k) for k in range(self.rank))
        allocatable = ", allocatable" if self.allocatable else ""
        if self.holder:
            component = f"{self.type} :: {self.name.split('%')[1]}({bounds})"
            return [f"type :: type_of_{self.holder}", component, "end type", f"type(type_of_{self.holder}) :: {self.holder}"]
        if self.style == 0:
            return [f"{self.type}{allocatable} :: {self.name}({bounds})"]
        if self.style == 1:
            return [f"{self.type}, dimension({bounds}){allocatable} :: {self.name}"]
        return [f"{self.type}{allocatable} :: {self.name}", f"dimension {self.name}({bounds})"]

    def declarator(self):
        return f"{self.name}({', '.join(self.bounds(k) for k in range(self.rank))})"

    def directives(self):
        sources, targets = ["*"] * self.rank, ["*"] * self.template.rank
        for k, d in enumerate(self.dimensions):
            if d.onto >= 0:
                sources[k] = "abcdefg"[k]
                targets[d.onto] = plus(sources[k], d.offset - self.firsts[k])
        name = f"type_of_{self.name}" if self.holder else self.name  # for all variables of the type
        lines = [f"!$xmp align {name}({', '.join(sources)}) with {self.template.name}({', '.join(targets)})"]
        if self.has_shadow:
            lines.append(f"!$xmp shadow {name}({', '.join(map(width_text, self.dimensions))})")
        return lines


def fortran_array(draw, array, sequence=False):
    """sequence: whether it lies in COMMON."""
    fields = {field.name: getattr(array, field.name) for field in dataclasses.fields(array)}
    fields["type"] = draw.choice(TYPES[:-1] if sequence else TYPES)
    firsts = [draw.choice((1, 1, 1, 0, -3, 4)) for _ in array.dimensions]
    return FortranArray(**fields, firsts=firsts, style=draw.choice((0, 0, 1, 2)))


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
    """label: of the statement that ends the nest, for old forms; name: of its constructs; step_name, bound_names: variables for
    the step of one loop, the bounds of the outermost."""

    reading = FortranRead

    def __init__(self, draw, case, array, **options):
        super().__init__(draw, array, **options)
        self.label = case.label() if draw.random() < 0.25 else None
        self.name = case.fresh("nest") if self.label is None and draw.random() < 0.2 else None
        self.step_name = case.variable("integer") if draw.random() < 0.2 else None
        self.bound_names = [case.variable("integer") for _ in range(2)] if draw.random() < 0.2 else None

    def element(self, parallel=True):
        return self.array.element([v.text(first) for v, first in zip(self.variables, self.array.firsts)])

    def directive(self, outer, listed):
        return super().directive(outer, listed).replace("#pragma xmp", "!$xmp")

    def _bounds(self, k):
        variable = self.variables[k]
        bounds = [variable.lower - variable.shift, variable.upper - variable.shift]
        return bounds if variable.step > 0 else bounds[::-1]

    def _do(self, k, stepping, outermost):
        variable = self.variables[k]
        step = self.step_name if k == stepping else variable.step
        first, last = self.bound_names if outermost and self.bound_names else self._bounds(k)
        text = f"{variable.name} = {first}, {last}" + ("" if step == 1 else f", {step}")
        return (
            f"do {self.label} {text}"
            if self.label
            else f"{self.name}_{variable.name}: do {text}"
            if self.name
            else f"do {text}"
        )

    def _ends(self, nest):
        if self.label:
            return [f"{self.label} continue"]
        return [f"end do {self.name}_{self.variables[k].name}" if self.name else "end do" for k in reversed(nest)]

    def lines(self, body):
        nest = [k for k in self.order if not self.variables[k].fixed]
        distributed = [k for k in nest if k in self.distributed]
        stepping = [k for k in nest if self.variables[k].step != 1] if self.step_name else []
        stepping = stepping[0] if stepping else None
        lines = [] if stepping is None else [f"{self.step_name} = {self.variables[stepping].step}"]
        if self.bound_names:
            lines += [f"{name} = {bound}" for name, bound in zip(self.bound_names, self._bounds(nest[0]))]
        nested = self.nested and len(distributed) > 1
        for number, k in enumerate(nest):
            if nested and k == distributed[1]:
                lines.append(self.directive(distributed[:1], distributed[1:]))
            if number == 0:
                lines.append(self.directive([], distributed[:1] if nested else distributed))
            lines.append(self._do(k, stepping, number == 0))
        return [*lines, *body, *self._ends(nest)]
