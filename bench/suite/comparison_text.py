"""A comparison in words and as JSON."""

import math

from . import compare, quantiles, sizes

WORDS = {
    compare.SLOWER: "SLOWER",
    compare.FASTER: "faster",
    compare.UNCHANGED: "no change",
    compare.UNDECIDED: "undecided",
}
_COLUMNS = ("operation", "verdict", "time of B against A", "smallest detectable change")


def text(done):
    lines = [f"A  {done.a.describe()}, {done.a.launches_text}", f"B  {done.b.describe()}, {done.b.launches_text}"]
    lines += [f"   differs: {name}: {old} -> {new}" for name, (old, new) in done.differences.items()]
    if done.operations:
        lines += ["", _row(*_COLUMNS), *(line for operation in done.operations for line in _rows(operation))]
    lines += _published(done)
    lines += ["", *(f"only in A: {name}" for name in done.missing), *notes(done), f"{conclusion(done)}."]
    return "\n".join(lines) + "\n"


def _row(name, verdict, measured, found):
    return f"{name:<22} {verdict:<10} {measured:<32} {found}".rstrip()


def _rows(operation):
    yield _row(operation.name, WORDS[operation.verdict], change(operation.whole), detectable(operation))
    a, b = operation.switches
    if a == b and operation.verdict in (compare.UNCHANGED, compare.UNDECIDED):
        return
    for section in operation.sections:
        verdict = "" if section.verdict == compare.UNCHANGED else WORDS[section.verdict]
        yield _row(f"  {size_range(section)}", verdict, change(section), "")
    if a or b:
        yield f"  {switch_points(operation)}"


def change(section):
    """B's time against A's, with its interval."""
    middle, low, high = (100 * math.expm1(value) for value in (section.shift, section.low, section.high))
    return f"{middle:+.1f} % [{low:+.1f} .. {high:+.1f}]"


def detectable(operation):
    """The smallest change of all sizes that such launches show in 95 of 100 cases."""
    if operation.detectable is not None:
        return f"{100 * operation.detectable:.1f} %"
    return "more than fourfold" if operation.enough else "none"


def where(operation):
    """Which sizes changed, where it is not all of them."""
    changed = [section for section in operation.sections if section.verdict == operation.verdict]
    if len(changed) in (0, len(operation.sections)):
        return ""
    return f"in {', '.join(map(size_range, changed))}"


def switch_points(operation, names=("A", "B")):
    a, b = operation.switches
    if a == b:
        return f"switch points of both: {_sizes(a)}"
    return f"switch points: {names[0]} {_sizes(a)}; {names[1]} {_sizes(b)}"


def size_range(section):
    first, last = sizes.text(section.sizes[0]), sizes.text(section.sizes[-1])
    return first if first == last else f"{first} to {last}"


def _sizes(values):
    return ", ".join(map(sizes.text, values)) or "none"


def _published(done):
    rows = compare.points(done.a, done.b)
    if not rows:
        return []
    kind = "simulated" if done.a.simulated or done.b.simulated else "published"
    lines = ["", f"{kind} numbers, without launches: shown, not tested"]
    return lines + [
        f"  {name} {sizes.text(size)}: A {old:.3g} GiB/s, B {new:.3g} GiB/s, {new / old:.2f} times as much"
        for name, size, old, new in rows
    ]


def notes(done):
    """What holds for several operations, said once."""
    if any(not operation.enough for operation in done.operations):
        yield (
            f"{done.a.launches} and {done.b.launches} launches are too few to tell a change from chance, however large it is: "
            f"take {done.least_launches} or more of each."
        )
    if any(operation.enough and operation.detectable is None for operation in done.operations):
        yield "More than fourfold: launches differ so much that smaller changes cannot be told from chance."
    if any(operation.verdict == compare.UNDECIDED and operation.detectable is not None for operation in done.operations):
        yield "Undecided: the difference is large, but these launches cannot tell it from chance. Measure more launches."


def conclusion(done):
    counts = {verdict: sum(operation.verdict == verdict for operation in done.operations) for verdict in WORDS}
    told = f"{counts[compare.SLOWER]} slower and {counts[compare.FASTER]} faster of {len(done.operations)} operations"
    if counts[compare.UNDECIDED]:
        told += f"; {counts[compare.UNDECIDED]} undecided"
    known = [operation.detectable for operation in done.operations if operation.detectable is not None]
    if known:
        told += f"; typically a change of {100 * quantiles.median(known):.1f} % would have been found"
    return told


def as_json(done):
    """What a script may want."""
    return {
        "format": "kumihimo-bench-comparison",
        "version": 1,
        "a": done.a.name,
        "b": done.b.name,
        "differences": {name: list(values) for name, values in done.differences.items()},
        "slower": done.slower,
        "operations": [
            {
                "operation": operation.name,
                "verdict": operation.verdict,
                "detectable_percent": None if operation.detectable is None else 100 * operation.detectable,
                "switch_points": {"a": operation.switches[0], "b": operation.switches[1]},
                "whole": _section_json(operation.whole),
                "sections": [_section_json(section) for section in operation.sections],
            }
            for operation in done.operations
        ],
    }


def _section_json(section):
    percent = {name: 100 * math.expm1(getattr(section, name)) for name in ("shift", "low", "high")}
    return {
        "sizes": section.sizes,
        "change_percent": percent["shift"],
        "low_percent": percent["low"],
        "high_percent": percent["high"],
        "p": section.p,
        "verdict": section.verdict,
    }
