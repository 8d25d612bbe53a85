"""task, tasks, loop, array (specification 4.4)."""

from ..spelling import did_you_mean
from . import tree

# reduction kinds by language, and how many of them need location variables
LOCATED = ("firstmax", "firstmin", "lastmax", "lastmin")
C_KINDS = (*"+ * - & | ^ && || max min".split(), *LOCATED)
FORTRAN_KINDS = (*"+ * - .and. .or. .eqv. .neqv. max min iand ior ieor".split(), *LOCATED)
_LOCATED_BY_NODES = ("max", "min")  # in the directive: what the first node with the value has (WRK-06)
LOOP_CLAUSES = ("on", "expand", "margin", "peel_and_wait", "reduction")


def task(reader, word):
    reader.expect("on", "and the nodes that execute the task")
    on = reader.reference()
    nocomm = bool(reader.accept("nocomm"))
    reader.finish(("nocomm",))
    return tree.Task(word, on, nocomm)


def array(reader, word):
    reader.expect("on", "and a template")
    on = reader.reference("a template")
    return tree.ArrayConstruct(word, on)


def loop(reader, word):
    indices = None
    if reader.accept("("):
        indices = reader.separated(lambda: reader.name("a loop variable"))
        _each_once(reader, indices)
    if not reader.at("on"):
        help = did_you_mean(reader.key(), ("on",)) if not reader.done else None
        reader.fail(f"expected 'on' and a template or nodes{reader.instead()}", help=help)
    reader.take()
    on = reader.reference()
    clauses = {"expand": None, "margin": None, "peel_and_wait": None}
    reductions = []
    while not reader.done:
        key, at = reader.key(), reader.word
        given = next((name for name, value in clauses.items() if value is not None), key)
        if key in clauses and given != key:
            reader.fail(f"'{given}' and '{key}' exclude each other", code="XMP-E102")
        if key in ("expand", "margin") and clauses[key] is None:
            reader.take()
            clauses[key] = reader.widths(("unbound",))
        elif key == "peel_and_wait" and clauses[key] is None:
            reader.take()
            clauses[key] = _peel(reader)
        elif key == "reduction":
            reader.take()
            reductions.append(reduction_clause(reader, at, True))
        elif reader.at(","):
            reader.take()  # OpenMP users separate clauses by commas
        else:
            reader.finish(LOOP_CLAUSES)
    return tree.Loop(word, indices, on, clauses["expand"], clauses["margin"], clauses["peel_and_wait"], reductions)


def _each_once(reader, indices):
    seen = set()
    for word in indices:
        if reader.key(word) in seen:
            reader.fail(f"the loop variable '{word.text}' is given twice", word, code="XMP-E102")
        seen.add(reader.key(word))


def _peel(reader):
    reader.expect("(")
    async_id = reader.expression((",", ")"), "an async-id")
    reader.expect(",", "and the widths")
    return async_id, reader.separated(lambda: reader.width(("unbound",)))


def reduction_clause(reader, word, of_loop):
    """( kind : variable, ... ) or, in loops, ( kind : variable / location, ... /, ... )"""
    reader.expect("(")
    kind = _reduction_kind(reader, of_loop)
    reader.expect(":")
    specs = reader.separated(lambda: _reduction_spec(reader, kind, of_loop))
    return tree.ReductionClause(word, kind, specs)


def _reduction_kind(reader, of_loop):
    kinds = FORTRAN_KINDS if reader.fortran else C_KINDS
    if reader.done or reader.at(":", ")"):
        reader.fail(f"expected a reduction operator{reader.instead()}", help=f"the operators are {' '.join(kinds)}")
    word = reader.take()
    kind = word.text.lower() if word.text.isalpha() else reader.key(word)  # Omni's tests write MAX in C, too
    if kind not in kinds:
        help = did_you_mean(kind, kinds, f"the operators are {' '.join(kinds)}")
        reader.fail(f"unknown reduction operator '{word.text}'", word, help, "XMP-E102")
    if not of_loop and (kind in LOCATED or kind == "-"):
        reader.fail(f"'{kind}' is allowed only in the reduction clause of a loop", word, code="XMP-E102")
    return kind


def _reduction_spec(reader, kind, of_loop):
    word = reader.word
    variable = reader.expression((",", ")", "/"), "a variable")
    locations = []
    if reader.accept("/"):
        locations = reader.separated(lambda: reader.expression((",", "/"), "a location variable"), "/")
    same = next((location for location in locations if location.text == variable.text), None)
    if same is not None:
        reader.fail(f"'{variable.text}' cannot hold both the value and where it is", same.word, code="XMP-E102")
    if not of_loop and kind in _LOCATED_BY_NODES:
        return tree.ReductionSpec(word, variable, locations)
    if (kind in LOCATED) != bool(locations):
        if locations:
            help = f"write first{kind} or last{kind}" if kind in _LOCATED_BY_NODES else None
            reader.fail(f"'{kind}' takes no location variables", word, help, "XMP-E102")
        reader.fail(f"'{kind}' needs location variables", word, f"write {kind}:{variable.text}/i/", "XMP-E102")
    return tree.ReductionSpec(word, variable, locations)


def end(reader, word):
    """Fortran: end task, end tasks, end master_io, end global_io (also in two words, IO-19)."""
    what = reader.name("task, tasks, master_io or global_io")
    key = reader.key(what)
    if key in ("master", "global") and reader.accept("io"):
        key += "_io"
    known = ("task", "tasks", "master_io", "global_io")
    if key not in known:
        help = did_you_mean(key, known, written="'end {}'")
        reader.fail(f"unknown directive 'end {what.text}'", what, help, "XMP-E101")
    return tree.End(word, key)
