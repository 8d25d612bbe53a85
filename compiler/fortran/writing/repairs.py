"""What gfortran 12 refuses although there is no doubt what is meant: coarrays of procedures and BLOCKs without SAVE, whole
arrays of other images without `(:)`, initial values without `::`, functions of the library without a type (interfaces.py:
procedures without an interface). And what it gets wrong: image selectors with TEAM=, components of the elements of a section,
complex scalars, substrings on other images, vectors on the left of what comes from them."""

from ..reading.coindexed import array_rank, behind_section, coindexed, opening_of
from ..reading.declarations import read
from ..reading.lexer import closing, find, split
from . import pragmas

_PROCEDURES = ("subroutine", "function", "procedure")
# Functions of xmp_lib that programs call without a declaration, and those that programs for Omni ask about its memory.
_TYPES_OF_LIBRARY = {
    **dict.fromkeys(("xmp_all_node_num", "xmp_all_num_nodes", "xmp_node_num", "xmp_num_nodes", "xmp_num_images"), "integer"),
    **dict.fromkeys(("xmp_wtime", "xmp_wtick"), "double precision"),
    **dict.fromkeys((f"xmpf_coarray_{name}_bytes" for name in ("allocated", "garbage", "malloc")), "integer"),
    **dict.fromkeys((f"xmpf_coarray_uses_{name}" for name in ("fjrdma", "gasnet", "mpi3_onesided")), "logical"),
}


def write(context):
    """Edits of all units."""
    roots = {}
    for unit in context.file.units:
        _copies(context, unit)
        if unit.kind == "block" or unit.procedure.kind in _PROCEDURES:
            _save(context, unit)
    for position, item in enumerate(context.items):
        if item.statement.directive or item.unit is None:
            continue
        if item.kind == "declaration":
            _initial_values(context, item)
        found = list(coindexed(item, context.declarations(position))) if context.brackets else []
        if found:
            _sections(context, item, found)
            _components(context, position, found)
            _substrings(context, item, found)
            if any([_team(context, item, one) for one in found]):
                roots[item.unit.root] = True
    for root in roots:
        context.uses_module(root, "kumihimo_images")
    _declare_library(context)


# ---- SAVE ----


def _save(context, unit):
    """A coarray has its memory before the procedure or BLOCK begins and keeps it: a variable without SAVE cannot be that."""
    declarations = context.scopes.of(unit)
    if declarations.saved:
        return
    aliases = {alias.variable for aliases in context.aliases.values() for alias in aliases}
    for variable in declarations.variables.values():
        if not _unsaved(variable) or variable in aliases:
            continue
        if any(_varies(context, text, unit) for pair in variable.bounds for text in pair):
            continue  # an automatic array, which cannot be one: gfortran says it
        item = variable.item or variable.mentions[0][0]
        context.edits.after(item.statement, f"; save :: {variable.name}")
        if variable.initial is not None:
            continue  # DATA gives it SAVE, of which gfortran does not think
        kept = "BLOCK keeps its value" if unit.kind == "block" else "procedure keeps its value from call to call"
        message = f"the coarray '{variable.name}' of a {kept}"
        context.diagnostics.warning("XMP-W223", message, variable.word, (), "write save in its declaration")


def _unsaved(variable):
    kept = ("allocatable", "pointer", "save", "parameter", "associated")
    given = variable.initial is not None and variable.entity is not None and variable.initial in variable.entity
    return variable.has("codimension") and not variable.dummy and not any(map(variable.has, kept)) and not given


def _varies(context, text, unit):
    return text is not None and context.constant(text, unit) is None


# ---- integer :: n = 3 ----


def _initial_values(context, item):
    """Other compilers take an initial value without `::`."""
    if find(item.words, "::") is None:
        entities = read(item)[-1]
        if entities and any(one.initial is not None for one in entities):
            context.edits.before_word(item.statement, entities[0].word, ":: ")


# ---- a[k] of an array ----


def _sections(context, item, found):
    for one in found:
        before = item.words[one.opening - 1]
        rank = array_rank(one, item.words) if before.kind == "identifier" else 0
        if rank:
            context.edits.after_word(item.statement, before, f"({', '.join(':' * rank)})")


# ---- a[k, team=t] ----


def _team(context, item, one):
    """gfortran gets from an image of the current team whatever TEAM= says: the same image among those is selected instead."""
    inside = [part for part in split(item.words[one.opening + 1 : one.closing]) if part]
    named = [part for part in inside if len(part) > 2 and part[0].text == "team" and part[1].text == "="]
    if not named:
        return False

    def text(words):
        return item.statement.text[words[0].start : words[-1].end]

    last = one.opening - 1
    if item.words[last].text == ")":
        last = opening_of(item.words, last) - 1
    name = text(item.words[one.first : last + 1])
    bounds = f"lcobound({name}), ucobound({name})"
    image = f"XMP_Image_index([{', '.join(map(text, one.cosubscripts))}], {bounds})"
    there = f"XMP_Image_in_team({text(named[0][2:])}, {image})"
    selected = [f"XMP_Cosubscript({there}, {bounds}, {d + 1})" for d in range(len(one.cosubscripts))]
    others = [text(part) for part in inside if part not in one.cosubscripts and part is not named[0]]
    context.edits.words(item.statement, inside[0][0], inside[-1][-1], ", ".join(selected + others))
    return True


