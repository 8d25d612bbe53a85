"""Statements of random XMP/Fortran programs. Most have one text: for the serial program its directives are comments."""

import copy

import shadow_sums
from fortran_loops import FortranLoop
from statements import (
    LOCATED,
    LoopStatement,
    Statement,
    expanded,
    loops_of_template,
    readable,
    reflect,
    unreplicated_runs,
)


def nest(draw, case, fixed=0.1, nested=0.15):
    """(statements before, loop, text of a value below 97 in absolute value, what it reads)."""
    loop = FortranLoop(draw, case, draw.choice(case.arrays), fixed=fixed, nested=nested)
    reads, before = readable(draw, case, loop)
    return before, loop, value(draw, loop, reads), reads


def value(draw, loop, reads):
    factors = [draw.randint(1, 5) for _ in reads]
    numbers, style = loop.numbers(), draw.randrange(4)

    def text(parallel):
        whole = " + ".join([f"{factor} * {read.text(parallel)}" for factor, read in zip(factors, reads)] + [f"{numbers}_8"])
        return f"mixed({whole})" if style == 0 else f"mod({whole}, 97_8)"

    return text


def fill(draw, case, array):
    loop = FortranLoop(draw, case, array, whole=True, fixed=0)
    text = value(draw, loop, [])
    array.coverage.written()
    return LoopStatement(loop, lambda parallel: [f"{loop.element()} = {text(parallel)}"])


def allocate(array):
    return Statement([f"allocate ({array.name}({', '.join(array.bounds(k) for k in range(array.rank))}))"])


def assign(draw, case):
    before, loop, text, reads = nest(draw, case)
    target, style = loop.element(), draw.random()
    loop.array.coverage.written()
    condition = f"if (mod({loop.numbers()}, 3) /= 1) " if style < 0.2 else ""

    def body(parallel):
        if style > 0.95:
            return [f"if (mod({text(parallel)}, 5_8) == 0) cycle", f"{target} = {text(parallel)}"]
        if style > 0.9:
            return [f"if (mod({text(parallel)}, 5_8) > 0) then", f"{target} = {text(parallel)}", "end if"]
        return [f"{condition}{target} = {text(parallel)}"]

    names = [loop.variables[k].name for k in loop.distributed]
    told = draw.random() < 0.1 and not loop.nested
    ends = [case.say(loop.template, f"{name} after the loop", name) for name in names if told]
    return [*before, LoopStatement(loop, body, reads, after=ends)]


SUMS = {
    "+": ("integer(8)", "3", "{s} + {x}"),
    "*": ("integer(8)", "1", "{s} * (1 + 2 * iand({x}, 3_8))"),
    "-": ("real(8)", "1000", "{s} - {x}"),
    "iand": ("integer", "-1", "iand({s}, int(ior({x}, 48_8)))"),
    "ior": ("integer(8)", "0", "ior({s}, iand({x}, 85_8))"),
    "ieor": ("integer(2)", "9", "ieor({s}, int({x}, 2))"),
    ".and.": ("logical", ".true.", "{s} .and. {x} < 88"),
    ".or.": ("logical", ".false.", "{s} .or. {x} > 90"),
    ".eqv.": ("logical", ".true.", "{s} .eqv. {x} > 9"),
    ".neqv.": ("logical", ".false.", "{s} .neqv. {x} > 9"),
    "max": ("real(8)", "-50", "max({s}, real({x}, 8))"),
    "min": ("integer(8)", "50", "min({s}, {x})"),
}


def reduce(draw, case):
    """A value of all iterations, or an array of them."""
    before, loop, text, reads = nest(draw, case, fixed=0, nested=0)
    operator = draw.choice([*SUMS, *LOCATED])
    if operator in LOCATED:
        return [*before, located(case, loop, reads, text, operator)]
    type_, start, update = SUMS[operator]
    size = draw.choice((0, 0, 0, 3))
    s = case.variable(type_, f"({size})" if size else "")
    loop.clauses = f" reduction({operator}: {s})"

    def body(parallel):
        x = f"({text(parallel)})"
        element = f"{s}(1 + int(mod(abs({x}), {size}_8)))" if size else s
        return [f"{element} = {update.format(s=element, x=x)}"]

    told = f"merge(1_8, 0_8, {s})" if type_ == "logical" else f"int({s}, 8)"
    if size:
        told = f"hash([{told}])"
    ends = [case.say(loop.template, f"reduction {operator}", f"int({told}, 8)")]
    return [*before, LoopStatement(loop, body, reads, False, [f"{s} = {start}"], ends)]


