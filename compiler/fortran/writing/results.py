"""Functions whose results are global arrays. The result is a pointer to memory of the runtime, which the call hands over. A
statement that calls such a function becomes a block:

    block; real(8), pointer :: f_xmp(:); type(xmp_object) :: f_xmp_xmp
    f_xmp => f(v); call XMP_Array_result(f_xmp_xmp, site, f_xmp)
    call XMP_Gmove(site, XMP_Global(u_xmp, ...), XMP_Global(f_xmp_xmp, ...))    for `u = f(v)`
    call XMP_Array_release(f_xmp_xmp); end block
The block of a statement in a WHERE construct surrounds the construct. conditions.py has those in conditions."""

import re

from ...record import Record
from ...semantics.entities import ArrayEntity
from ...semantics.model import Symbol
from ..reading import generics
from ..reading.constants import value
from ..reading.declarations import Variable, text_of
from ..reading.io_statements import io_statement, values
from ..reading.lexer import closing, find, split
from ..reading.sides import Part
from ..reading.structures import word_like
from . import arrays, pragmas
from .conditions import Tested
from .references import passed
from .sides import side_text
from .views import view_type

_FOLLOWED = ("gmove", "array", "master_io", "global_io")  # directives that govern the statement behind them


class Reference(Record):
    """A call of such a function. item; words: of the statement, from the name to the closing bracket; array: the ArrayEntity
    of the variable that has the result; result: that of the function."""

    fields = ("item", "words", "array", "result")

    @property
    def name(self):
        return self.array.symbol.word


def find_all(context):
    """Takes note of all references (context.result_references): the first word of each -> Reference."""
    if not any(array.symbol.declaration.is_result for array in context.model.arrays):
        return
    for item in context.items:
        if item.executable and item.unit is not None:
            found = [_reference(context, item, number) for number in range(len(item.words) - 1)]
            for reference in filter(None, found):
                context.result_references[id(reference.words[0])] = reference
                _keep_bound(context, item, reference)
    masked = _where_constructs(context)
    items = (item for item in context.items if item.executable and item not in masked)
    context.assignments().update(item for item in items if is_assigned(context, item))


def _keep_bound(context, item, reference):
    """Names the bound of a counted loop in which a reference stands."""
    bounds = (item.first, item.last, item.step) if item.kind == "do" and item.variable is not None else ()
    for words in filter(None, bounds):
        if any(word is reference.words[0] for word in words):
            context.result_bounds.setdefault(id(words[0]), context.numbered("bound_xmp"))


def is_handed_over(array):
    """Whether an array is a result whose memory each call allocates for its caller."""
    variable = array.symbol.declaration
    return variable.is_result and not variable.has("pointer")


def has_view(array):
    """Whether the statements of the function see such a result as a view of its block, which a BLOCK around them declares. No
    ENTRY can stand there: with one they see the pointer."""
    return is_handed_over(array) and not array.symbol.declaration.declarations.entries


def is_allocated_later(array):
    """Whether the function allocates such a result by a statement of its own."""
    return is_handed_over(array) and array.symbol.declaration.has("allocatable")


# ---- the declarations ----


def check(context):
    """A result has several descriptions: those of ENTRY statements, whose results are one variable, and those of interface
    bodies, by which calls know that the function returns a pointer."""
    for unit in context.file.units:
        declarations = context.scopes.of(unit)
        if declarations.results:
            described = [declarations, *_interfaces(context, unit)]
            _agree(context, [(one, one.results.get(unit.name)) for one in described])
            _agree(context, [(declarations, result) for result in declarations.results.values()])


def _interfaces(context, unit):
    """Declarations of the interface bodies of a function that is external or a separate module procedure."""
    ancestor = context.scopes.ancestors.get(unit.root)
    found = [context.scopes.of(body) for body in context.file.interfaces if body.name == unit.name and body.kind == "function"]
    if ancestor is not None and ancestor.file is not context.file:
        found += [function for function in ancestor.functions if function.unit.name == unit.name]
    return found if unit.parent is None or arrays.is_separate_procedure(context, unit) else []


def _agree(context, results):
    """results: (Declarations, Variable of the result), which must all be global arrays of one layout, or none."""
    found = [(result, context.model.array(result)) for _, result in results if result is not None]
    first = next((one for one in found if one[1] is not None), None)
    other = next((one for one in found if first is not None and not _alike(first[1], one[1])), None)
    if other is None:
        return
    message = f"'{other[0].name}' and '{first[0].name}' are one result, and need the same directives"
    notes = [(f"'{first[0].name}' is aligned here", first[1].align.array)]
    context.error("XMP-E134", message, other[0].word, notes)


