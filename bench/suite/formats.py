"""A result as text, CSV and JSON. The tables of other benchmarks are in legacy_formats.py."""

import csv
import io
import json

from . import plan, sizes


def as_json(result):
    return json.dumps(result, indent=1) + "\n"


_COLUMNS = "variant family ranks shape operation bytes launch samples late start wrong".split()
_TIMES = "minimum q25 median q75 q95 maximum fastest_rank mean_rank computation together".split()


def as_csv(result):
    """One line for each launch of each cell; times in microseconds."""
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(_COLUMNS + [f"{name}_us" for name in _TIMES] + ["overlap_percent"])
    for variant in result["variants"]:
        shape = "x".join(map(str, variant["shape"]))
        for cell in variant["cells"]:
            for one in cell["launches"]:
                head = [variant["name"], variant["family"], variant["ranks"], shape, cell["operation"], cell["bytes"]]
                head += [one[name] for name in ("launch", "samples", "late", "start", "wrong")]
                times = [f"{one[name]:.3f}" if name in one else "" for name in _TIMES]
                overlap = one.get("overlap_percent")
                table.writerow(head + times + ["" if overlap is None else f"{overlap:.1f}"])
    return stream.getvalue()


def as_text(result):
    return "".join(_head(result, variant) + _tables(variant) for variant in result["variants"]) + _notes(result)


def _head(result, variant):
    shape = "x".join(map(str, variant["shape"]))
    settings = "".join(f" {name}={value}" for name, value in variant["settings"].items())
    return (
        f"{variant['name']}: {variant['library'].split(',')[0]}, {variant['ranks']} ranks as {shape} on "
        f"{variant['machines']} machine(s), {result['machine']['name']}{settings}\n"
        f"times are medians over launches of each launch's median; low and high are the 10 % and 90 % quantiles over launches\n"
    )


def _tables(variant):
    text, operation = "", None
    for cell in variant["cells"]:
        if cell["operation"] != operation:
            operation = cell["operation"]
            overlap = "    overlap" if cell["overlap_percent"] is not None else ""
            heads = "".join(f" {head:>12}" for head in ("time us", "low", "high"))
            text += f"\n{operation}\n{'size':>9} {'launches':>8}{heads} {'GiB/s':>9}{overlap}\n"
        text += _line(cell)
    return text + "\n"


def _line(cell):
    rate = "-" if cell["throughput_gib_s"] is None else f"{cell['throughput_gib_s']:.4g}"
    overlap = "" if cell["overlap_percent"] is None else f" {cell['overlap_percent']:8.0f} %"
    wrong = f"   WRONG DATA: {cell['wrong']}" if cell["wrong"] else ""
    times = "".join(f" {cell[name]:12.2f}" for name in ("median_us", "q10_us", "q90_us"))
    return f"{sizes.text(cell['bytes']):>9} {len(cell['launches']):8d}{times} {rate:>9}{overlap}{wrong}\n"


def _left_out(variant):
    """Why sizes are missing, once for each operation."""
    reasons = {}
    for one in variant["skipped"]:
        if one["reason"] != "has no message":
            reasons.setdefault(one["operation"], (one["bytes"], one["reason"]))
    return [
        f"{variant['name']}: {name} is left out in {sizes.text(size)} and more: it {reason}"
        for name, (size, reason) in reasons.items()
    ]


def _notes(result):
    notes = [note for variant in result["variants"] for note in _left_out(variant)]
    fewest = min((variant["launches"] for variant in result["variants"]), default=0)
    if result["quick"] or fewest < plan.LEAST_LAUNCHES:
        notes.append(
            f"A first look at {fewest} launches: launches differ from each other by more than what one of them shows, so\n"
            f"this says little about a change. Statistics begin at {plan.LEAST_LAUNCHES} launches."
        )
    for variant in result["variants"]:
        starts = {one["start"] for cell in variant["cells"] for one in cell["launches"]}
        if result["start"] == "window" and "barrier" in starts:
            notes.append(
                f"{variant['name']}: some calls began at a barrier instead of at a time agreed on, because ranks share\n"
                "processors, the machine was busy, or the operation has one active side; result.json says which."
            )
    notes += [f"failed: {failure}" for failure in result["failures"]]
    return "".join(f"{note}\n" for note in notes)