def located(case, loop, reads, text, operator):
    relation, start = LOCATED[operator]
    names = [loop.variables[k].name for k in sorted(loop.order)]
    s, x = case.variable("integer(8)"), case.variable("integer(8)")
    places = [case.variable("integer") for _ in names]
    loop.clauses = f" reduction({operator}: {s}/{', '.join(places)}/)"
    sets = [f"{place} = {name}" for place, name in zip(places, names)]

    def body(parallel):
        return [f"{x} = {text(parallel)} / 16", f"if ({x} {relation} {s}) then", f"{s} = {x}", *sets, "end if"]

    starts = [f"{s} = {start}", *(f"{place} = -99" for place in places)]
    said = [case.say(loop.template, operator, f"int({name}, 8)") for name in (s, *places)]
    return LoopStatement(loop, body, reads, False, starts, said)


def widened(draw, case):
    """expand writes the shadow, too; expand and margin with negative widths are the inside and its rim."""
    arrays = [a for a in case.arrays if all(not d.full for d in a.dimensions) and unreplicated_runs(a)]
    if not arrays:
        return []
    array = draw.choice(arrays)
    loop = FortranLoop(draw, case, array, whole=True, fixed=0)
    loop.step_name = None
    for variable in loop.variables:
        variable.step = draw.choice((1, 1, -1))
    text, target = value(draw, loop, []), loop.element()
    array.coverage.written()

    def body(parallel):
        return [f"{target} = {text(parallel)}"]

    if draw.random() < 0.5 and array.has_shadow:
        return [LoopStatement(expanded(loop), body)]
    again = copy.copy(loop)
    again.label = again.name = None  # each names one nest
    widths = ["0" if k is None else f"-{draw.randint(0, 2)}" for k in loops_of_template(loop)]
    loop.clauses, again.clauses = f" expand({', '.join(widths)})", f" margin({', '.join(widths)})"
    return [LoopStatement(loop, body), LoopStatement(again, body)]


def peeled(draw, case):
    """The inside of a loop while the shadow is on its way, then the rim."""
    loop = FortranLoop(draw, case, draw.choice(case.arrays), fixed=0, nested=0)
    loop.step_name = None
    others = [a for a in case.arrays if a.template is loop.template and a is not loop.array and a.has_shadow]
    if not others or any(abs(v.step) != 1 for v in loop.variables) or not unreplicated_runs(loop.array):
        return []
    array = draw.choice(others)
    read = None if any(d.full for d in array.dimensions) else loop.read(array)
    if read is None:
        return []
    number = draw.randint(10, 19)
    started = reflect(draw, array, read.reach, number)
    text, target, widths = value(draw, loop, [read]), loop.element(), []
    for onto, k in enumerate(loops_of_template(loop)):
        m = next((m for m, d in enumerate(array.dimensions) if d.onto == onto), None)
        widths.append("0" if k is None or m is None else f"-{abs(read.reach.deltas[m])}")
    loop.clauses = f" peel_and_wait({number}, {', '.join(widths)})"
    loop.array.coverage.written()
    return [started, LoopStatement(loop, lambda parallel: [f"{target} = {text(parallel)}"])]


def summed_shadows(draw, case):
    def added(loop, read, values, parallel):
        places = (read.place(parallel), loop.element())
        return [f"{place} = {place} + mod({number}, 20)" for place, number in zip(places, values)]

    def loop_over(array, **options):
        return FortranLoop(draw, case, array, **options)

    return shadow_sums.summed_shadows(draw, case.arrays, loop_over, lambda loop: [f"{loop.element()} = 0"], added)


