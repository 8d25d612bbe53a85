"""Reductions: which types an operator takes, and the reduction clause of a loop. Before the loop the variable's value is
kept and
the variable set to the identity; after it the partial results are combined (decisions WRK-01 to WRK-05). The variable's address
goes nowhere, so that it stays in a register inside the loop."""

from ...directives.work import LOCATED
from ...plan.reduction import operation, reducible

_IDENTITIES = {"*": "1", ".and.": ".true.", ".or.": ".false.", ".eqv.": ".true.", ".neqv.": ".false.", "iand": "-1"}


class LoopReduction:
    """One variable of a reduction clause."""

    def __init__(self, context, operator, name, type_, bounds):
        self.operator, self.name, self.type = operator, name, type_
        self.shape = f"({', '.join(f'{low}:{high}' for low, high in bounds)})" if bounds else ""
        self.outer, self.partial = context.name(name + "_xmp"), context.name(name + "_part")

    def declaration(self):
        return f"{self.type} :: {self.outer}{self.shape}, {self.partial}{self.shape}"

    def start(self):
        if self.operator in ("max", "min"):
            identity = f"{'XMP_Lowest' if self.operator == 'max' else 'XMP_Highest'}({self.name})"
        else:
            identity = _IDENTITIES.get(self.operator, "0")
        return f"{self.outer} = {self.name}; {self.name} = {identity}"

    def combine(self, site, on, mask):
        call = f"call XMP_Loop_reduction({site}, {on}, {mask}, {operation(self.operator)}, {self.partial}, {self.outer})"
        return f"{self.partial} = {self.name}; {call}; {self.name} = {self.outer}"


def loop_reductions(context, directive, place):
    """The LoopReductions of a loop directive; errors are reported and left out."""
    found, seen = [], set()
    for clause in directive.reductions or ():
        if clause.operator in LOCATED:
            context.unsupported(f"the reduction '{clause.operator}' is", clause.word)
            continue
        for spec in clause.specs:
            variable = context.variable(spec.variable, place)
            if variable is None:
                continue
            name, bounds = spec.variable.name, variable.more
            if name is None:
                context.error(
                    "XMP-E181",
                    f"'{spec.variable.text}' is not the name of a variable",
                    spec.word,
                    (),
                    "copy the element or component to a variable",
                )
            elif name in seen:
                context.error("XMP-E183", f"'{name}' is in two reductions of this loop", spec.word)
            elif variable.kind is None:
                context.unsupported(
                    f"a reduction of '{name}', whose type is declared in another place, is",
                    spec.word,
                    "declare a variable for it here",
                )
            elif any(upper is None for _, upper in bounds):
                context.error(
                    "XMP-E185",
                    f"the number of elements of '{name}' is not known",
                    spec.word,
                    (),
                    "declare the array with its bounds",
                )
            elif reducible(context, clause.operator, variable, spec.word):
                seen.add(name)
                found.append(LoopReduction(context, clause.operator, name, variable.type, bounds))
    return found
