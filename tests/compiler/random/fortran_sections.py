"""Statements of random XMP/Fortran programs on whole arrays or sections: array with assignments, WHERE and FORALL;
array functions; BLOCK constructs with arrays of their own."""

from fortran_loops import FortranLoop
from fortran_statements import value
from sections import conforms, count_of, on_needed, on_ranges, on_whole
from statements import Statement, readable

# ---- array ----


def assigned(draw, case):
    """Sections = expression of sections, which may overlap, local arrays among them."""
    loop = FortranLoop(draw, case, draw.choice(case.arrays), nested=0, overlapping=True)
    for variable in loop.variables:
        variable.shift = 0
    reads, before = readable(draw, case, loop)
    on = draw.choice((on_ranges, on_ranges, on_needed, on_whole))(draw, loop)
    if draw.random() < 0.2:
        statement = forall(draw, loop, [read for read in reads if read.array is not loop.array])
    else:
        statement = sections(draw, case, loop, [read for read in reads if conforms(loop, read)])
    loop.array.coverage.written()
    return [*before, Statement([*statement[0], f"!$xmp array on {on}", *statement[1]])]


def sections(draw, case, loop, reads):
    """(lines before, lines of the statement)."""
    terms = [f"{draw.randint(1, 5)} * int({read.array.element(sections_of(loop, read))}, 8)" for read in reads]
    lines = []
    if draw.random() < 0.5:
        local, lines = local_values(draw, case, [count_of(v) for v in loop.variables if not v.fixed])
        terms.append(local)
    whole = " + ".join([*terms, f"{draw.randint(-40, 40)}_8"])
    left = loop.array.element([section_text(v, first) for v, first in zip(loop.variables, loop.array.firsts)])
    right = f"mixed({whole})" if draw.random() < 0.3 else f"mod({whole}, 97_8)"
    style = draw.random()
    condition = f"mod(int({left}, 8), 3_8) /= 1"
    if style < 0.1:
        return lines, [f"where ({condition}) {left} = {right}"]
    if style < 0.25:
        return lines, [f"where ({condition})", f"{left} = {right}", "elsewhere", f"{left} = 1", "end where"]
    return lines, [f"{left} = {right}"]


def forall(draw, loop, reads):
    headers = []
    for variable in (v for v in loop.variables if not v.fixed):
        first, last = (variable.lower, variable.upper) if variable.step > 0 else (variable.upper, variable.lower)
        headers.append(f"{variable.name} = {first}:{last}" + (f":{variable.step}" if variable.step != 1 else ""))
    text = value(draw, loop, [read for read in reads if not any(read.reach.beyond)])(True)
    return [], [f"forall ({', '.join(headers)}) {loop.element()} = {text}"]


def section_text(variable, distance):
    """The elements that a loop counts, moved by a distance."""
    if variable.fixed:
        return str(variable.lower + distance)
    first, last = (variable.lower, variable.upper) if variable.step > 0 else (variable.upper, variable.lower)
    return f"{first + distance}:{last + distance}" + (f":{variable.step}" if variable.step != 1 else "")


def sections_of(loop, read):
    pairs = zip(read.indices, read.array.firsts)
    return [str(d + first) if k is None else section_text(loop.variables[k], d + first) for (k, d), first in pairs]


def local_values(draw, case, extents):
    """(an array of this shape that each node has, the lines that fill it)."""
    name = case.variable("integer(8)", f"({', '.join(map(str, extents))})")
    lines = counted(extents, f"{name}({', '.join('ijk'[: len(extents)])})", f"mod({weighted(draw, extents)}, 41)")
    style = draw.random()
    if len(extents) == 1 and style < 0.4:  # a vector subscript
        index = case.variable("integer", f"({extents[0]})")
        lines += counted(extents, f"{index}(i)", f"1 + mod({draw.randint(1, 9)} * i, {extents[0]})")
        return f"{name}({draw.choice((index, f'{index}(:)'))})", lines
    return name if style < 0.7 else f"{name}({', '.join(':' * len(extents))})", lines


def weighted(draw, extents):
    return " + ".join(f"{draw.randint(1, 9)} * {v}" for v in "ijk"[: len(extents)])


def counted(extents, left, right):
    """Loops that assign to all elements of a local array, counted from 1."""
    loops = [f"do {v} = 1, {extent}" for v, extent in zip("ijk", extents)]
    return [*loops, f"{left} = {right}", *["end do"] * len(extents)]


# ---- array functions ----

_NUMBERS = ("integer", "integer(8)", "real", "real(8)")


def transformed(draw, case):
    """A function of a whole array, whose other arguments are local arrays."""
    arrays = [a for a in case.arrays if a.type in _NUMBERS and not a.template.nodes.part]
    if not arrays:
        return []
    array = draw.choice(arrays)
    functions = {1: [sorted_, packed, gathered], 2: [transposed, multiplied, packed, gathered], 3: [packed]}
    lines, calls, serial, what, result = draw.choice(functions[array.rank])(draw, case, array)
    told = [case.say(None, what, f"hash([int({result}, 8)])")] if result else []
    return [Statement([*lines, *calls, *told], [*lines, *serial, *told])]


