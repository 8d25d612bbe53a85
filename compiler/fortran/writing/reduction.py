"""Reduction clauses of loops in Fortran. Before the loop the variable's value is kept and the variable set to the identity;
after it the partial results are combined (decisions WRK-01 to WRK-05). The variable's address goes nowhere, so that it stays in
a register inside the loop."""

from ...plan.reduction import operation

_IDENTITIES = {"*": "1", ".and.": ".true.", ".or.": ".false.", ".eqv.": ".true.", ".neqv.": ".false.", "iand": "-1"}


class Reduced:
    """One LoopReduction."""

    def __init__(self, context, reduction):
        variable = reduction.variable
        self.operator, self.name, self.type = reduction.operator, variable.expression.name, variable.type
        self.shape = f"({', '.join(f'{low}:{high}' for low, high in variable.more)})" if variable.more else ""
        self.outer, self.partial = context.name(self.name + "_xmp"), context.name(self.name + "_part")

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
