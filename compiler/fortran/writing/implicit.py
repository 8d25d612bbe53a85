"""Variables without a declaration. The first use of a name may stand in a BLOCK that the translation adds around a loop or a
task; gfortran would then take the variable for one of the BLOCK. So those that statements set are declared. Where a module is
used of which nothing is known, which may have the variable, a statement that is never executed names it in front of all
others."""

from ..reading.io_statements import io_statement, values


def declarations(context, unit):
    """The lines with the declarations of a procedure's variables that have their type by default."""
    found = {} if context.scopes.of(unit).is_foreign() else _found(context, unit)
    return [f"{type_} :: {', '.join(names)}" for type_, names in found.items()]


def mentions(context, unit):
    """The statements that name them where a module may have them."""
    found = _found(context, unit) if context.scopes.of(unit).is_foreign() else {}
    return [f"if (.false.) {name} = {name}" for names in found.values() for name in names]


def _found(context, unit):
    """Text of the type -> names of a procedure's variables that have it by default, those first used in a construct with names
    of its own, too (Fortran 2018, 19.4)."""
    declared, found = context.scopes.of(unit), {}
    scopes = [one for one in context.file.units if one.procedure is unit]
    blocks = context.wishes.master_io or any(context.executable_directives(one) for one in scopes)
    if not scopes or not blocks:
        return {}
    for scope in scopes:
        for position in scope.items:
            for name in _set(context.items[position], declared):
                known = context.scopes.of(scope).lookup(name) is not None or declared.implicit.get(name[0]) is None
                if not known and not _in_host(context, unit.parent, name):
                    found.setdefault(declared.implicit[name[0]][1], {})[name] = True
    return found


def _set(item, declarations):
    """The scalar variables that a statement gives values, as far as its words show them."""
    item = item.guarded or item
    words = item.words
    if item.kind == "assignment" and len(words) > 1 and words[1].text == "=":
        yield words[0].text
    elif item.kind == "do" and item.variable is not None:
        yield item.variable.text
    elif item.kind == "execute" and words and (io := io_statement(words, declarations)) is not None:
        told = [one.words for one in io.specifiers if one.name not in ("fmt", "nml")]
        read = [one.words for one in values(io.items)] if io.kind == "read" else []
        yield from (part[0].text for part in [*told, *read] if len(part) == 1 and part[0].kind == "identifier")


def _in_host(context, unit, name):
    """Whether a unit around has a variable of the name, which it does not declare, either. The subscripts of an align directive
    are none."""
    while unit is not None and unit.kind not in ("module", "submodule"):
        items = (context.items[position] for position in unit.items)
        if any(word.text == name for item in items if not item.statement.directive for word in item.words):
            return True
        unit = unit.parent
    return False