def extents_of(array):
    return [d.extent for d in array.dimensions]


def result_of(case, array, extents):
    name = case.variable(array.type, f"({', '.join(map(str, extents))})")
    return name, [f"{name} = 0"]


def sorted_(draw, case, array):
    """Into a local array, or in place."""
    (n,), (direction, least) = extents_of(array), draw.choice((("up", "minloc"), ("down", "maxloc")))
    name, lines = result_of(case, array, [n])
    x, at = case.variable(array.type), case.variable("integer")
    calls = [f"call xmp_sort_{direction}({name}, {array.name})"]
    swap = [f"{at} = i - 1 + {least}({name}(i:), 1)", f"{x} = {name}(i)", f"{name}(i) = {name}({at})", f"{name}({at}) = {x}"]
    serial = [f"{name} = {array.name}", f"do i = 1, {n}", *swap, "end do"]
    if draw.random() < 0.5:
        array.coverage.written()
        calls.append(f"call xmp_sort_{direction}({array.name}, {array.name})")
        serial.append(f"{array.name} = {name}")
    return lines, calls, serial, f"sort {direction}", name


def transposed(draw, case, array):
    name, lines = result_of(case, array, extents_of(array)[::-1])
    call = f"call xmp_transpose({name}, {array.name}, {draw.randrange(2)})"
    return lines, [call], [f"{name} = transpose({array.name})"], "transpose", name


def multiplied(draw, case, array):
    """With a local matrix; small numbers, so that sums are exact."""
    (rows, columns), other = extents_of(array), draw.randint(1, 5)
    factor = case.variable(array.type, f"({columns}, {other})")
    name, lines = result_of(case, array, [rows, other])
    lines += counted([columns, other], f"{factor}(i, j)", f"mod({weighted(draw, 'ij')}, 7)")
    return (
        lines,
        [f"call xmp_matmul({name}, {array.name}, {factor})"],
        [f"{name} = matmul({array.name}, {factor})"],
        "matmul",
        name,
    )


def packed(draw, case, array):
    """Packed with a mask, and unpacked again into the array."""
    extents, total = extents_of(array), 1
    for extent in extents:
        total *= extent
    name, lines = result_of(case, array, [total])
    mask = case.variable("logical", f"({', '.join(map(str, extents))})")
    lines += counted(extents, f"{mask}({', '.join('ijk'[: array.rank])})", f"mod({weighted(draw, extents)}, 3) /= 0")
    calls = [f"call xmp_pack({name}, {array.name}, {mask})"]
    serial = [f"{name}(:count({mask})) = pack({array.name}, {mask})"]
    if draw.random() < 0.5:
        array.coverage.written()
        calls += [f"{name} = {name} / 2", f"call xmp_unpack({array.name}, {name}, {mask})"]
        serial += [f"{name} = {name} / 2", f"{array.name} = unpack({name}, {mask}, {array.name})"]
    return lines, calls, serial, "pack", name


def gathered(draw, case, array):
    """Elements at computed subscripts, in either direction."""
    extents, n, scatters = extents_of(array), draw.randint(1, 9), draw.random() < 0.4
    n = min(n, *extents) if scatters else n  # no element twice
    name, lines = result_of(case, array, [n])
    at = [case.variable("integer", f"({n})") for _ in extents]
    for index, extent, first in zip(at, extents, array.firsts):
        stride = 1 if scatters else draw.randint(1, 9)
        lines += counted([n], f"{index}(i)", f"{first} + mod({draw.randint(0, 20)} + {stride} * i, {extent})")
    element = f"{array.name}({', '.join(f'{index}(i)' for index in at)})"
    if scatters:
        array.coverage.written()
        lines += counted([n], f"{name}(i)", f"{draw.randint(1, 9)} * i - 3")
        serial = counted([n], element, f"{name}(i)")
        return lines, [f"call xmp_scatter({array.name}, {name}, {', '.join(at)})"], serial, None, None
    return (
        lines,
        [f"call xmp_gather({name}, {array.name}, {', '.join(at)})"],
        counted([n], f"{name}(i)", element),
        "gather",
        name,
    )


# ---- BLOCK ----


def in_block(draw, case):
    """A global array of a BLOCK construct."""
    n, step, format_ = draw.randint(1, 20), draw.randint(1, 9), draw.choice(("block", "cyclic", "cyclic(2)"))
    name, value_ = case.fresh("inner"), f"mod({step} * i, 31)"
    return [
        Statement(
            [
                "block",
                f"integer :: {name}({n}), whole_{name}({n})",
                f"!$xmp nodes nodes_{name}(*)",
                f"!$xmp template template_{name}({n})",
                f"!$xmp distribute template_{name}({format_}) onto nodes_{name}",
                f"!$xmp align {name}(a) with template_{name}(a)",
                f"!$xmp loop on template_{name}(i)",
                f"do i = 1, {n}",
                f"{name}(i) = {value_}",
                "end do",
                "!$xmp gmove",
                f"whole_{name}(:) = {name}(:)",
                case.say(None, "block", f"hash([int(whole_{name}, 8)])"),
                "end block",
            ]
        )
    ]
