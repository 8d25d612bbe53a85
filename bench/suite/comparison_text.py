"""A comparison in words and as JSON."""

import math

from . import compare, quantiles, sizes


def text(done):
    lines = [f"A  {done.a.describe()}, {done.a.launches_text}", f"B  {done.b.describe()}, {done.b.launches_text}"]
    lines += [f"   differs: {name}: {old} -> {new}" for name, (old, new) in done.differences.items()]
    for operation in done.operations:
        lines += ["", f"{operation.name}: {verdict(operation)}", *_details(operation)]
    lines += _published(done)
    lines += ["", *(f"only in A: {name}" for name in done.missing), conclusion(done)]
    return "\n".join(lines) + "\n"


def verdict(operation):
    """One sentence."""
    if operation.verdict == compare.UNCHANGED:
        return f"no change beyond what launches differ; {_could(operation)}"
    changed = [section for section in operation.all() if section.verdict == operation.verdict]
    if changed == [operation.whole] or len(changed) == len(operation.all()):
        return f"{operation.verdict}, {change(operation.whole)} over all sizes"
    parts = [f"{_range(section)} ({change(section)})" for section in changed if section is not operation.whole]
    return f"{operation.verdict} for {', '.join(parts)}"


def _could(operation):
    if operation.detectable is None:
        return "launches are too few or differ too much for any change up to fourfold to be found"
    return f"a change of {100 * operation.detectable:.1f} % of all sizes would have been found (95 %)"


def change(section):
    """B's time against A's, with its interval."""
    middle, low, high = (100 * math.expm1(value) for value in (section.shift, section.low, section.high))
    return f"{middle:+.1f} % time [{low:+.1f} .. {high:+.1f}]"


def _details(operation):
    lines = []
    for section in operation.sections:
        mark = "" if section.verdict == compare.UNCHANGED else f"  {section.verdict.upper()}"
        lines.append(f"  {_range(section):>20}  {change(section)}{mark}")
    a, b = operation.switches
    if a != b:
        lines.append(f"  switch points: A {_sizes(a)}; B {_sizes(b)}")
    elif a:
        lines.append(f"  switch points of both: {_sizes(a)}")
    return lines


def _range(section):
    first, last = sizes.text(section.sizes[0]), sizes.text(section.sizes[-1])
    return first if first == last else f"{first} to {last}"


def _sizes(values):
    return ", ".join(map(sizes.text, values)) or "none"


def _published(done):
    rows = compare.points(done.a, done.b)
    if not rows:
        return []
    lines = ["", "published numbers, without launches: shown, not tested"]
    return lines + [f"  {name} {sizes.text(size)}: A {old:.3g} GiB/s, B {new:.3g} GiB/s" for name, size, old, new in rows]


def conclusion(done):
    counts = {one: sum(operation.verdict == one for operation in done.operations) for one in (compare.SLOWER, compare.FASTER)}
    of = f"of {len(done.operations)} operations"
    told = f"{counts[compare.SLOWER]} slower and {counts[compare.FASTER]} faster {of}"
    known = [operation.detectable for operation in done.operations if operation.detectable is not None]
    if len(known) < len(done.operations):
        told += f"; in {len(done.operations) - len(known)} no change could have been found: more launches, or a quieter machine"
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
