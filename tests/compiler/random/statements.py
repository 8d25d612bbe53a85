"""Statements of random programs. Each gives its lines for the parallel program and for the serial one, which has the same
meaning without directives, and keeps the arrays' coverage (filled_shadows.py), so that the program is right."""

import copy

from filled_shadows import Filled, reflect_for
from loops import Loop, block


class Statement:
    """lines: of both programs; `parallel` where the two differ."""

    def __init__(self, lines, serial=None):
        self._parallel, self._serial = lines, lines if serial is None else serial

    def lines(self, parallel):
        return self._parallel if parallel else self._serial


class LoopStatement(Statement):
    """A loop over an array; reads: what it reads; writes: whether it writes that array; body(parallel): the lines inside, of
    which the first one reads and the last one writes."""

    def __init__(self, loop, body, reads=(), writes=True, before=(), after=()):
        self.loop, self.body, self.before, self.after = loop, body, list(before), list(after)
        self.reads, self.writes = reads, writes

    def lines(self, parallel):
        return [*self.before, *self.loop.lines(self.body(parallel)), *self.after]


# ---- what loops read ----


def readable(draw, case, loop, most=2):
    """Reads of some arrays beside the loop's, and the reflects that they need before."""
    reads, reflects = [], []
    others = [array for array in case.arrays if array.template is loop.template]
    for array in draw.sample(others, min(len(others), draw.randint(0, most))):
        read = loop.read(array)
        if read is None:
            continue
        if not array.coverage.allows(array, read.reach):
            reflects.append(reflect(draw, array, read.reach))
        reads.append(read)
    return reads, reflects


def value(draw, loop, reads):
    """An expression below 97 in absolute value; the same draws for both programs."""
    factors = [draw.randint(1, 5) for _ in reads]
    numbers, style = loop.numbers(), draw.randrange(4)

    def text(parallel):
        terms = [f"{factor} * {read.text(parallel)}" for factor, read in zip(factors, reads)]
        whole = " + ".join([*terms, numbers])
        return f"mixed({whole})" if style == 0 else f"({whole}) % 97"

    return text


# ---- reflect ----


def reflect(draw, array, reach=None, id_=None):
    filled, clauses = reflect_for(draw, array, reach)
    array.coverage.add(filled)
    if id_ is None and draw.random() < 0.15:
        number = draw.randint(1, 9)
        lines = [f"#pragma xmp reflect ({array.name}){clauses} async({number})", f"#pragma xmp wait_async ({number})"]
    else:
        lines = [f"#pragma xmp reflect ({array.name}){clauses}" + (f" async({id_})" if id_ is not None else "")]
    return Reflect(lines, array, filled)


class Reflect(Statement):
    def __init__(self, lines, array, filled):
        super().__init__(lines, [])
        self.array, self.filled = array, filled


# ---- loops ----


def fill(draw, array):
    """The first values."""
    loop = Loop(draw, array, whole=True, fixed=0)
    key = [f"{array.element([v.text() for v in loop.variables]).replace('.weight', '.key')} = 3;"] if array.member else []
    text = value(draw, loop, [])
    array.coverage.written()
    return LoopStatement(loop, lambda parallel: [*key, f"{loop.element()} = {text(parallel)};"])


def assign_always(draw, case):
    """The same under no condition, in one nest."""
    return assign(draw, case, conditions=0, nested=0)


def reflected(draw, case):
    """A reflect that nobody needs at once."""
    array = draw.choice(case.arrays)
    return [reflect(draw, array)] if array.has_shadow else []


def assign(draw, case, conditions=0.2, nested=0.15):
    """T[...] = what may be read there."""
    loop = Loop(draw, draw.choice(case.arrays), nested=nested)
    reads, before = readable(draw, case, loop)
    text = value(draw, loop, reads)
    target = loop.element()
    loop.array.coverage.written()
    style = draw.random()
    condition = f"if (({loop.numbers()}) % 3 != 1) " if style < conditions else ""

    def body(parallel):
        if style > 0.85:
            return [f"const long x = {text(parallel)};", f"{target} = x;"]
        return [f"{condition}{target} = {text(parallel)};"]

    return [*before, LoopStatement(loop, body, reads)]


