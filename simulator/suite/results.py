"""Results of `kumihimo simulate run`: how they are made and told, and two of them beside each other."""

import json
import math
import os
import textwrap

from ...bench.suite import simulations, sizes
from ...bench.suite.simulations import FORMAT, VERSION

BINDING = {"link": "busiest link", "node": "busiest node", "processor": "busiest processor", "chain": "longest chain"}


def head(form, version, options):
    """What every result begins with: its form, and the machine that was asked for."""
    return {
        "format": form,
        "version": version,
        "machine": options.machine,
        "shape": options.shape,
        "nodes": options.nodes or "",
    }


def make(options, settings, cells):
    return {
        **head(FORMAT, VERSION, options),
        "calls": options.calls,
        "root": options.root,
        "sharing": options.sharing,
        "settings": settings,
        "cells": cells,
        "cannot_know": cannot_know(options.machine, options.shape),
    }


# ---- What this cannot know ----

CANNOT_KNOW = [
    "packets, virtual channels, finite buffers, head-of-line blocking, adaptive routing",
    "memory bus between transfers and reductions, caches, queues of messages to be matched",
    "noise and other jobs but those that are given",
    "undocumented switches of a library, and how a benchmark averages",
    "a real slow link",
]
NEVER_MEASURED = "more than 18,432 nodes of the K computer: nobody published measurements, so these numbers are predictions"
MEASURED_NODES = 18432


def cannot_know(machine, shape):
    ranks = math.prod(int(one) for one in shape.split("x") if one.isdigit())
    of_k = os.path.basename(machine).split(".")[0] == "k-computer"
    return CANNOT_KNOW + ([NEVER_MEASURED] if of_k and ranks > MEASURED_NODES else [])


def limits(known=CANNOT_KNOW):
    words = f"What this cannot know: {'; '.join(known)}. It ranks algorithms; it does not replace `kumihimo bench`."
    return "\n".join(textwrap.wrap(words, 118))


def load(path):
    return {"cannot_know": CANNOT_KNOW, **simulations.load(path)}  # those of earlier versions do not say it


def describe(result):
    nodes = f" on nodes {result['nodes']}" if result["nodes"] else ""
    settings = "".join(f", {name} = {value}" for name, value in result["settings"].items())
    calls = f", {result['calls']} calls one after the other, root {result['root']}" if result["calls"] > 1 else ""
    return f"{result['machine']}: {result['shape']} ranks{nodes}{settings}{calls}, {SHARING[result['sharing']]}"


SHARING = {"reservation": "messages reserve links", "flows": "messages share links fairly"}


def text(result):
    lines = [f"simulated, not measured. {describe(result)}"]
    last = None
    for cell in result["cells"]:
        if cell["operation"] != last:
            last = cell["operation"]
            lines += [
                "",
                last,
                HEADS,
            ]
        lines.append(_line(cell))
        lines += _sensitivity_lines(cell)
        lines += _path_lines(cell["path"]) if "path" in cell else []
    return "\n".join([*lines, "", NOTE, limits(result["cannot_know"]), ""])


HEADS = f"{'size':>9} {'algorithm':<20} {'time us':>12} {'GiB/s':>8} {'any way':>8} {'at least us':>12} {'reached':>8}  by"
NOTE = (
    "At least: what the busiest link, node or processor needs, or the longest chain of steps, whatever the order. Any way:\n"
    "the share of the time that no algorithm saves, since bytes go through a node or the middle of an axis."
)


def _line(cell):
    rate = "-" if cell["throughput_gib_s"] is None else f"{cell['throughput_gib_s']:.4g}"
    size = sizes.text(cell["bytes"])
    time, least = (f"{value:12.2f}" for value in (cell["time_us"], cell["bounds_us"][cell["binding"]]))
    bound = f"{BINDING[cell['binding']]} {cell['where']}".rstrip()
    reached = f"{_any(cell):>8} {least} {100 * cell['share']:6.0f} %"
    return f"{size:>9} {cell['algorithm']:<20} {time} {rate:>8} {reached}  {bound}{_how(cell)}"


def _any(cell):
    """The share of its time that every algorithm takes."""
    return f"{100 * cell['any_us'] / cell['time_us']:.0f} %" if cell.get("any_us") and cell["time_us"] else "-"


def _how(cell):
    """Between which times it lies, where more than one was found; and how much of the call was simulated."""
    drawn = f"; {cell['low_us']:.2f} to {cell['high_us']:.2f} us" if "low_us" in cell else ""
    part = cell.get("simulated", 1.0)
    return drawn + (f"; from {100 * part:.0f} % of it" if part < 1 else "")


def _sensitivity_lines(cell):
    """One for each constant, or those that are changed together."""
    lines = {}
    for one in cell.get("sensitivity", []):
        change = f"x {one['times']:g}: {one['time_us']:.2f} us ({_change(cell['time_us'], one['time_us'])})"
        lines.setdefault("+".join(one["constants"]), []).append(change)
    return [f"{'':9} {name:<40} {', '.join(changes)}" for name, changes in lines.items()]