def _alike(one, other):
    """Whether two global arrays have one layout, as far as can be told: what failed has been told of."""
    if None in (one, other):
        return one is other
    if None in (one.dimensions, other.dimensions):
        return True
    texts = [[(d.onto, d.offset) for d in array.dimensions] for array in (one, other)]
    shadows = [[(s.lower, s.upper, s.full) for s in array.shadow or ()] for array in (one, other)]
    return texts[0] == texts[1] and shadows[0] == shadows[1]


def _reference(context, item, number):
    words, name = item.words, item.words[number]
    if name.kind != "identifier" or words[number + 1].text != "(" or number and words[number - 1].text == "%":
        return None
    whole = words[number : closing(words, number + 1) + 1]
    result = _result(context, whole, item.unit)
    array = context.model.array(result) if result is not None else None
    if array is None or array.dimensions is None or array.failed:
        return None
    return Reference(item, whole, _entity(context, item, array, whole), array)


def _entity(context, item, array, words):
    """The array of the variable that gets the result: as the function's own, without bounds that are known."""
    variable = Variable(word_like(context.numbered(f"{words[0].text}_xmp"), words[0]), context.scopes.of(item.unit))
    declared = array.symbol.declaration
    variable.base, variable.type, variable.typed = declared.base, declared.type, True
    variable.bounds, variable.attributes = [("1", None)] * array.rank, {"pointer": [words[0]]}
    symbol = Symbol()
    symbol.name, symbol.word, symbol.rank, symbol.scope = variable.name, variable.word, array.rank, item.unit
    symbol.key = symbol.declaration = variable
    found = ArrayEntity(variable.name, variable.word, item.unit, array.position, symbol)
    found.template, found.dimensions, found.shadow, found.align = array.template, array.dimensions, array.shadow, array.align
    context.results[variable.name] = text_of(words)
    return found


# ---- which function a name means ----


def _result(context, words, unit):
    """The Variable of the result of the function that a call in a unit means; None if it means none that is known."""
    name, arguments = words[0].text, split(words[2:-1]) if len(words) > 3 else []
    here = context.scopes.of(unit)
    for declarations, module in context.scopes.outward(unit):
        if name in declarations.variables:
            return None
        found = _named(context, name, declarations, module)
        if found:
            return _chosen(context, found, words[0], arguments, lambda part: _type_of(context, part, here))
    return None


def _named(context, name, declarations, module=None):
    """(result, whether the name is a generic one) of the functions that a name means in a unit, or in a Module."""
    found = []
    for procedure in (name, *generics.specifics(declarations, name)):
        own = _own(context, procedure, declarations, module)
        meant = [(own, False)] if own is not None else _used(context, procedure, declarations)
        found += [(result, generic or procedure != name) for result, generic in meant]
    return found


def _own(context, name, declarations, module):
    functions = context.scopes.functions(declarations.unit) if module is None else module.functions
    return next((function.results[name] for function in functions if name in function.results), None)


def _used(context, name, declarations):
    """The same of functions that come from modules, perhaps by way of others."""
    for use in declarations.uses:
        module, original = use.found, use.renames.get(name, name)
        if module is None or use.only and name not in use.renames:
            continue
        found = _named(context, original, module.declarations, module)
        if found:
            return found
    return []


def _type_of(context, words, declarations):
    """As generics.type_of, also of a call of such a function."""
    called = len(words) > 1 and words[1].text == "(" and closing(words, 1) == len(words) - 1
    result = _result(context, words, declarations.unit) if called else None
    if result is not None:
        return result.base, result.type, result.bounds, result.declarations
    return generics.type_of(words, declarations)


def _chosen(context, found, word, arguments, type_of):
    """The result of the one function that arguments fit."""
    found = [one for one, generic in found if not generic or generics.fits(one.declarations, arguments, type_of)]
    if len(found) > 1 and any(map(context.model.array, found)):
        help = "write the function's own name, or variables instead of expressions as its arguments"
        context.unsupported(f"'{word.text}', which may mean several functions here, is", word, help)
    return found[0] if len(found) == 1 else None


# ---- the statements ----


def is_assigned(context, item):
    """Whether a statement is `u = f(v)` or `u(:) = f(v)` for a global array u."""
    statement = item.guarded or item
    equals = find(statement.words, "=") if statement.kind == "assignment" else None
    if equals is None:
        return False
    left, right = statement.words[:equals], statement.words[equals + 1 :]
    reference = context.result_reference(right[0]) if right else None
    whole = len(left) == 1 or left[1].text == "(" and all(text_of(part) == ":" for part in split(left[2:-1]))
    return whole and reference is not None and len(reference.words) == len(right) and (
        context.array_at(left[0].text, item.unit) is not None
    )  # fmt: skip


