"""Statements of random programs on whole arrays or sections: the array directive, reduce_shadow, array functions."""

import gmoves
import shadow_sums
from layouts import subscripts
from loops import Loop, block
from statements import Statement, readable

# ---- array ----


def assigned(draw, case):
    """`array`: sections = expression of sections, which may overlap."""
    loop = Loop(draw, draw.choice(case.arrays), nested=0, overlapping=True)
    for variable in loop.variables:
        variable.shift = 0
    reads, before = readable(draw, case, loop)
    reads = [read for read in reads if conforms(loop, read)]
    factors, number = [draw.randint(1, 5) for _ in reads], draw.randint(-40, 40)
    operator, mixed = draw.choice(("=", "=", "=", "+=", "-=")), draw.random() < 0.3
    if operator != "=" and loop.array.type in ("short", "signed char"):
        operator = "="  # a sum would not fit in the end
    on = draw.choice((on_ranges, on_ranges, on_needed, on_whole))(draw, loop)

    def expression(texts):
        whole = " + ".join([*(f"{factor} * {text}" for factor, text in zip(factors, texts)), str(number)])
        return f"mixed({whole})" if mixed else f"({whole}) % 97"

    sections = [f"(long){read.array.element(sections_of(loop, read))}" for read in reads]
    left = loop.array.element([section_text(variable, 0) for variable in loop.variables])
    loop.array.coverage.written()
    parallel = [f"#pragma xmp array on {on}", f"{left} {operator} {expression(sections)};"]
    serial = buffered(loop, operator, expression([read.text(False) for read in reads]))
    return [*before, Statement(parallel, serial)]


def conforms(loop, read):
    """Sections belong together by their order, and lie in the array."""
    own = [k for k, variable in enumerate(loop.variables) if not variable.fixed]
    return own == [k for k, _ in read.indices if k in own] and not any(read.reach.beyond)


def count_of(variable):
    return 1 if variable.fixed else (variable.upper - variable.lower) // abs(variable.step) + 1


def section_text(variable, distance):
    """The elements that a loop counts, moved by a distance, as base:length:step."""
    if variable.fixed:
        return str(variable.lower + distance)
    base = (variable.lower if variable.step > 0 else variable.upper) + distance
    return f"{base}:{count_of(variable)}" + (f":{variable.step}" if variable.step != 1 else "")


def sections_of(loop, read):
    return [str(d) if k is None else section_text(loop.variables[k], d) for k, d in read.indices]


def on_ranges(draw, loop):
    """Each distributed section has its range; in ( ) ranges are first:last:step."""
    texts = [draw.choice((":", "*")) for _ in range(loop.template.rank)]
    for variable, d in zip(loop.variables, loop.array.dimensions):
        if d.onto < 0:
            continue
        if variable.fixed or loop.template.nodes.brackets:
            texts[d.onto] = section_text(variable, d.offset)
            continue
        first, last = variable.lower + d.offset, variable.upper + d.offset
        first, last = (first, last) if variable.step > 0 else (last, first)
        texts[d.onto] = f"{first}:{last}" + (f":{variable.step}" if variable.step != 1 else "")
    return loop.template.name + loop.template.subscripts(texts)


def on_needed(draw, loop):
    """`:` is what the left side needs; an index stands for itself."""
    texts = [draw.choice((":", "*")) for _ in range(loop.template.rank)]
    for variable, d in zip(loop.variables, loop.array.dimensions):
        if d.onto >= 0:
            texts[d.onto] = str(variable.lower + d.offset) if variable.fixed else ":"
    return loop.template.name + loop.template.subscripts(texts)


def on_whole(draw, loop):
    fixed = any(variable.fixed and d.onto >= 0 for variable, d in zip(loop.variables, loop.array.dimensions))
    return on_needed(draw, loop) if fixed else loop.template.name


def buffered(loop, operator, value):
    """The assignment by loops, which read everything before they write."""
    total, headers = 1, []
    for variable in loop.variables:
        total *= count_of(variable)
        if not variable.fixed:
            headers.append(variable.header(0))
    nest = " ".join(headers)
    return block(
        [
            f"long computed[{total}];",
            "int n = 0;",
            f"{nest} computed[n++] = {value};",
            "n = 0;",
            f"{nest} {loop.element()} {operator} computed[n++];",
        ]
    )


# ---- reduce_shadow ----


def summed_shadows(draw, case):
    def added(loop, read, values, parallel):
        places = (read.text(parallel, ""), loop.element())
        return [f"{place} += ({value}) % 20;" for place, value in zip(places, values)]

    def loop_over(array, **options):
        return Loop(draw, array, **options)

    return shadow_sums.summed_shadows(draw, case.arrays, loop_over, lambda loop: [f"{loop.element()} = 0;"], added)


# ---- array functions ----


def transformed(draw, case):
    """A function of a whole array, whose other arguments are local arrays."""
    numbers = ("int", "long", "float", "double")
    arrays = [a for a in case.arrays if a.type in numbers and not a.template.nodes.part]
    if not arrays:
        return []
    array = draw.choice(arrays)
    functions = {1: [sorted_, packed, gathered], 2: [transposed, multiplied, packed, gathered], 3: [packed]}
    return draw.choice(functions.get(array.rank, [packed]))(draw, case, array)


def whole_of(name, rank):
    return name + "[:]" * rank


def extents_of(array):
    return [d.extent for d in array.dimensions]


def total_of(array):
    total = 1
    for d in array.dimensions:
        total *= d.extent
    return total


def counters(extents):
    return "".join(f"for (int {v} = 0; {v} < {extent}; {v}++) " for v, extent in zip("ijkl", extents))


def said(case, what, name):
    return case.say(None, what, f"hash((const char *){name}, sizeof {name})")


