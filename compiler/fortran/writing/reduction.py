"""Reduction clauses of loops in Fortran. Before the loop the variable's value is kept and the variable set to the identity;
after it the partial results are combined (decisions WRK-01 to WRK-05). The address of a variable outside COMMON goes nowhere,
so that it stays in a register inside the loop."""

from ...plan.reduction import operation
from .sides import memory

_IDENTITIES = {"*": "1", ".and.": ".true.", ".or.": ".false.", ".eqv.": ".true.", ".neqv.": ".false.", "iand": "-1"}


def _shape(variable):
    return f"({', '.join(f'{low}:{high}' for low, high in variable.more)})" if variable.more else ""


class Reduced:
    """One LoopReduction."""

    def __init__(self, context, reduction):
        variable = reduction.variable
        self.operator, self.name, self.type = reduction.operator, variable.expression.text, variable.type
        self.shape = _shape(variable)
        stem = variable.expression.name or context.numbered("element")
        declared = context.scopes.of(context.at.unit).lookup(stem)
        self.in_common = declared is not None and declared.common is not None
        self.before, self.partial = context.name(stem + "_xmp"), self.name if self.in_common else context.name(stem + "_part")
        names = [context.name(f"{stem}_{suffix}") for suffix in ("before", "iteration", "number")]
        self.located = Located(context, self, reduction.locations, *names) if reduction.located else None

    def declaration(self):
        names = [self.before + (self.shape or "(1)"), *([] if self.in_common else [self.partial + self.shape])]
        declared = f"{self.type} :: {', '.join(names)}"
        return "; ".join([declared, *(self.located.declarations() if self.located else ())])

    def start(self):
        if self.operator.endswith(("max", "min")):
            identity = f"{'XMP_Lowest' if self.operator.endswith('max') else 'XMP_Highest'}({self.name})"
        else:
            identity = _IDENTITIES.get(self.operator, "0")
        return "; ".join([f"{self.before} = {self.name}; {self.name} = {identity}",
                          *(self.located.start() if self.located else ())])  # fmt: skip

    def combine(self, site, on, mask):
        arguments = f"{site}, {on}, {mask}, {operation(self.operator)}, {self.partial}, {self.before}"
        kept, result = ([], []) if self.in_common else ([f"{self.partial} = {self.name}"], [f"{self.name} = {self.partial}"])
        if self.located:
            return "; ".join([*self.located.noted(), *kept, *self.located.combine(arguments), *result])
        return "; ".join([*kept, f"call XMP_Loop_reduction({arguments})", *result])


class Located:
    """firstmax, firstmin, lastmax, lastmin: the location variables, and the number of the iteration that set them. An iteration
    looks first at what the one before has done, so that `cycle` and jumps to its end need nothing."""

    def __init__(self, context, reduced, locations, before, iteration, number):
        self.reduced, self.before, self.iteration, self.number = reduced, before, iteration, number
        self.locations = [
            (v.expression.text, context.name(v.expression.text + "_xmp"), context.name(v.expression.text + "_found"), v)
            for v in locations
        ]

    def declarations(self):
        yield f"{self.reduced.type} :: {self.before}"
        yield f"integer(XMP_INDEX) :: {self.iteration}, {self.number}"
        for _, outer, found, variable in self.locations:
            yield f"{variable.type} :: {outer}{_shape(variable)}, {found}{_shape(variable)}"

    def start(self):
        yield f"{self.before} = {self.reduced.name}; {self.iteration} = -1; {self.number} = -1"
        for name, outer, found, _ in self.locations:
            yield f"{outer} = {name}; {found} = {name}"

    def noted(self):
        """Where the variable took a new value. The last variants also see an equal one, by the location variables."""
        changed = [f"{self.reduced.name} /= {self.before}"]
        if self.reduced.operator.startswith("last"):
            changed += [_differs(name, found, variable) for name, _, found, variable in self.locations]
        yield f"if ({' .or. '.join(changed)}) then; {self.before} = {self.reduced.name}; {self.iteration} = {self.number}"
        yield from (f"{found} = {name}" for name, _, found, _ in self.locations)
        yield "end if"

    def track(self, number):
        """Statements at the beginning of an iteration."""
        return [*self.noted(), f"{self.number} = {number}"]

    def combine(self, arguments):
        found, kept = (", ".join(memory(location[k], location[0]) for location in self.locations) for k in (2, 1))
        yield f"call XMP_Loop_reduction_located({arguments}, {self.iteration}, [{found}], [{kept}])"
        yield from (f"{name} = {outer}" for name, outer, _, _ in self.locations)


def _differs(left, right, variable):
    operator = ".neqv." if variable.kind == "logical" else "/="
    return f"any({left} {operator} {right})" if variable.more else f"{left} {operator} {right}"
