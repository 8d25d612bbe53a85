"""Reductions: the operators of both languages, which types they take (specification 4.5.4, decisions WRK-01 to WRK-05)."""

_NUMBERS = ("integer", "real", "complex")
_ORDERED = ("integer", "real")

# operator -> (the runtime's name, the kinds of variables that it is defined for)
_OPERATORS = {
    "+": ("XMP_SUM", _NUMBERS),
    "-": ("XMP_SUM", _NUMBERS),
    "*": ("XMP_PRODUCT", _NUMBERS),
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
    "&&": ("XMP_LAND", _NUMBERS),
    "||": ("XMP_LOR", _NUMBERS),
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
