"""Sections of other images' arrays by loads and stores. An assignment that only copies what lies in one piece becomes

    if (.not. XMP_Copied_from(window1_xmp, a(1:n), k, b(1:n), bytes)) b(1:n) = a(1:n)[k]

and all others, `b = b + 2 * a(1:9:2, j)[k]`,

    call XMP_f_pointer(XMP_Direct_array(window1_xmp, a, k), at1_xmp, shape(a)); at1_xmp(lbound(a, 1):, lbound(a, 2):) => at1_xmp
    if (associated(at1_xmp)) then; b = b + 2 * at1_xmp(1:9:2, j); else; b = b + 2 * a(1:9:2, j)[k]; end if

XMP_Direct_array gives the address of all of that image's array; the subscripts stay. Of this image itself the library is asked,
because gfortran would not see that both sides may be the same elements; and where the subscripts lie outside of the array."""

from ..reading.lexer import closing, find, split
from ..reading.remote import changes_nothing, has_place, is_triplet, triplet


def write(context, part, found, names):
    """What direct.py writes of a part that is an assignment or a condition with sections."""
    statement, words = part.statement, part.words
    if any(word for word in words if context.result_reference(word) is not None):
        return None  # other edits replace what is around the section
    before, pointers = [], []
    for access in found:
        window, at = names.window(), names.pointer(access)
        pointers.append(at)
        before += _associated(access, window, at)
    reached = " .and. ".join(f"associated({at})" for at in pointers)
    if part.kind == "assignment":
        text = _with_pointers(context, statement, words, zip(found, pointers))
        return [*before, f"if ({reached}) then", text, "else"], ["end if"]
    inner, condition = words[2:-1], names.condition()
    text = _with_pointers(context, statement, inner, [(access, at) for access, at in zip(found, pointers)], 2)
    whole = context.edits.moved(statement, inner[0], inner[-1])
    context.edits.words(statement, inner[0], inner[-1], condition)
    return [*before, f"if ({reached}) then", f"{condition} = {text}", "else", f"{condition} = {whole}", "end if"], []


def _associated(access, window, at):
    """The lines that let a pointer point to the element, or to all of the array with its bounds."""
    if not access.is_section:
        return [f"call XMP_f_pointer(XMP_Direct({window}, {access.mine}, {access.image}), {at})"]
    array, bounds = access.array, access.described.bounds
    inside = _inside(access)
    image = f"merge({access.image}, 0, {inside})" if inside else access.image
    lines = [f"call XMP_f_pointer(XMP_Direct_array({window}, {array}, {image}), {at}, shape({array}))"]
    if "allocatable" in access.described.attributes or any(lower != "1" for lower, _ in bounds):
        lower = ", ".join(f"lbound({array}, {d + 1}):" for d in range(len(bounds)))
        lines.append(f"{at}({lower}) => {at}")
    return lines


def _inside(access):
    """Whether the subscripts lie inside of the array, as text; empty for all of it."""
    texts = []
    for d, subscript in enumerate(access.subscripts, 1):
        ends = triplet(subscript)[:2] if is_triplet(subscript) else [subscript]
        for end in ends:
            if end is not None:
                text = access.part(end)
                texts += [f"{text} >= lbound({access.array}, {d})", f"{text} <= ubound({access.array}, {d})"]
    return " .and. ".join(texts)


def _with_pointers(context, statement, words, pointers, begin=0):
    """The text of words of a statement with pointers for the Accesses. begin: the number of the first word among the part's."""
    pieces, at = [], 0
    for access, pointer in pointers:
        first, last = access.one.first - begin, access.one.last - begin
        if first > at:
            pieces.append(context.edits.moved(statement, words[at], words[first - 1]))
        pieces.append(pointer + (access.subscripted if access.is_section else ""))
        at = last + 1
    if at < len(words):
        pieces.append(context.edits.moved(statement, words[at], words[-1]))
    return " ".join(pieces)


# ---- copies ----


def is_copy(context, part, found):
    """Whether a part is an assignment of nothing but one section to another, of one type, each in one piece."""
    if part.kind != "assignment" or len(found) != 1 or not found[0].is_section or not _in_one_piece(found[0].subscripts):
        return False
    access, equals = found[0], find(part.words, "=")
    alone = access.one.last == (equals - 1 if access.put else len(part.words) - 1) and (access.put or access.one.first > equals)
    return alone and _is_array(context, access, _other_side(access))


def copy(access, names):
    """As write; the statement stays where nothing was copied."""
    side = _other_side(access)
    mine, other = access.mine, access.part(side)
    conditions = [f"size({other}) == size({mine})", f"kind({other}) == kind({mine})"]
    if _may_be_allocated(access, side):
        conditions.append(f"allocated({other})")
    image = f"merge({access.image}, 0, {' .and. '.join(conditions)})"
    function = "XMP_Copied_to" if access.put else "XMP_Copied_from"
    bytes_ = f"size({mine}, kind=8) * (storage_size({mine}) / 8)"
    return [f"if (.not. {function}({names.window()}, {mine}, {image}, {other}, {bytes_})) then"], ["end if"]


def _other_side(access):
    equals = find(access.words, "=")
    return access.words[equals + 1 :] if access.put else access.words[:equals]


def _is_array(context, access, words):
    """Whether words are an array of this image, or a section of one, that such a copy may name."""
    variable = access.declarations.lookup(words[0].text) if words else None
    if variable is None or variable.base != access.described.base or not variable.bounds or not has_place(variable):
        return False
    if variable.has("volatile") or variable.has("asynchronous") or context.model.array(variable) is not None:
        return False
    if len(words) == 1:
        return len(variable.bounds) == 1 or not _may_be_allocated(access, words)
    if words[1].text != "(" or closing(words, 1) != len(words) - 1:
        return False
    subscripts = split(words[2:-1])
    section = _in_one_piece(subscripts) and any(is_triplet(subscript) for subscript in subscripts)
    return section and changes_nothing(context, access.declarations, words[1:], subscripts)


def _may_be_allocated(access, words):
    """Whether an assignment to it may allocate it."""
    return not access.put and len(words) == 1 and access.declarations.lookup(words[0].text).has("allocatable")


def _in_one_piece(subscripts):
    """Whether the elements lie side by side, as far as the subscripts say: `:` first, then at most one other triplet, at last
    none."""
    kinds = [_kind(subscript) for subscript in subscripts]
    return kinds == sorted(kinds) and kinds.count(_SOME) < 2 and _STEPS not in kinds


_ALL, _SOME, _ONE, _STEPS = range(4)


def _kind(subscript):
    if not is_triplet(subscript):
        return _ONE
    lower, upper, stride = triplet(subscript)
    if stride is not None:
        return _STEPS
    return _ALL if lower is None and upper is None else _SOME
