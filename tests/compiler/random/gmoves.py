"""Statements of random programs that move data between any elements: gmove in its three modes."""

from loops import block
from statements import Statement, Wrapped


def moved(draw, case):
    """Left = right, sections of global and local arrays, elements, constants."""
    left = draw.choice(case.arrays)
    kind = draw.random()
    if kind < 0.2:
        return [gmove(draw, case, Side(left, True), Side(draw.choice(case.arrays), True))]
    if kind < 0.55:
        candidates = [a for a in case.arrays if (a.type == left.type if "pair" in (a.type, left.type) else True)]
        return [gmove(draw, case, Side(left), Side(draw.choice(candidates)))]
    if left.member:
        return []
    local = case.local_array(draw)
    if kind < 0.7:
        return [gmove(draw, case, Side(left), local, declared=True)]
    if kind < 0.9:
        return [gmove(draw, case, local, Side(left), declared=True)]
    s = case.fresh("x")
    element = [draw.randrange(d.extent) for d in left.dimensions]
    return [
        Statement(
            [f"long {s} = 0;", "#pragma xmp gmove", f"{s} = {left.element(element)};", case.say(None, "gmove to a scalar", s)]
        )
    ]


def one_sided(draw, case):
    """One node alone, or all of them, read and write elements of any nodes. Barriers keep the others away meanwhile."""
    arrays = [a for a in case.arrays if not (a.member or a.parameter)]
    if not arrays:
        return []
    array = draw.choice(arrays)
    mode = draw.choice(("in", "out"))
    inner = case.on_template(array.template)
    if draw.random() < 0.4:
        speaker, directive = "0", None
    else:
        name = case.fresh("one")
        speaker = f"({draw.randrange(100)} % everybody)"
        directive = f"#pragma xmp task on {name}[{speaker}]"
    inner.say = lambda template, what, value: case.say(None, what, value).replace("say(0,", f"say({speaker},", 1)
    local = case.local_array(draw)
    sides = (local, Side(array)) if mode == "in" else (Side(array), local)
    moves = [gmove(draw, inner, *sides, declared=True, mode=mode)]
    if directive is None:
        barrier = Statement(["#pragma xmp barrier"], [])
        return [barrier, *moves, barrier]
    nodes = Statement([f"#pragma xmp nodes {name}[*]", "#pragma xmp barrier"], [])
    return [nodes, Wrapped(directive, moves), Statement(["#pragma xmp barrier"], [])]


class Side:
    """member: that of a structure's elements, which is a number; else the elements."""

    def __init__(self, array, member=False):
        self.name, self.type, self.array = array.name, array.type, array
        self.member = array.member if member else ""
        if self.member:
            self.type = "double"
        self.extents = [d.extent for d in array.dimensions]


class LocalArray:
    array, member = None, ""

    def __init__(self, name, type_, extents):
        self.name, self.type, self.extents = name, type_, extents

    def declaration(self, number):
        elements = 1
        for extent in self.extents:
            elements *= extent
        sizes = "".join(f"[{extent}]" for extent in self.extents)
        fill_ = f"for (int k = 0; k < {elements}; k++) (({self.type} *){self.name})[k] = (k * {number} + 1) % 97;"
        return [f"{self.type} {self.name}{sizes};", fill_]


