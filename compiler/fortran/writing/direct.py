"""Elements of other images as loads and stores. Where an assignment or a condition names scalar elements, `b = a(i)[k]` becomes

    call XMP_f_pointer(XMP_Direct(window1_xmp, a(i), k), at1_xmp)
    if (.not. associated(at1_xmp)) then; value1_xmp = a(i)[k]; at1_xmp => value1_xmp; end if
    b = at1_xmp

on one line, and so for the condition of an `if` and for components, `s(i)[k]%x`. XMP_Direct gives the element's address where
that image's memory is mapped here. Elsewhere the library fetches the value, or, if the element is assigned to, sends it behind
the assignment. The address is asked for in each statement, by a call that gfortran knows nothing of: what other images change
is seen after each image control. (A BLOCK around the statement would do without declarations at the procedure's head, but
gfortran takes names without a declaration for its own.)"""

from ...record import Record
from ..reading.coindexed import coindexed
from ..reading.components import parts
from ..reading.lexer import closing
from ..reading.statements import Item, purity

_NUMBERS = ("integer", "real", "complex", "logical")
_TYPE_WORDS = frozenset((*_NUMBERS, "double", "precision", "kind"))
_FUNCTIONS = frozenset("abs iand ieor int ior ishft max min mod modulo num_images size this_image".split())
_MODULE = "kumihimo_direct"


class Access(Record):
    """One element. item: the statement or a part of it; one: the Coindexed; described: the Variable or Component that has its
    type; put: whether it is assigned to."""

    fields = ("item", "one", "described", "put")


def write(context, pinned):
    """Edits of all statements. pinned: variables whose images are those of a node array."""
    if context.wishes.threads:
        return  # several threads would share a window
    declared, excluded = {}, _elementwise(context)  # procedure -> lines
    for position, item in enumerate(context.items):
        if position in excluded or not _usable(context, position):
            continue
        for part in _parts(item):
            accesses = list(_accesses(context, position, part, pinned))
            if accesses:
                _write(context, item, part, accesses, declared.setdefault(item.unit.procedure, []))
    for unit, lines in declared.items():
        _declare(context, unit, lines)
    for root in dict.fromkeys(unit.root for unit in declared):
        context.uses_module(root, _MODULE)


def _declare(context, unit, lines):
    """Before everything that is executed, also what is added."""
    item = context.items[min([unit.start, *context.executable_directives(unit)])]
    context.lines_before(item, lines, first=True)


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


def _parts(item):
    """The assignment and the condition of a statement, as Items."""
    if item.kind == "if" or item.guarded is not None:
        yield Item(item.statement, item.words[: closing(item.words, 1) + 1])
    assignment = item.guarded or item
    if assignment.kind == "assignment" and [word.text for word in assignment.words].count("=") == 1:
        yield assignment  # a second one: an implied do, whose variable has no value before the statement


# ---- which elements ----


def _accesses(context, position, part, pinned):
    item, declarations, words = context.items[position], context.declarations(position), part.words
    procedure = context.scopes.of(item.unit.procedure)
    for one in coindexed(part, declarations):
        described = None if one.variable in pinned else _described(one, words)
        if described is None or not _has_type(described, procedure):
            continue
        inside = words[one.first + 1 : one.last + 1]
        if not one.variable.has("volatile") and not one.variable.has("asynchronous") and _plain(context, declarations, inside):
            yield Access(part, one, described, one.first == 0 and words[one.last + 1].text == "=")


def _described(one, words):
    """The Variable or Component of which it is the scalar or an element by its form; None for sections and what the program
    allocates."""
    if words[one.first + 1].text == "(":
        end, subscripted = closing(words, one.first + 1), True
    else:
        end, subscripted = one.first, False
    inside = sum(map(len, one.cosubscripts)) + len(one.cosubscripts) - 1  # with the commas between
    if end + 1 != one.opening or subscripted != bool(one.variable.bounds) or one.closing - one.opening - 1 != inside:
        return None
    if one.last == one.closing:
        return one.variable
    words = [*words[one.first : one.opening], *words[one.closing + 1 : one.last + 1]]
    for end, component in parts(one.variable, words, 1):
        subscripted = end + 1 < len(words) and words[end + 1].text == "("
        if component.allocated or subscripted != bool(component.bounds):
            return None
        last = closing(words, end + 1) if subscripted else end
        if last == len(words) - 1:
            return component
    return None


