"""Global arrays that the program allocates itself: allocate, deallocate, and what a procedure frees when it returns. Their
memory is the runtime's, so that other nodes reach it (specification 4.3.4, decision one-owner-of-memory)."""

from ..reading.lexer import closing, find, split
from . import pointers, sources, structures, subscripts
from .arrays import allocated_array, allocated_by_program, created_anew, freed_at_end, held
from .context import indices
from .jumps import leaving
from .owners import is_component
from .results import has_view, is_allocated_later, is_handed_over
from .views import aliases_detached, attached, defaults, detached, is_allocated

_ALREADY = 5014  # what gfortran's allocate gives as stat for an array that is allocated
_NOT = 5014  # and its deallocate for one that is not


def write(context):
    """Edits of the statements that allocate, free or point."""
    for position, item in enumerate(context.items):
        if item.statement.directive or item.unit is None:
            continue
        statement = item.guarded or item
        replaced = _statements(context, position, statement)
        if replaced is not None:
            _replace(context, item, statement, replaced)


def _replace(context, item, statement, texts):
    text = "; ".join(texts)
    first, last = statement.words[0], statement.words[-1]
    if statement is not item:
        text = f"then; {text}; end if"
    context.edits.words(item.statement, first, last, text)


def _statements(context, position, item):
    words = item.words
    if len(words) > 1 and words[0].text in ("allocate", "deallocate") and words[1].text == "(" and item.kind == "execute":
        return _allocation(context, position, item, words[0].text == "allocate")
    return pointers.assigned(context, position, item) or pointers.nullified(context, position, item)


# ---- allocate, deallocate ----


def _allocation(context, position, item, allocates):
    words, text = item.words, item.statement.text
    parts = [part for part in split(words[2 : closing(words, 1)]) if part]
    options = {part[0].text: part for part in parts if len(part) > 2 and part[1].text == "="}
    type_, parts[0] = _typed(parts[0])
    objects = [part for part in parts if part not in options.values()]
    ours = [part for part in objects if allocated_array(context, position, part) is not None]
    if not ours:
        return None
    stat = _written(text, options["stat"][2:]) if "stat" in options else None
    rest = [part for part in parts if part not in ours]
    texts = []
    if len(rest) > len(options):
        head = f"{_written(text, type_)} :: " if type_ else ""
        texts.append(f"{words[0].text}({head}{', '.join(_written(text, part) for part in rest)})")
    elif stat:
        texts.append(f"{stat} = 0")
    if not allocates:
        return [*texts, *(one for part in ours for one in _deallocate(context, position, item, part, stat))]
    source = next((options[name][2:] for name in ("source", "mold") if name in options), None)
    for part in ours:
        values = source if "source" in options else None
        texts += _allocate(context, position, item, part, stat, source, values)
    return texts


def _written(text, words):
    return text[words[0].start : words[-1].end]


def _typed(words):
    """`real(8) :: u(n)`: the words of the type, [] if there is none, and those behind it."""
    colons = find(words, "::")
    return ([], words) if colons is None else (words[:colons], words[colons + 1 :])


