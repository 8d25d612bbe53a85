"""Reductions: which types an operator takes, and the reduction clause of a loop. Before the loop the variable's value is
kept and
the variable set to the identity; after it the partial results are combined (decisions WRK-01 to WRK-05). The variable's address
goes nowhere, so that it stays in a register inside the loop."""

from ...directives.reader import nearest
from ...directives.work import LOCATED

OPERATORS = {
    "+": "XMP_SUM", "-": "XMP_SUM", "*": "XMP_PRODUCT", ".and.": "XMP_LAND", ".or.": "XMP_LOR", ".eqv.": "XMP_EQV",
    ".neqv.": "XMP_NEQV",
    "max": "XMP_MAX", "min": "XMP_MIN", "iand": "XMP_BAND", "ior": "XMP_BOR", "ieor": "XMP_BXOR",
}  # fmt: skip
_IDENTITIES = {"*": "1", ".and.": ".true.", ".or.": ".false.", ".eqv.": ".true.", ".neqv.": ".false.", "iand": "-1"}
_TYPES = {
    "integer": ("+", "-", "*", "max", "min", "iand", "ior", "ieor"),
    "real": ("+", "-", "*", "max", "min"),
    "complex": ("+", "-", "*"),
    "logical": (".and.", ".or.", ".eqv.", ".neqv."),
}


def variable(context, expression):
    """(base, type text, bounds) of the variable that a clause names, ("", "", []) where it cannot be known; None after an
    error."""
    name = next((word.text for word in expression.words if word.kind == "identifier"), None)
    if name is None:
        context.error("XMP-E181", f"'{expression.text}' is not the name of a variable", expression.word)
        return None
    if any(context.model.array(n) is not None for n in expression.names):
        context.error(
            "XMP-E184", f"'{expression.text}' is part of a global array; a clause takes local variables", expression.word
        )
        return None
    known = context.declarations.type_of(name)
    if known is None:
        if context.declarations.foreign or name in context.declarations.others:
            return "", "", []
        meant = nearest(name, context.declarations.variables)
        context.error(
            "XMP-E180",
            f"the variable '{name}' is not declared",
            expression.word,
            (),
            f"did you mean '{meant}'?" if meant else None,
        )
        return None
    return known if expression.name else ("", "", [])


def reducible(context, operator, base, type_, word):
    """Checks that the operator is defined for the type, where the type is known."""
    if not base or operator in _TYPES.get(base, ()):
        return True
    if base not in _TYPES:
        context.error("XMP-E182", f"a reduction needs numbers or logical values; '{word.text}' is {type_}", word)
    else:
        context.error("XMP-E182", f"the reduction '{operator}' is not defined for {type_}", word)
    return False


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
        call = f"call XMP_Loop_reduction({site}, {on}, {mask}, {OPERATORS[self.operator]}, {self.partial}, {self.outer})"
        return f"{self.partial} = {self.name}; {call}; {self.name} = {self.outer}"


def loop_reductions(context, directive):
    """The LoopReductions of a loop directive; errors are reported and left out."""
    found, seen = [], set()
    for clause in directive.reductions or ():
        if clause.operator in LOCATED:
            context.unsupported(f"the reduction '{clause.operator}' is", clause.word)
            continue
        for spec in clause.specs:
            known = variable(context, spec.variable)
            if known is None:
                continue
            name, (base, type_, bounds) = spec.variable.name, known
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
            elif not base:
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
            elif reducible(context, clause.operator, base, type_, spec.word):
                seen.add(name)
                found.append(LoopReduction(context, clause.operator, name, type_, bounds))
    return found
