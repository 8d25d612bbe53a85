"""Numbers of other images as loads and stores. Where an assignment or a condition names scalar elements, `b = a(i)[k]` becomes

    call XMP_f_pointer(XMP_Direct(window1_xmp, a(i), k), at1_xmp)
    if (.not. associated(at1_xmp)) then; value1_xmp = a(i)[k]; at1_xmp => value1_xmp; end if
    b = at1_xmp

on one line, and so for the condition of an `if` or `else if`, and for components, `s(i)[k]%x`. XMP_Direct gives the element's
address where that image's memory is mapped here. Elsewhere the library fetches the value, or, if the element is assigned to,
sends it behind the assignment. The address is asked for in each statement, by a call that gfortran knows nothing of: what other
images change is seen after each image control. Sections: direct_sections.py.

The pointers and values are declared at the procedure's head. (A BLOCK around the statement would do without, but gfortran takes
names without a declaration for its own.) Where the file may have several threads, each needs its own: then it is a BLOCK, in
procedures in which every name is declared, and what is kept of a coarray is each thread's."""

from ..reading.lexer import closing
from ..reading.remote import accesses
from ..reading.statements import Item, purity
from . import branches, direct_sections, pragmas

_MODULE = "kumihimo_direct"
_INTRINSICS = frozenset(
    "allocated associated image_index int kind lbound lcobound merge shape size storage_size ubound".split()
)


def write(context, pinned):
    """Edits of all statements. pinned: variables whose images are those of a node array."""
    if not context.brackets:
        return
    procedures, excluded = {}, _elementwise(context) | pragmas.governed(context)
    for position, item in enumerate(context.items):
        if position not in excluded and _usable(context, position):
            found = [(part, list(accesses(context, position, part, pinned))) for part in _parts(context, position)]
            found = [(part, there) for part, there in found if there]
            if found and not _hidden(context.scopes.of(item.unit)):
                names = procedures.setdefault(item.unit.procedure, Names(context.wishes.threads))
                _write(context, position, found, names)
    for unit, names in procedures.items():
        if names.head:
            item = context.items[pragmas.beginning(context, unit)]
            context.lines_before(item, names.head, first=True)  # before everything that is executed, also what is added
    for root in dict.fromkeys(unit.root for unit, names in procedures.items() if names.head):
        context.uses_module(root, _MODULE)


# ---- which statements ----


def _elementwise(context):
    """Positions inside constructs that say nothing about the order of their statements."""
    found = set()
    for position, item in enumerate(context.items):
        concurrent = item.kind == "do" and len(item.words) > 1 and item.words[1].text == "concurrent"
        if (item.kind in ("where", "forall") or concurrent) and item.end is not None:
            found.update(range(position, item.end + 1))
    return found


def _usable(context, position):
    item = context.items[position]
    if item.statement.directive or item.unit is None or item.label is not None or item in context.assignments():
        return False
    if position and context.items[position - 1].statement.directive:
        return False
    procedure = item.unit.procedure
    return not procedure.opened or not purity(context.items[procedure.first].words, procedure)


def _hidden(declarations):
    """Whether a name of the program's own hides a function that is added."""
    return any(declarations.lookup(name) is not None for name in _INTRINSICS)


def _parts(context, position):
    """The condition and the assignment of a statement, as Items."""
    item = context.items[position]
    if item.kind == "if" or item.guarded is not None:
        yield Item(item.statement, item.words[: closing(item.words, 1) + 1])
    elif branches.has_condition(item):
        yield branches.condition(item)
    assignment = item.guarded or item
    if assignment.kind == "assignment" and [word.text for word in assignment.words].count("=") == 1:
        yield assignment  # a second one: an implied do, whose variable has no value before the statement


# ---- the names that are added ----


class Names:
    """Of a procedure. threads: whether several may execute it; head: lines of declarations at its head; block: declarations
    around the statement that is written, where threads would share the procedure's own; can_declare: whether these may be."""

    def __init__(self, threads):
        self.threads, self.head, self._count = threads, [], 0
        self.block, self.can_declare = [], True

    def begin(self, declarations):
        """A statement of its own."""
        self.block, self.can_declare = [], not (self.threads and declarations.implicit)

    def window(self):
        """What a place of the program knows of its coarray. It begins the names of an Access."""
        self._count += 1
        name = f"window{self._count}_xmp"
        self.head.append(f"type(XMP_Window), save :: {name}")
        if self.threads:
            self.head.append(f"!$omp threadprivate({name})")
        return name

    def pointer(self, access):
        rank = len(access.described.bounds) if access.is_section else 0
        shape = f", contiguous :: {{}}({', '.join(':' * rank)})" if rank else " :: {}"
        return self._declared("at", f"{access.type}, pointer{shape}")

    def value(self, access):
        return self._declared("value", f"{access.type}, target :: {{}}")

    def condition(self):
        return self._declared("condition", "logical :: {}")

    def _declared(self, name, declaration):
        name = f"{name}{self._count}_xmp"
        (self.block if self.threads else self.head).append(declaration.format(name))
        return name


# ---- the text ----


def _write(context, position, found, names):
    """found: (part, its Accesses)."""
    item = context.items[position]
    if any(context.result_reference(word) is not None for word in item.words):
        return  # the statement is evaluated in pieces
    names.begin(context.scopes.of(item.unit))
    texts = {part is item.guarded: _texts(context, part, there, names) for part, there in found}
    condition, guarded = texts.get(False), texts.get(True)
    if condition is None and guarded is None:
        return
    before, behind = condition or ([], [])
    if guarded is not None:
        context.edits.before_word(item.statement, item.guarded.words[0], _joined("then", *guarded[0]))
        behind = [*guarded[1], "end if"]
    if names.block:
        before, behind = ["block", *names.block, *before], [*behind, "end block"]
    if branches.has_condition(item):
        branches.nest(context, position, before, behind)
    else:
        last = context.items[item.end] if item.kind == "if" else item
        context.edits.before(item.statement, _joined(*before))
        context.edits.after(last.statement, "".join("; " + text for text in behind))


def _joined(*texts):
    return "".join(text + "; " for text in texts)


def _texts(context, part, found, names):
    """(lines before, lines behind) a part of a statement, which is edited; None where it stays as it is."""
    if direct_sections.is_copy(context, part, found):
        return direct_sections.copy(found[0], names)
    if not names.can_declare:
        return None
    if any(access.is_section for access in found):
        return direct_sections.write(context, part, found, names)
    before, behind = [], []
    for access in found:
        window, at, value = names.window(), names.pointer(access), names.value(access)
        before.append(f"call XMP_f_pointer(XMP_Direct({window}, {access.mine}, {access.image}), {at})")
        if access.put:
            send = f"{access.whole} = {value}"
            if is_misplaced(access):
                send = f"call XMP_Store({access.mine}, {access.image}, {value}, storage_size({value}) / 8_8)"
            before.append(f"if (.not. associated({at})) {at} => {value}")
            behind.append(f"if (associated({at}, {value})) {send}")
        else:
            before.append(f"if (.not. associated({at})) then; {value} = {access.whole}; {at} => {value}; end if")
        context.edits.words(part.statement, part.words[access.one.first], part.words[access.one.last], at)
    return before, behind


def is_misplaced(access):
    """Whether gfortran 12 sends it to a wrong place: a complex scalar."""
    variable = access.one.variable
    return access.put and access.described is variable and variable.base == "complex" and not variable.bounds
