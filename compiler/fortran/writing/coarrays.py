"""Coarrays of Fortran, which are gfortran's: what xmpf90 does not translate is told where it stands."""

# Directives about coarrays, and what to write where there is something.
DIRECTIVES = {
    "image": None,
    "lock": "it is a directive of C: Fortran has the statement `lock`, for a coarray",
    "unlock": "it is a directive of C: Fortran has the statement `unlock`, for a coarray",
}
_STATEMENTS = ("all", "images", "memory")
_HELP = "use global arrays, with reflect and gmove"


def check(context):
    """Declarations of coarrays, and their image control, whose own message would name an option that does not help."""
    for unit in context.file.units:
        for variable in context.scopes.of(unit).variables.values():
            if variable.has("codimension") and not _told(context, variable):
                context.unsupported("coarrays are", variable.word, _HELP)
    for item in context.items:
        words = (item.guarded or item).words
        if len(words) > 1 and words[0].text == "sync" and words[1].text in _STATEMENTS and not item.statement.directive:
            context.unsupported(f"the statement 'sync {words[1].text}' is", words[0], "write: !$xmp barrier")


def _told(context, variable):
    """Whether it is a global array, which cannot be a coarray at the same time."""
    return context.model.array(variable) is not None