def _has_type(described, declarations):
    """Whether it is a number, of a kind that has its name here, too."""
    if described.base not in _NUMBERS:
        return False
    names = "".join(c if c.isalnum() or c == "_" else " " for c in described.type.lower()).split()
    names = [name for name in names if not name[0].isdigit() and name not in _TYPE_WORDS]
    host = declarations
    while host is not None and host is not described.declarations:
        host = host.host
    same = [declarations.lookup(name) is described.declarations.lookup(name) for name in names]
    known = [declarations.lookup(name) is not None for name in names]
    return all(same) and (host is not None or all(known))


def _plain(context, declarations, words):
    """Whether the subscripts are scalars whose evaluation changes nothing."""
    if sum(word.text == "[" for word in words) > 1:
        return False
    for number, word in enumerate(words):
        after = words[number + 1].text if number + 1 < len(words) else ""
        if word.text in (":", "::", "(/") or word.kind == "string":
            return False
        if word.kind != "identifier" or number and words[number - 1].text == "%":
            continue
        known = declarations.type_of(word.text)
        variable = declarations.lookup(word.text)
        if after == "(" and variable is None and word.text in _FUNCTIONS:
            continue
        if known is None or after == "%" or (after == "(") != bool(known[2]) or context.model.array(variable) is not None:
            return False
    return True


# ---- the text ----


def _write(context, item, part, accesses, declared):
    """declared: the lines of the procedure's declarations so far; three for each access."""
    before, behind = [], []
    for access in accesses:
        one, words, text = access.one, access.item.words, item.statement.text
        window, at, value = (f"{name}{len(declared) // 3 + 1}_xmp" for name in ("window", "at", "value"))
        type_, name = access.described.type, words[one.first].text
        mine = text[words[one.first].start : words[one.opening - 1].end] + text[words[one.closing].end : words[one.last].end]
        whole = text[words[one.first].start : words[one.last].end]
        declared += [f"type(XMP_Window), save :: {window}", f"{type_}, pointer :: {at}", f"{type_}, target :: {value}"]
        image = _image(one, name, [text[part[0].start : part[-1].end] for part in one.cosubscripts])
        before.append(f"call XMP_f_pointer(XMP_Direct({window}, {mine}, {image}), {at})")
        if access.put:
            send = f"{whole} = {value}"
            if (
                access.described is one.variable and one.variable.base == "complex" and not one.variable.bounds
            ):  # gfortran 12 sends it to a wrong place
                send = f"call XMP_Store({mine}, {image}, {value}, storage_size({value}) / 8_8)"
            before.append(f"if (.not. associated({at})) {at} => {value}")
            behind.append(f"if (associated({at}, {value})) {send}")
        else:
            before.append(f"if (.not. associated({at})) then; {value} = {whole}; {at} => {value}; end if")
        context.edits.words(item.statement, words[one.first], words[one.last], at)
    if part is item.guarded:
        before.insert(0, "then")
        behind.append("end if")
    text = "".join(text + "; " for text in before)
    if part is item.guarded:
        context.edits.before_word(item.statement, part.words[0], text)
    else:
        context.edits.before(item.statement, text)
    context.edits.after(item.statement, "".join("; " + text for text in behind))


def _image(one, name, cosubscripts):
    """The number of the image that cosubscripts select."""
    if len(cosubscripts) == 1:
        return f"int({cosubscripts[0]}) - lcobound({name}, 1) + 1"
    return f"image_index({name}, [integer :: {', '.join(cosubscripts)}])"