# ---- components of sections ----


def _copies(context, unit):
    """gfortran keeps what is assigned to such a variable in a copy."""
    for variable in context.scopes.of(unit).variables.values():
        scalar = variable.has("codimension") and variable.base == "complex" and not variable.bounds
        if scalar and not variable.has("allocatable") and not variable.dummy:
            message = f"no other image sees what gfortran 12 assigns to the complex scalar '{variable.name}'"
            help = f"declare it allocatable, or as an array: {variable.name}(1)[*]"
            context.diagnostics.warning("XMP-W225", message, variable.word, (), help)


def _substrings(context, item, found):
    for one in found:
        if one.variable.base == "character" and one.last == one.closing and _text(item.words, one.closing + 1) == "(":
            message = f"gfortran 12 takes a substring of '{one.variable.name}' on another image for as long as the whole"
            help = "get or assign the whole, and take the substring of a variable of this image"
            context.diagnostics.warning("XMP-W226", message, item.words[one.first], (), help)


def _vectors(context, position):
    """`a([3, 1]) = b(1:2)[k]`: gfortran assigns to a copy of these elements."""
    item, declarations = context.items[position], context.declarations(position)
    words, equals = item.words, find(item.words, "=")
    variable = declarations.lookup(words[0].text)
    if variable is None or not variable.has("codimension") or _text(words, 1) != "(" or closing(words, 1) != equals - 1:
        return
    for subscript in split(words[2 : equals - 1]):
        named = declarations.lookup(subscript[0].text) if len(subscript) == 1 else None
        if subscript[0].text in ("[", "(/") or named is not None and named.bounds:
            message = f"gfortran 12 assigns what comes from another image to a copy of the elements of '{variable.name}'"
            help = "write a loop over the elements, or assign to another array first"
            context.diagnostics.warning("XMP-W227", message, subscript[0], (), help)


def _text(words, number):
    return words[number].text if number < len(words) else ""


def _components(context, position, found):
    """gfortran moves the first component of `a(1:3)[k]%b` whichever is named; and it writes to the first one of `c(1:3)%b`
    where all of the right side is of another image, but not if that is an expression."""
    item = context.items[position]
    for one in found:
        word = behind_section(item.words, one.first, one.last, one.variable)
        if word is not None:
            message = f"gfortran 12 moves another component than '{word.text}' of the elements of a section on another image"
            context.diagnostics.warning("XMP-W224", message, word, (), "write a loop over the elements")
    words, equals = item.words, find(item.words, "=")
    if item.kind != "assignment" or len(found) != 1 or equals is None:
        return
    variable = context.declarations(position).lookup(words[0].text)
    alone = found[0].first == equals + 1 and found[0].last == len(words) - 1
    if alone:
        _vectors(context, position)
    if alone and behind_section(words, 0, equals - 1, variable) is not None:
        context.edits.before_word(item.statement, words[equals + 1], "(")
        context.edits.after(item.statement, ")")


# ---- functions of the library ----


def _declare_library(context):
    for unit in context.file.units:
        declarations = context.scopes.of(unit)
        if unit.construct or unit.kind not in ("program", *_PROCEDURES) or _knows_library(context, unit):
            continue
        words = {word.text for position in unit.items for word in context.items[position].words}
        declares = any(name.startswith("xmp_") for name in declarations.variables)
        if "xmp_desc_of" in words and unit.parent is None and not declares:
            context.uses_module(unit, "xmp_lib")  # a descriptor has a type of the library
            continue
        named = [name for name in _TYPES_OF_LIBRARY if name in words and declarations.lookup(name) is None]
        if named:
            first = context.items[pragmas.beginning(context, unit)]
            lines = [f"{_TYPES_OF_LIBRARY[name]}, external :: {name}" for name in named]
            context.lines_before(first, lines, first=True)


def _knows_library(context, unit):
    """Whether a unit or one around it has the library's interfaces, or what may have them."""
    modules = {one.name: one for one in context.file.units if one.kind == "module"}
    while unit is not None:
        for position in unit.items:
            words = context.items[position].words
            if words[0].text == "include":
                return True
            if words[0].text == "use":
                used = words[(find(words, "::") or 0) + 1].text
                if used not in modules or _knows_library(context, modules[used]):
                    return True
        unit = unit.parent
    return False
