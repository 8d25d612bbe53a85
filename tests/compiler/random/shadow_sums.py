"""reduce_shadow in random programs, of both languages: iterations add to their neighbours' elements, in the shadow, which is
cleared before."""

from filled_shadows import clauses_for_sums
from statements import LoopStatement, Statement, expanded, unreplicated_runs


def summed_shadows(draw, arrays, loop_over, cleared, added):
    """loop_over(array, **options) is a Loop; cleared(loop), added(loop, read, values, parallel): lines of the language, the
    latter two: to the element that is read, and to the loop's own."""
    shadows = [a for a in arrays if a.has_shadow and all(not d.full for d in a.dimensions) and unreplicated_runs(a)]
    shadows = [a for a in shadows if not a.member]
    if not shadows:
        return []
    array = draw.choice(shadows)
    clearing = expanded(loop_over(array, whole=True, fixed=0, nested=0), unbound=True)
    first = LoopStatement(clearing, lambda parallel: cleared(clearing))
    array.coverage.written()
    loop = loop_over(array, fixed=0, nested=0, overlapping=True)
    read = loop.read(array)
    clauses = clauses_for_sums(draw, array, read.reach) if read is not None else None
    if clauses is None:
        return [first]
    values, forwards = [loop.numbers(), loop.numbers()], draw.random() < 0.5

    def body(parallel):
        lines = added(loop, read, values, parallel)
        return lines if forwards else lines[::-1]

    lines = [f"#pragma xmp reduce_shadow ({array.name}){clauses}"]
    if draw.random() < 0.2:
        number = draw.randint(30, 39)
        lines = [f"{lines[0]} async({number})", f"#pragma xmp wait_async ({number})"]
    return [first, LoopStatement(loop, body), Statement(lines, [])]