SUMS = {
    "+": ("long", "0", "{s} += {x};"),
    "*": ("unsigned long", "1", "{s} *= 1 + 2 * (({x}) & 3);"),
    "-": ("long", "1000", "{s} -= {x};"),
    "&": ("unsigned", "~0u", "{s} &= ({x}) | 0x30;"),
    "|": ("unsigned", "0", "{s} |= ({x}) & 0x55;"),
    "^": ("int", "9", "{s} ^= {x};"),
    "&&": ("int", "1", "{s} = {s} && ({x}) < 88;"),
    "||": ("int", "0", "{s} = {s} || ({x}) > 90;"),
    "max": ("double", "-50", "if (({x}) > {s}) {s} = {x};"),
    "min": ("short", "50", "if (({x}) < {s}) {s} = {x};"),
}
LOCATED = {"firstmax": (">", "-1000"), "lastmax": (">=", "-1000"), "firstmin": ("<", "1000"), "lastmin": ("<=", "1000")}


def reduce(draw, case):
    """A value of all iterations; printed."""
    loop = Loop(draw, draw.choice(case.arrays), fixed=0, nested=0)
    reads, before = readable(draw, case, loop)
    text = value(draw, loop, reads)
    operator = draw.choice([*SUMS, *LOCATED])
    s = case.fresh("s")
    if operator in LOCATED:
        return [*before, located(case, loop, reads, text, operator, s)]
    type_, start, update = SUMS[operator]
    loop.clauses = f" reduction({operator}: {s})"

    def body(parallel):
        return [update.format(s=s, x=f"({text(parallel)})")]

    declared = [f"{type_} {s} = {start};"]
    said = [case.say(loop.template, f"reduction {operator}", f"(long){s}")]
    return [*before, LoopStatement(loop, body, reads, False, declared, said)]


def located(case, loop, reads, text, operator, s):
    relation, start = LOCATED[operator]
    names = [loop.variables[k].name for k in sorted(loop.order)]
    places = [f"{s}{name}" for name in names]
    loop.clauses = f" reduction({operator}: {s}/{', '.join(places)}/)"
    sets = " ".join(f"{place} = {name};" for place, name in zip(places, names))

    def body(parallel):
        return [f"const long x = {text(parallel)} / 16;", f"if (x {relation} {s}) {{ {s} = x; {sets} }}"]

    declared = [f"long {s} = {start};", f"int {', '.join(f'{place} = -99' for place in places)};"]
    said = [case.say(loop.template, operator, s), *(case.say(loop.template, f"{operator} at", place) for place in places)]
    return LoopStatement(loop, body, reads, False, declared, said)


def widened(draw, case):
    """expand writes the shadow, too; expand and margin with negative widths are the inside and its rim."""
    arrays = [a for a in case.arrays if all(not d.full for d in a.dimensions) and unreplicated_runs(a)]
    if not arrays:
        return []
    array = draw.choice(arrays)
    loop = Loop(draw, array, whole=True, fixed=0, nested=0)
    for variable in loop.variables:
        variable.step = draw.choice((1, 1, -1))
    text = value(draw, loop, [])
    target = loop.element()

    def body(parallel):
        return [f"{target} = {text(parallel)};"]

    array.coverage.written()
    if draw.random() < 0.5 and array.has_shadow:
        return [LoopStatement(expanded(loop), body)]
    again = copy.copy(loop)
    widths = ["0" if k is None else f"-{draw.randint(0, 2)}" for k in loops_of_template(loop)]
    loop.clauses, again.clauses = f" expand({', '.join(widths)})", f" margin({', '.join(widths)})"
    return [LoopStatement(loop, body), LoopStatement(again, body)]


def loops_of_template(loop):
    """For each dimension of the template, in the on clause's order, the array's dimension that a loop counts there, or None."""
    found = {loop.array.dimensions[k].onto: k for k in loop.distributed}
    return [found.get(onto) for onto in range(loop.template.rank)]


def unreplicated_runs(array):
    return all(array.place(k) is None or array.place(k).runs for k in range(array.rank))


def expanded(loop, unbound=False):
    """Widens a loop over all elements into the shadow, which is as good as reflected then. unbound: also where it lies outside
    the array."""
    widths = []
    for k in loops_of_template(loop):
        below, above = (0, 0)
        if k is not None and loop.array.distributed(k):
            below, above = loop.array.dimensions[k].lower, loop.array.dimensions[k].upper
        widths.append(f"{'/unbound/' if unbound else ''}{below}:{above}")
    loop.clauses = f" expand({', '.join(widths)})"
    own = loop.array.dimensions
    loop.array.coverage.add(Filled([d.lower for d in own], [d.upper for d in own], [False] * len(own)))
    return loop