def write(context, ends):
    """Edits of all statements that call such functions."""
    found, constructs = {}, _where_constructs(context)
    for reference in sorted(context.result_references.values(), key=lambda one: one.words[-1].end):
        found.setdefault(constructs.get(reference.item, reference.item), []).append(reference)
    governors = _governors(context)
    for position, item in enumerate(context.items):
        if item in found:
            context.at = item
            _Statement(context, position, item, found[item], governors.get(position), ends).write()
            ends.separate(position)


def write_calls(context):
    """What stands before the statements, behind the lines at the beginning of the executable part."""
    for item, lines in context.calls_before:
        context.lines_before(item, lines)


def _governors(context):
    """Position of a statement -> the directive that governs it."""
    kinds = {at: found[0] for at, found in context.parsed.items() if found and found[0].kind in _FOLLOWED}
    return {context.following(at): context.items[at] for at, one in kinds.items() if not getattr(one, "begin", False)}


def _nest(context, position):
    """Position of the loop directive that distributes a do loop, or None."""
    loops = (at for at, found in context.parsed.items() if found and found[0].kind == "loop")
    return next((at for at in loops if any(one.block[0] == position for one in context.nest(at))), None)


def _where_constructs(context):
    """A statement in WHERE constructs, where no BLOCK can stand -> the outermost of them, around which it stands."""
    found = {}
    for position, item in enumerate(context.items):
        if item.kind == "where" and item.end is not None:
            for inner in context.items[position + 1 : item.end]:
                found.setdefault(inner, item)
    return found


def _in_forall(context, position):
    constructs = (item for item in context.items if item.kind == "forall" and item.end is not None)
    return any(item.begin < position < item.end for item in constructs)


def _changes(context, position, words):
    """Whether a construct may change what words name."""
    used = {word.text for word in words if word.kind == "identifier"}
    items = context.items[position : context.items[position].end + 1]
    return not used.isdisjoint(name for item in items for name in _assigned_names(item.guarded or item))


def _assigned_names(item):
    """The variables that a statement may assign, and more."""
    if item.kind == "do" and item.variable is not None:
        return [item.variable.text]
    mask = item.words and (item.words[0].text == "elsewhere" or [word.text for word in item.words[:2]] == ["else", "where"])
    if item.kind in ("assignment", "call", "execute") and not mask:
        return [word.text for word in (item.words[:1] if item.kind == "assignment" else item.words)]
    return []