def point(draw, case):
    """An element that its owners write inside a task."""
    array = draw.choice(case.arrays)
    places, indices = [":"] * array.template.rank, []
    for first, d in zip(array.firsts, array.dimensions):
        element = draw.randrange(d.extent)
        indices.append(element + first)
        if d.onto >= 0:
            places[d.onto] = str(element + d.offset)
    array.coverage.written()
    on = f"{array.template.name}({', '.join(places)})"
    return [Statement([f"!$xmp task on {on}", f"{array.element(indices)} = {draw.randint(-90, 90)}", "!$xmp end task"])]


def handed_on(draw, case):
    """bcast of what one node has, and a reduction of what all have."""
    nodes, b, root = case.nodes(), case.variable("integer", "(4)"), case.variable("integer")
    part = draw.choice(("", "(1:2)", "(3:1:-1)", "(2:4:2)", "(:)", "(:3)", "(::2)"))
    operator = draw.choice(("max", "min", "iand", "ior"))
    return [
        Statement(
            [
                f"{b} = 0",
                f"{root} = 1 + mod({draw.randrange(100)}, everybody)",
                f"if (myself == {root}) {b}{part} = {draw.randint(-99, 99)}",
                f"!$xmp bcast ({b}{part}) from {nodes}({root})" + draw.choice(("", f" on {nodes}(:)", f" on {nodes}")),
                f"!$xmp reduction({operator}: {b}{part})",
                case.say(None, "bcast", f"hash([int({b}, 8)])"),
            ]
        )
    ]


def beside_each_other(draw, case):
    """Two tasks that may run at the same time, with collectives of their own; one of them may be empty of nodes."""
    nodes, count, right = case.nodes(), case.variable("integer"), case.variable("integer")
    first = "(everybody + 1) / 2"
    tasks = []
    for part in (f"1:{first}", "everybody - everybody / 2 + 1:everybody"):
        barrier = draw.sample(["!$xmp barrier"], draw.randint(0, 1))
        tasks += [f"!$xmp task on {nodes}({part})", f"{count} = 1", f"!$xmp reduction(+: {count})", *barrier, "!$xmp end task"]
    if draw.random() < 0.5:
        tasks = ["!$xmp tasks", *tasks, "!$xmp end tasks"]
    half = f"merge({first}, everybody / 2, myself <= {first})"
    whole = [f"{count} = 1", *tasks, f"{right} = merge(1, 0, {count} == {half})", f"!$xmp reduction(min: {right})"]
    said = case.say(None, "tasks", f"int({right}, 8)")
    return [Statement([*whole, said], [f"{right} = 1", said])]


def inside_task(draw, case):
    """Loops, reflects and reductions by the nodes of one array alone."""
    template = draw.choice(case.templates)
    inner = case.on_template(template)
    statements = []
    for make in draw.choices((assign, reduce), k=draw.randint(1, 2)):
        statements += make(draw, inner)
    return [Wrapped(f"!$xmp task on {template.nodes.name}", statements)]


class Wrapped(Statement):
    """A task."""

    def __init__(self, directive, statements):
        self.directive, self.statements = directive, statements

    def lines(self, parallel):
        return [self.directive, *(line for s in self.statements for line in s.lines(parallel)), "!$xmp end task"]


def reflected(draw, case):
    """A reflect that nobody needs at once."""
    arrays = [array for array in case.arrays if array.has_shadow]
    if not arrays:
        return []
    return [reflect(draw, draw.choice(arrays))]


# ---- gmove ----


def one_sided(draw, case):
    """One node alone, or all of them, read and write elements of any nodes. Barriers keep the others away meanwhile."""
    mode, barrier = draw.choice(("in", "out")), Statement(["!$xmp barrier"])
    if draw.random() < 0.4:
        return [barrier, *moved(draw, case, mode), barrier]
    nodes, speaker = case.nodes(), f"1 + mod({draw.randrange(100)}, everybody)"
    return [barrier, Wrapped(f"!$xmp task on {nodes}({speaker})", moved(draw, case, mode, speaker)), barrier]