def peeled(draw, case):
    """The inside of a loop while the shadow is on its way, then the rim."""
    loop = Loop(draw, draw.choice(case.arrays), fixed=0, nested=0)
    others = [a for a in case.arrays if a.template is loop.template and a is not loop.array and a.has_shadow]
    if not others or any(abs(v.step) != 1 for v in loop.variables) or not unreplicated_runs(loop.array):
        return []
    array = draw.choice(others)
    if any(d.full for d in array.dimensions):
        return []
    read = loop.read(array)
    if read is None:
        return []
    number = draw.randint(10, 19)
    started = reflect(draw, array, read.reach, number)
    text, target = value(draw, loop, [read]), loop.element()
    widths = []
    for onto, k in enumerate(loops_of_template(loop)):
        m = next((m for m, d in enumerate(array.dimensions) if d.onto == onto), None)
        widths.append("0" if k is None or m is None else f"-{abs(read.reach.deltas[m])}")
    loop.clauses = f" peel_and_wait({number}, {', '.join(widths)})"
    loop.array.coverage.written()
    return [started, LoopStatement(loop, lambda parallel: [f"{target} = {text(parallel)};"])]


# ---- elements outside of loops ----


def point(draw, case):
    """An element that its owners write inside a task."""
    array = draw.choice(case.arrays)
    indices = [draw.randrange(d.extent) for d in array.dimensions]
    places = [":"] * array.template.rank
    for index, d in zip(indices, array.dimensions):
        if d.onto >= 0:
            places[d.onto] = str(index + d.offset)
    array.coverage.written()
    on = array.template.name + array.template.subscripts(places)
    return [Statement([f"#pragma xmp task on {on}", *block([f"{array.element(indices)} = {draw.randint(-90, 90)};"])])]


def local_sum(draw, case):
    """Every node adds its own block by its address."""
    arrays = [a for a in case.arrays if not (a.has_shadow or a.replicated or a.member or a.template.nodes.part or a.parameter)]
    if not arrays:
        return []
    array, s = draw.choice(arrays), case.fresh("s")
    asked = [f"xmp_array_lsize(xmp_desc_of({array.name}), {k + 1}, &size), count *= size;" for k in range(array.rank)]
    parallel = [
        f"long {s} = 0;",
        *block(
            [
                "int size, count = 1;",
                *asked,
                f"const {array.type} *const base = (const {array.type} *){array.name};",
                f"for (int k = 0; k < count; k++) {s} += base[k];",
            ]
        ),
        f"#pragma xmp reduction(+: {s})",
    ]
    counters = [f"for (int {v} = 0; {v} < {d.extent}; {v}++)" for v, d in zip("ijkl", array.dimensions)]
    serial = [f"long {s} = 0;", *counters, f"    {s} += {array.element('ijkl'[: array.rank])};"]
    said = [case.say(array.template, "local sum", s)]
    return [Statement([*parallel, *said], [*serial, *said])]


def handed_on(draw, case):
    """bcast of what one node has, and a reduction of what all have."""
    name, way = case.fresh("b"), draw.randrange(100)
    first, second = draw.randint(-99, 99), draw.randint(-99, 99)
    operator = draw.choice(("max", "min", "&", "|"))
    whole = f"all_{name}"
    return [
        Statement(
            [
                f"long {name}[2] = {{0, 0}};",
                f"const int {name}_from = {way} % everybody;",
                f"#pragma xmp nodes {whole}[*]",
                f"if (speaks({name}_from)) {name}[0] = {first}, {name}[1] = {second};",
                f"#pragma xmp bcast ({name}) from {whole}[{name}_from]",
                f"#pragma xmp reduction({operator}: {name})",
                case.say(None, "bcast", f"{name}[0] + 3 * {name}[1]"),
            ]
        )
    ]


def inside_task(draw, case):
    """Loops, reflects and reductions by the nodes of one array alone."""
    template = draw.choice(case.templates)
    inner = case.on_template(template)
    statements = []
    for make in draw.sample((assign, reduce, assign), draw.randint(1, 2)):
        statements += make(draw, inner)
    return [Wrapped(f"#pragma xmp task on {template.nodes.name}", statements)]


class Wrapped(Statement):
    """A block with a directive above."""

    def __init__(self, directive, statements):
        self.directive, self.statements = directive, statements

    def lines(self, parallel):
        return [self.directive, *block([line for s in self.statements for line in s.lines(parallel)])]


def called(draw, case):
    """A function that gets an array as its argument and works on it."""
    array = draw.choice(case.arrays)
    return case.call(draw, array)
