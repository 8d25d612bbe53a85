"""co_reduce of derived types and of numbers of kind 10. gfortran tells the library where the function is, but not in which
registers it takes such values. So the library is told a subroutine that calls it, and whose arguments are addresses:

    call XMP_Reduce_by(XMP_c_funloc(combine1_xmp)); call co_reduce(x, plus)
  contains
    subroutine combine1_xmp(both_xmp, left_xmp, right_xmp)
      type(pair) :: both_xmp, left_xmp, right_xmp
      both_xmp = plus(left_xmp, right_xmp)
    end subroutine"""

from ..reading.components import definition, name_of_type, parts
from ..reading.generics import kind_of
from ..reading.lexer import split
from .omni_collectives import arguments_of, is_call

_MODULE = "kumihimo_reduction"


def write(context):
    """Written last, because nothing of a procedure comes behind those inside."""
    found = {}  # Unit that has the subroutines -> their lines
    for item in context.items:
        call = item.guarded or item
        if item.unit is not None and is_call(call, ("co_reduce",)):
            _write(context, item, call, found)
    for host, lines in found.items():
        if host.contains is None:
            context.lines_before(context.items[host.end], ["contains", *lines])
        else:
            context.lines_before(context.items[host.contains + 1], lines)
    for root in dict.fromkeys(host.root for host in found):
        context.uses_module(root, _MODULE)


def _write(context, item, call, found):
    plain, given = arguments_of(call.words)
    plain = plain[::-1]
    variable, function = (plain.pop() if plain else given.get(name) for name in ("a", "operation"))
    if not variable or not function or variable[0].kind != "identifier" or len(function) != 1:
        return
    unit = item.unit.procedure
    declarations, type_ = context.scopes.of(unit), _type(context, item, variable)
    if type_ is None or unit.internal and (declarations.own(function[0].text) or _defines(declarations, type_)):
        return  # the library says what is wrong
    uses = [use.item.statement.text for use in declarations.uses] if unit.internal else []
    name, host = context.numbered("combine_xmp"), unit.parent if unit.internal else unit
    found.setdefault(host, []).extend(_subroutine(name, uses, type_, function[0].text))
    before = f"call XMP_Reduce_by(XMP_c_funloc({name})); "
    if call is item:
        context.edits.before_word(item.statement, call.words[0], before)
    else:
        context.edits.before_word(item.statement, call.words[0], "then; " + before)
        context.edits.after(item.statement, "; end if")


def _type(context, item, words):
    """The text of the variable's type; None if it needs no such subroutine."""
    declarations = context.scopes.of(item.unit)
    variable = declarations.lookup(words[0].text)
    chain = [variable, *(component for _, component in parts(variable, words, 1))]
    if chain[-1] is None or chain[-1].base is None or len(chain) != len(split(words, "%")):
        return None
    base, type_ = chain[-1].base, chain[-1].type
    if base in ("real", "complex"):
        return f"{base}(10)" if kind_of(type_, words[0], declarations) == 10 else None
    return type_ if base == "type" and name_of_type(type_) is not None else None


def _defines(declarations, type_):
    return definition(declarations, name_of_type(type_))[1] is declarations


def _subroutine(name, uses, type_, function):
    return [
        f"subroutine {name}(both_xmp, left_xmp, right_xmp)",
        *(f"  {use}" for use in uses),
        f"  {type_} :: both_xmp, left_xmp, right_xmp",
        f"  both_xmp = {function}(left_xmp, right_xmp)",
        "end subroutine",
    ]
