"""Reductions: the operators of both languages, which types they take, and the reduction clause of a loop (specification
4.4.3, 4.5.4, decisions WRK-01 to WRK-05)."""

from ..directives.work import LOCATED
from ..record import Record
from .questions import Names, Reductions

QUESTIONS = (Names, Reductions)

NUMBERS = ("integer", "real", "complex")
_ORDERED = ("integer", "real")

# operator -> (the runtime's name, the kinds of variables that it is defined for)
_OPERATORS = {
    "+": ("XMP_SUM", NUMBERS),
    "-": ("XMP_SUM", NUMBERS),
    "*": ("XMP_PRODUCT", NUMBERS),
    "max": ("XMP_MAX", _ORDERED),
    "min": ("XMP_MIN", _ORDERED),
    "firstmax": ("XMP_FIRSTMAX", _ORDERED),
    "firstmin": ("XMP_FIRSTMIN", _ORDERED),
    "lastmax": ("XMP_LASTMAX", _ORDERED),
    "lastmin": ("XMP_LASTMIN", _ORDERED),
    # C
    "&": ("XMP_BAND", ("integer",)),
    "|": ("XMP_BOR", ("integer",)),
    "^": ("XMP_BXOR", ("integer",)),
    "&&": ("XMP_LAND", NUMBERS),
    "||": ("XMP_LOR", NUMBERS),
    # Fortran
    "iand": ("XMP_BAND", ("integer",)),
    "ior": ("XMP_BOR", ("integer",)),
    "ieor": ("XMP_BXOR", ("integer",)),
    ".and.": ("XMP_LAND", ("logical",)),
    ".or.": ("XMP_LOR", ("logical",)),
    ".eqv.": ("XMP_EQV", ("logical",)),
    ".neqv.": ("XMP_NEQV", ("logical",)),
}
_REDUCIBLE = {kind for _, kinds in _OPERATORS.values() for kind in kinds}


def operation(operator):
    """The runtime's name of an operator."""
    return _OPERATORS[operator][0]


def located_operation(operator):
    """The same of a value with location variables where nodes count as iterations do in a loop; None if it has none."""
    return {"max": "XMP_FIRSTMAX", "min": "XMP_FIRSTMIN"}.get(operator)


def reducible(language, operator, variable, word):
    """Whether the operator is defined for a Variable; if not, that is an error."""
    if variable.kind is None or variable.kind in _OPERATORS[operator][1]:
        return True
    if variable.kind not in _REDUCIBLE:
        message = f"a reduction needs {language.numbers}; '{word.text}' is {variable.type}"
    else:
        message = f"the reduction '{operator}' is not defined for {variable.type}"
    language.error("XMP-E182", message, word)
    return False


class LoopReduction(Record):
    """One variable of a loop's reduction clause. locations: Variables that firstmax and its like carry along."""

    fields = ("operator", "variable", "locations")

    @property
    def located(self):
        return self.operator in LOCATED


def loop_reductions(language, directive, place):
    """The LoopReductions of a loop directive; errors are reported and left out."""
    found, seen = [], set()
    for clause in directive.reductions or ():
        if clause.operator in LOCATED and language.refuses(clause.operator, clause.word):
            continue
        for spec in clause.specs:
            variable = _reduced(language, spec.variable, place, clause.operator in LOCATED)
            locations = [_reduced(language, location, place, True, True) for location in spec.locations]
            if variable is None or None in locations:
                continue
            name, text = variable.expression.name, variable.expression.text
            key = language.declared(name, place) if name is not None else None
            key = key or text
            if key in seen:
                message = f"'{text}' is in two reductions of this loop"
                language.error("XMP-E183", message, spec.word)
            elif reducible(language, clause.operator, variable, spec.word):
                found.append(LoopReduction(clause.operator, variable, locations))
            seen.add(key)
    return found


def _reduced(language, expression, place, named, location=False):
    """The Variable of a clause. named: whether it must be a name, not an element or member."""
    if expression.name is not None:
        return language.reduced(expression, place, location)
    if not named and language.reduces_parts:
        return language.reduced_part(expression, place)
    help = f"copy the element or {language.component} to a variable"
    language.error("XMP-E181", f"'{expression.text}' is not the name of a variable", expression.word, help=help)
    return None