def gmove(draw, case, left, right, declared=False, mode=""):
    sections = draw.randint(0 if left.array else 1, min(len(left.extents), len(right.extents)))
    if sections == 0 and right.array is None:
        sections = 1
    at_left = sorted(draw.sample(range(len(left.extents)), sections))
    at_right = sorted(draw.sample(range(len(right.extents)), sections))
    lengths = [min(left.extents[a], right.extents[b]) for a, b in zip(at_left, at_right)]
    lengths = [n if draw.random() < 0.5 else draw.randint(1, n) for n in lengths]
    (left_text, left_ranges), (right_text, right_ranges) = (
        section(draw, side.extents, at, lengths) for side, at in ((left, at_left), (right, at_right))
    )
    async_, number = draw.random() < 0.15, draw.randint(20, 29)
    parallel = [
        f"#pragma xmp gmove {mode}".rstrip() + (f" async({number})" if async_ else ""),
        f"{left.name}{left_text}{left.member} = {right.name}{right_text}{right.member};",
        *([f"#pragma xmp wait_async ({number})"] if async_ else []),
    ]
    serial = copied(
        left.name + element_of(left_ranges, at_left) + left.member, right, element_of(right_ranges, at_right), lengths
    )
    if left.array:
        left.array.coverage.written()
    before, after = [], []
    if declared:
        local = left if left.array is None else right
        before = local.declaration(draw.randint(1, 9))
        if local is left:
            after = [case.say(None, "gmove to a local array", f"hash((const char *){left.name}, sizeof {left.name})")]
    return Gmove([*before, *parallel, *after], [*before, *serial, *after], left.array, left_ranges, len(before))


class Gmove(Statement):
    """array: the left side, None if it is local; written: its indices along each dimension; line: where it stands in lines."""

    def __init__(self, lines, serial, array, written, line):
        super().__init__(lines, serial)
        self.array, self.written, self.line = array, written, line


def section(draw, extents, at, lengths):
    """(text with triplets, the indices along each dimension as a range) of one side."""
    texts, ranges = [], []
    for d, extent in enumerate(extents):
        if d not in at:
            index = draw.randrange(extent)
            texts.append(f"[{index}]")
            ranges.append(range(index, index + 1))
            continue
        length = lengths[at.index(d)]
        if length == extent and draw.random() < 0.6:
            texts.append("[:]")
            ranges.append(range(extent))
            continue
        step = draw.randint(1, max(1, (extent - 1) // max(1, length - 1))) if length > 1 else 1
        base = draw.randint(0, extent - 1 - (length - 1) * step)
        if draw.random() < 0.3:
            base, step = base + (length - 1) * step, -step
        texts.append(f"[{base}:{length}" + (f":{step}]" if step != 1 or draw.random() < 0.2 else "]"))
        ranges.append(range(base, base + length * step, step))
    return "".join(texts), ranges


def element_of(ranges, at):
    """The subscripts of an element of a section: counter n runs along the n-th dimension that has one."""
    texts = [f"{r.start} + c{at.index(d)} * {r.step}" if d in at else str(r.start) for d, r in enumerate(ranges)]
    return "".join(f"[{text}]" for text in texts)


def copied(left, right, right_element, lengths):
    """The assignment by loops; the right side is read before anything is written."""
    total = 1
    for length in lengths:
        total *= length
    loops = " ".join(f"for (int c{n} = 0; c{n} < {length}; c{n}++)" for n, length in enumerate(lengths))
    return block(
        [
            f"{right.type} moved[{total}];",
            "int n = 0;",
            f"{loops} moved[n++] = {right.name}{right_element}{right.member};",
            "n = 0;",
            f"{loops} {left} = moved[n++];",
        ]
    )


def whole(draw, case, array):
    """Compares all elements: a copy on every node."""
    copy = case.fresh("copy")
    sizes = "".join(f"[{d.extent}]" for d in array.dimensions)
    all_ = "".join("[:]" for _ in array.dimensions)
    said = case.say(None, f"all of {array.name}", f"hash((const char *){copy}, sizeof {copy})")
    declared = [f"{array.type} {copy}{sizes};", f"memset({copy}, 0, sizeof {copy});"]
    counters = [f"for (int {v} = 0; {v} < {d.extent}; {v}++)" for v, d in zip("ijkl", array.dimensions)]
    index = "".join(f"[{v}]" for v in "ijkl"[: array.rank])
    return Statement(
        [*declared, "#pragma xmp gmove", f"{copy}{all_} = {array.name}{all_};", said],
        [*declared, *counters, f"    {copy}{index} = {array.name}{index};", said],
    )
