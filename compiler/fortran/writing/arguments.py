"""Keywords of arguments. A dummy argument that is a global array has another name in the translation; calls that name it
follow. Arguments of one name keep one name, so that generic names have keywords."""

from ..reading import generics
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
    """The renamed dummy arguments of the procedures that a name, perhaps a generic one, means in a unit."""
    for declarations, module in context.scopes.outward(unit):
        found = _named(context, procedure, declarations, dummies, module)
        if found:
            return found
    return {}


def _named(context, procedure, declarations, dummies, module=None):
    """The same in a unit, or in a Module."""
    mine, found = declarations.file is context.file, {}
    own = of_procedures(dummies, declarations.unit) if mine else module.dummies
    for name in (procedure, *generics.specifics(declarations, procedure)):
        found.update(own.get(name) or _used(context, name, declarations, dummies))
    return found


def _used(context, procedure, declarations, dummies):
    """The same of procedures that come from modules, perhaps by way of others."""
    for use in declarations.uses:
        module, original = use.found, use.renames.get(procedure, procedure)
        found = _named(context, original, module.declarations, dummies, module) if module is not None else {}
        if found:
            return found
    return {}
