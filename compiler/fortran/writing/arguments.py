"""Keywords of arguments. A dummy argument that is a global array has another name in the translation; calls that name it
follow."""

from ..reading.lexer import closing


def of_procedures(dummies, unit):
    """Procedure -> dummy argument -> its name in the translation, for the procedures directly inside a unit. dummies:
    Variable -> name."""
    found = {}
    for variable, name in dummies.items():
        if variable.unit.parent is not unit:
            continue
        for procedure in (variable.unit.name, *(entry.name for entry in variable.declarations.entries)):
            found.setdefault(procedure, {})[variable.name] = name
    return found


def rename(context, dummies):
    """Rewrites the keywords in all calls of procedures of this file and of modules."""
    used = (module for module in context.scopes.modules.values() if module is not None)
    if not dummies and all(module.file is context.file for module in used):
        return
    for item in context.items:
        if item.statement.directive or item.unit is None:
            continue
        words = item.words
        for number in range(len(words) - 1):
            if words[number].kind == "identifier" and words[number + 1].text == "(":
                _rename_in(context, item, words, number, dummies)


def _rename_in(context, item, words, number, dummies):
    names = _known(context, words[number].text, item.unit, dummies)
    if not names:
        return
    depth = 0
    for at in range(number + 1, closing(words, number + 1)):
        depth += (words[at].text in ("(", "[")) - (words[at].text in (")", "]"))
        if depth == 1 and words[at].text in names and words[at + 1].text == "=" and words[at - 1].text in ("(", ","):
            context.edits.word(item.statement, words[at], names[words[at].text])


def _known(context, procedure, unit, dummies):
    """The renamed dummy arguments of a procedure that a unit sees."""
    while unit is not None:
        found = of_procedures(dummies, unit).get(procedure) or _used(context, procedure, context.scopes.of(unit), dummies)
        if found:
            return found
        unit = unit.parent
    return {}


def _used(context, procedure, declarations, dummies):
    """The same of a procedure that comes from a module, perhaps by way of others."""
    for use in declarations.uses:
        module, original = use.found, use.renames.get(procedure, procedure)
        if module is None:
            continue
        own = of_procedures(dummies, module.unit) if module.file is context.file else module.dummies
        found = own.get(original) or _used(context, original, module.declarations, dummies)
        if found:
            return found
    return {}