def _allocate(context, position, item, words, stat, source, values):
    """source: words of an expression that gives the shape where no bounds stand; values: of the elements' values, or None."""
    array, name = allocated_array(context, position, words), words[0].text
    given = source is None or len(words) > 1
    bounds = _bounds(context, position, words) if given else sources.bounds(context, position, source)
    if len(bounds) != 2 * array.rank:
        context.model.wrong_rank(array, len(bounds) // 2, words[0], "bounds")
        return []
    context.attaches(context.unit(position), array, name)
    site = context.site_of_code(position, item)
    calls = structures.declared(context, context.unit(position), array, site)
    calls += [f"call XMP_Array_allocate({context.object(array)}, {site}, {indices(*bounds)})"]
    calls += [*attached(context, array, name, context.unit(position)), *defaults(context, array, name)]
    calls += sources.assigned(context, position, words[0], values, site) if values else []
    if stat and not array.symbol.declaration.has("pointer"):
        taken = is_allocated(array, name)
        return [f"if ({stat} == 0) then", f"if ({taken}) then", f"{stat} = {_ALREADY}", "else", *calls, "end if", "end if"]
    return calls


def _bounds(context, position, words):
    """Texts of lower and upper bounds in `u(n, 0:m)`."""
    found = []
    for part in split(words[2 : closing(words, 1)]) if len(words) > 1 else []:
        colon = find(part, ":")
        low = subscripts.text(context, position, part[:colon]) if colon else "1"
        found += [low, subscripts.text(context, position, part if colon is None else part[colon + 1 :])]
    return found


def _deallocate(context, position, item, words, stat):
    array, name = allocated_array(context, position, words), words[0].text
    context.attaches(context.unit(position), array, name)
    calls = [f"call XMP_Array_deallocate({context.object(array)})", *detached(context, array, name, context.unit(position))]
    calls += structures.released(context, array)
    allocated = is_allocated(array, name)
    if stat:
        return [f"if (.not. {allocated}) then", f"{stat} = {_NOT}", "else", *calls, "end if"]
    message = f"Attempt to DEALLOCATE unallocated ''{name}''"
    return [f"if (.not. {allocated}) error stop '{message}'", *calls]


# ---- what ends with a procedure ----


def endings(context, unit, creation):
    """Statements for each place where a procedure or BLOCK ends."""
    anew, texts = created_anew(context, unit), []
    for array in reversed([a for a in context.model.arrays if a.symbol.scope is unit and a.dimensions is not None]):
        variable = array.symbol.declaration
        if freed_at_end(variable):
            context.attaches(unit, array, array.name)
            texts += [f"call XMP_Array_deallocate({context.object(array)})", *detached(context, array)]
        elif held(array):
            context.attaches(unit, array, array.name)
            texts += structures.ended(context, array)
        elif is_allocated_later(array) or anew and has_view(array):
            texts += detached(context, array)
        elif anew and not allocated_by_program(variable) and not is_component(array) and not is_handed_over(array):
            texts += detached(context, array)
        elif anew:
            texts += _aliases_ended(context, unit, array)
    return [*texts, *(creation.released() if anew and creation is not None else ())]


def _aliases_ended(context, unit, array):
    """What a pointer points to stays; its local aliases end with the procedure."""
    lines = aliases_detached(context, array)
    if lines:
        context.attaches(unit, array, array.name)
    return lines


def _leaving(context, unit):
    """(Item, the statement in it) of all that ends a procedure or BLOCK before its last statement."""
    words = {id(word) for _, word in leaving(context.items, unit.first, unit.end)} if unit.construct else set()
    for item in context.items[unit.first : unit.end]:
        if item.unit is not None and item.unit.procedure is unit.procedure and not item.statement.directive:
            for statement in filter(None, (item, item.guarded)):
                if id(statement.words[0]) in words if unit.construct else statement.kind == "return":
                    yield item, statement


class Endings:
    """Statements that come wherever a procedure or BLOCK ends, those of a BLOCK before those of what is around it."""

    def __init__(self, context):
        self.context = context
        self._units = {}  # Unit -> its statements
        self._exits = {}  # id of a return statement -> what it becomes

    def add(self, unit, texts, block=None):
        """block: the name of the BLOCK whose end a procedure reaches instead of returning."""
        self._units[unit] = texts
        if block is not None:
            self._exits.update((id(statement), f"exit {block}") for _, statement in _leaving(self.context, unit))

    def write(self):
        found = {}  # id of a statement -> (its Item, itself, statements before it)
        for unit in sorted(self._units, key=lambda unit: -unit.first):
            for item, statement in _leaving(self.context, unit):
                found.setdefault(id(statement), (item, statement, []))[2].extend(self._units[unit])
            last = self.context.items[unit.end if unit.contains is None else unit.contains]
            self.context.lines_before(last, [*self.context.unlabelled(last), "; ".join(self._units[unit])])
        for item, statement, texts in found.values():
            self._before(item, statement, "; ".join(texts))

    def _before(self, item, statement, joined):
        before, behind = ("then; ", "; end if") if statement is not item else ("", "")
        first, last = statement.words[0], statement.words[-1]
        text = self._exits.get(id(statement)) or item.statement.text[first.start : last.end]
        self.context.edits.words(item.statement, first, last, f"{before}{joined}; {text}{behind}")