def _change(before, after):
    return f"{100 * (after / before - 1):+.1f} %" if before else "-"


# ---- The critical path ----

STEPS = {
    "prepares": "prepares a message to {}",
    "message": "has a message from {} under way",
    "takes": "takes a message from {}",
    "reduces": "reduces",
    "copies": "copies",
    "leaves": "waits until a message to {} has left",
    "works": "works",
}
MOST_LINES = 40


def step_words(kind, peer, waits):
    return STEPS[kind].format(f"rank {peer}") + (f", {waits:.2f} us of it behind others" if waits > 0 else "")


def path_summary(steps):
    """{processors, messages, waits: microseconds}: of what a run's time is made."""
    messages = [step for step in steps if step[0] in ("message", "leaves")]
    waits = sum(step[6] for step in steps)
    under_way = sum(step[5] - step[4] for step in messages)
    whole = sum(step[5] - step[4] for step in steps)
    return {"processors": whole - under_way, "messages": under_way - waits, "waits": waits}


def path_text(summary):
    return (
        f"The critical path: {summary['processors']:.2f} us of processors, {summary['messages']:.2f} us of messages, and "
        f"{summary['waits']:.2f} us in which messages wait for links and nodes."
    )


def _path_lines(steps):
    lines = [f"  {path_text(path_summary(steps))}"]
    shown = steps if len(steps) <= MOST_LINES else steps[: MOST_LINES // 2] + [None] + steps[-MOST_LINES // 2 :]
    for step in shown:
        if step is None:
            lines.append(f"  {'...':>12} {len(steps) - MOST_LINES} steps more (--json has all)")
        else:
            kind, rank, peer, size, begin, end, waits = step
            lines.append(f"  {begin:12.2f} {end - begin:10.2f} us  rank {rank} {step_words(kind, peer, waits)}, {size} B")
    return lines


# ---- Two results ----


def compare(a, b):
    """What B changes: time, and the bound that explains it."""
    known = {_key(cell): cell for cell in a["cells"]}
    pairs = [(known[_key(cell)], cell) for cell in b["cells"] if _key(cell) in known]
    return {
        "format": "kumihimo-simulation-comparison",
        "version": VERSION,
        "a": describe(a),
        "b": describe(b),
        "cells": [
            {
                "operation": new["operation"],
                "algorithm": new["algorithm"],
                "bytes": new["bytes"],
                "a_us": old["time_us"],
                "b_us": new["time_us"],
                "change_percent": 100 * (new["time_us"] / old["time_us"] - 1) if old["time_us"] else 0.0,
                "because": _because(old, new),
            }
            for old, new in pairs
        ],
        "cannot_know": list(dict.fromkeys(a["cannot_know"] + b["cannot_know"])),
    }


def _key(cell):
    return cell["operation"], cell["algorithm"], cell["bytes"]


def _because(old, new):
    """The bound that binds before or after, if it changed as the time did; else what changed on the critical path."""
    before, after = old["bounds_us"], new["bounds_us"]
    longer = new["time_us"] - old["time_us"]
    if longer == 0:
        return ""
    for which in (new["binding"], old["binding"]):
        if which in before and which in after:
            moved = after[which] - before[which]
            if abs(moved) > 0.005 * before[which] and (moved > 0) == (longer > 0):
                return f"{BINDING[which]}: {before[which]:.4g} -> {after[which]:.4g} us"
    return _by_path(old, new)


def _by_path(old, new):
    """Where no bound changed: what the critical path has more or less of, if both results have it (--path)."""
    if not ("path" in old and "path" in new):
        return "the bound did not change so: waiting did (--path in both tells where)"
    before, after = path_summary(old["path"]), path_summary(new["path"])
    which = max(before, key=lambda one: abs(after[one] - before[one]))
    return f"critical path, {which}: {before[which]:.4g} -> {after[which]:.4g} us"


def comparison_text(compared):
    lines = ["simulated, not measured", f"A  {compared['a']}", f"B  {compared['b']}", ""]
    lines.append(f"{'operation':<15} {'algorithm':<20} {'size':>9} {'A us':>12} {'B us':>12} {'change':>9}  because")
    for cell in compared["cells"]:
        names = f"{cell['operation']:<15} {cell['algorithm']:<20} {sizes.text(cell['bytes']):>9}"
        change = _change(cell["a_us"], cell["b_us"])
        lines.append(f"{names} {cell['a_us']:12.2f} {cell['b_us']:12.2f} {change:>9}  {cell['because']}".rstrip())
    return "\n".join([*lines, "", limits(compared["cannot_know"])])


def tell_comparison(options, compared):
    print(json.dumps(compared, indent=1) if options.json else comparison_text(compared))
    return 0