class _Statement:
    def __init__(self, context, position, item, references, directive, ends):
        self.context, self.position, self.item = context, position, item
        self.references, self.directive = references, directive
        self.statement = item.guarded or item
        self.site = context.site_of_code(position, item)
        self.tested = Tested(context, position, item, ends)
        self.nest = _nest(context, position) if self.tested.kind == "bounds" else None
        if self.nest is not None:
            self.tested.around = context.following(self.nest)

    def write(self):
        wrong = next(((one, text) for one in self.references if (text := self._wrong(one)) is not None), None)
        if wrong is not None:
            word, array = wrong[0].words[0], wrong[0].result
            help = f"assign it to a global array before, as `u = {word.text}(...)`"
            notes = [("the result is aligned here", array.align.array)]
            self.context.unsupported(f"the result of '{word.text}', a global array, {wrong[1]} is", word, help, notes)
            return
        asked = [one for one in self.references if one.words[0] in self.tested.words]
        others = [one for one in self.references if one not in asked]
        self._assigned()
        before, behind, ended = [], [], []
        if others:
            before, behind = self._around(others)
            behind.append("end block")
        if others and self.statement is not self.item:
            text = "; ".join(["then", *before])
            self.context.edits.before_word(self.item.statement, self.statement.words[0], text + "; ")
            before, behind = [], [*behind, "end if"]
        if asked:
            before, ended = self.tested.write(*self._around(asked))
        if before:
            first = self.directive or self._before_nest()
            before = [*self.context.unlabelled(self.item), *before] if first is None else before
            self.context.calls_before.append((first or self.item, before))
        if behind or ended:
            last = self.item if self.item.end is None else self.context.items[self.item.end]
            self.context.edits.after(last.statement, "; ".join(["", *behind, *ended]))

    def _around(self, references):
        """What stands before and behind a statement with references: their block, but for its end."""
        before = [line for one in references for line in self._called(one)]
        declared = [line for one in references for line in self._declared(one)]
        behind = [f"call XMP_Array_release({self._object(one)})" for one in references if is_handed_over(one.result)]
        return ["block", *declared, *before], behind

    def _wrong(self, reference):
        """Where a reference stands that cannot stand there; None for others."""
        statement, words = self.statement, reference.item.words
        if _in_forall(self.context, self.position):
            return "inside a FORALL construct"
        if reference.item is not self.item and _changes(self.context, self.position, reference.words[1:]):
            return "in a WHERE construct that assigns its arguments"
        number = next(n for n, word in enumerate(words) if word is reference.words[0])
        argument = passed(words, number, len(reference.words)) is not None
        if self.nest is not None and self._changes_in_nest():
            return "in a bound that the iterations of the loops around change"
        if reference.words[0] in self.tested.words:
            return None if argument else "in a condition"
        if statement.kind == "assignment" and statement.words[1].text == "=>":
            kept = not is_handed_over(reference.result) and statement is self.item and statement.words[2] is words[number]
            return None if kept or argument else "as the target of this pointer"
        governed = statement.kind in ("assignment", "call", "where") or statement.words[0].text == "where"
        if governed and self.directive is not None or is_assigned(self.context, self.item):
            return None
        io = statement.kind == "execute" and io_statement(statement.words, self.context.declarations(self.position))
        written = io and io.kind in ("write", "print")
        if argument:  # of a call that all nodes execute
            own = written and self.directive is None and not self.context.wishes.master_io
            return None if own or statement.kind in ("assignment", "call") else "in this statement"
        alone = [one.words[0] for one in values(io.items) if len(one.words) == len(reference.words)] if written else []
        if words[number] in alone:
            return None
        return "in this statement" if statement.kind != "assignment" else "in an expression without `array`"

    def _changes_in_nest(self):
        """Whether the bounds of an inner loop of a nest, which are evaluated before it, have what is assigned in it."""
        first = self.context.following(self.nest)
        if first == self.position:
            return False
        bounds = filter(None, (self.item.first, self.item.last, self.item.step))
        kept = (word for words in bounds if id(words[0]) in self.context.result_bounds for word in words)
        return _changes(self.context, first, kept)

    def _before_nest(self):
        """What comes first of a distributed loop: its directive, or one of OpenMP before that; None for other statements."""
        if self.nest is None:
            return None
        return pragmas.first_before(self.context, self.nest) or self.context.items[self.nest]

    def _object(self, reference):
        return self.context.object(reference.array)

    def _declared(self, reference):
        variable = reference.array.symbol.declaration
        colons = ", ".join(":" * reference.array.rank)
        yield f"{self._type(reference)}, pointer :: {variable.name}({colons})"
        yield f"type(xmp_object) :: {self._object(reference)}"

    def _type(self, reference):
        """As the function declares it; names for kinds may be unknown here."""
        context, variable = self.context, reference.result.symbol.declaration
        text, here = view_type(context, variable), context.declarations(self.position)
        for word in context.words(text):
            if word.kind != "identifier" or variable.declarations.lookup(word.text) is None:
                continue
            known = value([word], variable.declarations)
            if known is None and here.lookup(word.text) is not variable.declarations.lookup(word.text):
                notes = [("the result is declared here", variable.word)]
                help = f"use the module that declares '{word.text}' here, too"
                context.unsupported(f"a type with '{word.text}', which is not known here,", reference.words[0], help, notes)
            text = text if known is None else re.sub(rf"\b{word.text}\b", str(known), text, flags=re.I)
        return text

    def _called(self, reference):
        name, first, last = reference.name.text, reference.words[0], reference.words[-1]
        yield f"{name} => {self.context.edits.moved(reference.item.statement, first, last)}"
        yield f"call XMP_Array_result({self._object(reference)}, {self.site}, {name})"
        self.context.edits.words(reference.item.statement, first, last, name)

    def _assigned(self):
        """The whole result goes to the other array as by gmove: its layout need not be the same."""
        if self.directive is not None or not is_assigned(self.context, self.item):
            return
        words, declarations = self.statement.words, self.context.declarations(self.position)
        equals = find(words, "=")
        left, right = (self.context.side(Part(part, declarations)) for part in (words[:equals], words[equals + 1 :]))
        text = f"call XMP_Gmove({self.site}, {side_text(self.context, left)}, {side_text(self.context, right)})"
        self.context.edits.words(self.item.statement, words[0], words[-1], text)