def moved(draw, case, mode="", speaker="1"):
    """Left = right: sections and elements of global and local arrays, constants."""
    arrays = [array for array in case.arrays if not array.member]
    if not arrays:
        return []
    sides = [Side(draw.choice(arrays)), Side(draw.choice(arrays))]
    kind, lines = draw.random(), []
    if kind > 0.55 or mode:
        local, lines = local_array(draw, case)
        sides[{"": draw.randrange(2), "in": 0, "out": 1}[mode]] = local
    left, right = sides
    rank = draw.randint(0, min(len(left.firsts), len(right.firsts)))
    at = [sorted(draw.sample(range(len(side.firsts)), rank)) for side in sides]
    lengths = [min(left.extents[a], right.extents[b]) for a, b in zip(*at)]
    lengths = [n if draw.random() < 0.5 else draw.randint(1, n) for n in lengths]
    texts = [section(draw, side, own, lengths) for side, own in zip(sides, at)]
    if kind < 0.05 and not mode:
        texts[1] = str(draw.randint(-90, 90))
    if left.array is not None:
        left.array.coverage.written()
        after = []
    else:
        after = [case.say(None, "gmove to a local array", f"hash([int({left.name}, 8)])", speaker)]
    number = draw.randint(20, 29)
    async_ = draw.random() < 0.15
    move = [f"!$xmp gmove {mode}".rstrip() + (f" async({number})" if async_ else ""), f"{texts[0]} = {texts[1]}"]
    return [Statement([*lines, *move, *([f"!$xmp wait_async ({number})"] if async_ else []), *after])]


class Side:
    """An array of a gmove; array: the global one."""

    def __init__(self, array):
        self.array, self.name, self.firsts = array, array.name, array.firsts
        self.extents = [d.extent for d in array.dimensions]


class Local(Side):
    def __init__(self, name, firsts, extents):
        self.array, self.name, self.firsts, self.extents = None, name, firsts, extents


def local_array(draw, case):
    """(Side, the lines that fill it)."""
    extents = [draw.randint(1, 12) for _ in range(draw.randint(1, 3))]
    firsts = [draw.choice((1, 1, 0, -2)) for _ in extents]
    bounds = ", ".join(f"{first}:{first + extent - 1}" for first, extent in zip(firsts, extents))
    name = case.variable(draw.choice(("integer", "integer(8)", "real(8)")), f"({bounds})")
    variables = "ijk"[: len(extents)]
    loops = [f"do {v} = {f}, {f + e - 1}" for v, f, e in zip(variables, firsts, extents)]
    number = " + ".join(f"{draw.randint(1, 9)} * {v}" for v in variables)
    return Local(name, firsts, extents), [
        *loops,
        f"{name}({', '.join(variables)}) = mod({number}, 97)",
        *["end do"] * len(extents),
    ]


def section(draw, side, at, lengths):
    texts = []
    for d, (first, extent) in enumerate(zip(side.firsts, side.extents)):
        if d not in at:
            texts.append(str(first + draw.randrange(extent)))
            continue
        length = lengths[at.index(d)]
        if length == extent and draw.random() < 0.6:
            texts.append(":")
            continue
        step = draw.randint(1, max(1, (extent - 1) // max(1, length - 1))) if length > 1 else 1
        low = first + draw.randint(0, extent - 1 - (length - 1) * step)
        high = low + (length - 1) * step
        if draw.random() < 0.3:
            low, high, step = high, low, -step
        texts.append(f"{low}:{high}" + (f":{step}" if step != 1 else ""))
    return f"{side.name}({', '.join(texts)})"


def whole(draw, case, array):
    """Compares all elements: a copy on every node."""
    copy = case.variable(array.type, f"({', '.join(array.bounds(k) for k in range(array.rank))})")
    all_ = ", ".join(":" * array.rank)
    said = case.say(None, f"all of {array.name}", f"hash([int({copy}{array.member}, 8)])")
    return Statement([f"{copy}{array.member} = 0", "!$xmp gmove", f"{copy}({all_}) = {array.name}({all_})", said])


# ---- procedures ----


def called(draw, case):
    return [Statement([case.call(draw, draw.choice(case.arrays), (assign, reduce, point))])]