def results(name, array, extents):
    return [f"{array.type} {name}{subscripts([str(n) for n in extents], True)};", f"memset({name}, 0, sizeof {name});"]


def sorted_(draw, case, array):
    """Into a local array, or in place."""
    direction, relation = draw.choice((("up", ">"), ("down", "<")))
    n, name = array.dimensions[0].extent, case.fresh("sorted")
    swapped = f"{array.type} x = {name}[j]; {name}[j] = {name}[j + 1]; {name}[j + 1] = x;"
    serial = [
        f"for (int i = 0; i < {n}; i++) {name}[i] = {array.name}[i];",
        f"for (int i = 0; i < {n}; i++) for (int j = 0; j + 1 < {n}; j++)",
        f"    if ({name}[j] {relation} {name}[j + 1]) {{ {swapped} }}",
    ]
    parallel = [f"xmp_sort_{direction}({name}[:], {array.name}[:]);"]
    if not array.parameter and draw.random() < 0.5:
        array.coverage.written()
        parallel.append(f"xmp_sort_{direction}({array.name}[:], {array.name}[:]);")
        serial.append(f"for (int i = 0; i < {n}; i++) {array.name}[i] = {name}[i];")
    declared, told = results(name, array, [n]), said(case, f"sort {direction}", name)
    return [Statement([*declared, *parallel, told], [*declared, *serial, told])]


def transposed(draw, case, array):
    name, (rows, columns) = case.fresh("turned"), extents_of(array)
    declared, told = results(name, array, [columns, rows]), said(case, "transpose", name)
    parallel = [f"xmp_transpose({whole_of(name, 2)}, {whole_of(array.name, 2)}, {draw.randrange(2)});"]
    serial = [f"{counters([rows, columns])}{name}[j][i] = {array.name}[i][j];"]
    return [Statement([*declared, *parallel, told], [*declared, *serial, told])]


def multiplied(draw, case, array):
    """With a local matrix at the right or at the left; small numbers, so that sums are exact."""
    (rows, columns), other = extents_of(array), draw.randint(1, 5)
    factor, name = gmoves.LocalArray(case.fresh("factor"), array.type, [columns, other]), case.fresh("product")
    number = draw.randint(1, 9)
    declared = [*factor.declaration(number), *results(name, array, [rows, other])]
    told = said(case, "matmul", name)
    parallel = [f"xmp_matmul({whole_of(name, 2)}, {whole_of(array.name, 2)}, {whole_of(factor.name, 2)});"]
    serial = [f"{counters([rows, other, columns])}{name}[i][j] += {array.name}[i][k] * {factor.name}[k][j];"]
    return [Statement([*declared, *parallel, told], [*declared, *serial, told])]


def packed(draw, case, array):
    """Packed with a mask, and unpacked again into the array."""
    extents, number = extents_of(array), draw.randint(2, 5)
    name, mask = case.fresh("packed"), gmoves.LocalArray(case.fresh("mask"), "int", extents)
    index = "".join(f"[{v}]" for v in "ijkl"[: array.rank])
    chosen = " + ".join("ijkl"[: array.rank])
    declared = [
        *results(name, array, [total_of(array)]),
        *mask.declaration(1)[:1],
        f"{counters(extents)}{mask.name}{index} = ({chosen}) % {number} != 0;",
    ]
    whole, condition = whole_of(array.name, array.rank), f"if ({mask.name}{index}) "
    parallel = [f"xmp_pack({name}[:], {whole}, {whole_of(mask.name, array.rank)});"]
    serial = block(["int n = 0;", f"{counters(extents)}{condition}{name}[n++] = {array.name}{index};"])
    if draw.random() < 0.5:
        shifted = f"for (int i = 0; i < {total_of(array)}; i++) {name}[i] = {name}[i] / 2;"
        array.coverage.written()
        parallel += [shifted, f"xmp_unpack({whole}, {name}[:], {whole_of(mask.name, array.rank)});"]
        serial += [shifted, *block(["int n = 0;", f"{counters(extents)}{condition}{array.name}{index} = {name}[n++];"])]
    told = said(case, "pack", name)
    return [Statement([*declared, *parallel, told], [*declared, *serial, told])]


def gathered(draw, case, array):
    """Elements at computed subscripts, in either direction."""
    extents, n, name = extents_of(array), draw.randint(1, 9), case.fresh("gathered")
    subscript = [gmoves.LocalArray(case.fresh("at"), "int", [n]) for _ in extents]
    scatters = draw.random() < 0.4
    if scatters:  # no element twice
        n = min(n, *extents)
    declared = results(name, array, [n])
    for local, extent in zip(subscript, extents):
        local.extents = [n]
        stride = 1 if scatters else draw.randint(1, 9)
        value = f"({draw.randint(0, 20)} + {stride} * i) % {extent}"
        declared += [f"int {local.name}[{n}];", f"for (int i = 0; i < {n}; i++) {local.name}[i] = {value};"]
    element = array.name + "".join(f"[{local.name}[i]]" for local in subscript)
    whole, indices = whole_of(array.name, array.rank), ", ".join(f"{local.name}[:]" for local in subscript)
    if scatters:
        declared.append(f"for (int i = 0; i < {n}; i++) {name}[i] = {draw.randint(1, 9)} * i - 3;")
        array.coverage.written()
        return [
            Statement(
                [*declared, f"xmp_scatter({whole}, {name}[:], {indices});"],
                [*declared, f"for (int i = 0; i < {n}; i++) {element} = {name}[i];"],
            )
        ]
    told = said(case, "gather", name)
    return [
        Statement(
            [*declared, f"xmp_gather({name}[:], {whole}, {indices});", told],
            [*declared, f"for (int i = 0; i < {n}; i++) {name}[i] = {element};", told],
        )
    ]
