"""What each command of `kumihimo simulate` does (run: runs.py); the command line itself is commands/simulate.py's."""

import functools
import json
import sys
import tempfile

from ...bench.suite import commands as bench
from ...bench.suite import operations, progress, sizes
from . import engine, libraries, measured, noise, questions, results, runs, tuning
from .questions import BadQuestion

USAGE = 2  # as `kumihimo bench`
PROBLEMS = (BadQuestion, engine.Refused, measured.TooLittle, noise.NoNoise, sizes.BadSize, *bench.PROBLEMS)


def perform(command, options):
    try:
        return ACTIONS[command](options)
    except PROBLEMS as problem:
        print(f"kumihimo simulate: {questions.said(problem)}", file=sys.stderr)
        return USAGE


# ---- list and show ----


def list_(options):
    with engine.Engine() as one:
        programs = one.ask("list")["programs"]
        machines = {name: one.ask("show", machine=engine.machine_path(name)) for name in engine.machines()}
    if options.json:
        described = [{"name": name, "explanation": found["explanation"]} for name, found in machines.items()]
        print(json.dumps({"schema": 1, "machines": described, "programs": programs}, indent=1))
        return 0
    print("machines:")
    for name, found in machines.items():
        print(f"  {name:<12} {found['explanation']}")
    print("\noperations and their algorithms:")
    for program in programs:
        print(f"  {program['operation']:<15} {program['algorithm']:<24} {program['explanation']}".rstrip())
    return 0


def show(options):
    with engine.Engine() as one:
        found = one.ask("show", machine=engine.machine_path(options.machine))
    if options.json:
        print(json.dumps({"schema": 1, **found}, indent=1))
        return 0
    print(f"{found['name']}: {found['explanation']}\n")
    print(f"network: {found['network']}{_routing(found)}, ranks placed {PLACEMENTS[found['placement']]}")
    print(f"network interfaces: a message takes {INTERFACES[found['interface_choice']]}")
    print(f"failures: {FAILURES[found['failures']]}")
    for line in _picture(found):
        print(f"  {line}")
    if found["messages"]:
        print(f"\nmessages of {len(found['messages'])} sizes: {found['messages_source']}")
        print(f"{'size':>9} {'send us':>12} {'receive us':>12} {'latency us':>12} {'rewrite us':>12} {'fresh us':>12}")
        for one in found["messages"]:
            times = " ".join(f"{one[name]:12.3f}" for name in ("send_us", "receive_us", "latency_us", "rewrite_us", "fresh_us"))
            print(f"{sizes.text(int(one['bytes'])):>9} {times}")
    print(f"\n{'constant':<24} {'value':>16}  kind       source")
    for one in found["constants"]:
        value = f"{one['value']} {one['unit'] if one['unit'] != '1' else ''}".strip()
        print(f"{one['name']:<24} {value:>16}  {one['kind']:<10} {one['source']}")
    return 0


INTERFACES = {
    "least busy": "the least busy one of its node",
    "first link": "that of its first link",
    "channel": "that of its channel",
}
FAILURES = {
    "detour": "messages go round links and nodes that failed",
    "refusal": "messages whose way has failed are refused",
}
PLACEMENTS = {"cycles": "along closed ways", "order": "in the order of the nodes"}


def _routing(found):
    return f", messages go along {' '.join(found['routing'])}" if found["axes"] else ""


def _picture(found):
    """Lines of a network: the axes of a torus, what is in a dragonfly, the levels of a fat tree from above."""
    if found["axes"]:
        return [f"{axis['name']}  {_axis(axis)}" for axis in found["axes"]]
    numbers = {one["name"]: one["value"] for one in found["constants"]}
    drawn = PICTURES.get(found["network"], lambda number: [])
    return drawn(lambda name: int(float(numbers[name])))


def _axis(axis):
    """o-o-o as a line, (o-o-o) as a ring; dots where the job decides how many there are."""
    line = "-".join("o" * axis["extent"]) if axis["extent"] else "o-o- ... -o"
    return f"({line})" if axis["ring"] else line


def _dragonfly(number):
    nodes, routers, links = map(number, ("nodes_of_router", "routers_of_group", "global_links_of_router"))
    return [
        f"router  {_nodes(nodes)}  {nodes} nodes, {links} links to other groups",
        f"group   {routers} routers, each with a link to each other one",
        f"all     {routers * links + 1} groups at most, each with a link to each other one",
    ]


def _fat_tree(number):
    """As fat_tree.cpp has it: half of a switch's ports are below."""
    levels, below = number("levels"), number("radix") // 2
    lowest = f"level 1  each switch: {_nodes(below)}  {below} nodes"
    if levels == 1:
        return [lowest]
    above = f", {below // number('taper')} up"
    lines = [f"level {levels}  each switch: {below} links down"]
    if levels > 2:
        between = "2" if levels == 3 else f"2 to {levels - 1}"
        lines.append(f"level {between}  each switch: {below} links down{above}")
    return [*lines, lowest + above]


def _nodes(count):
    return "o" * count if count <= 8 else "oo ... o"


PICTURES = {"dragonfly": _dragonfly, "fat-tree": _fat_tree}


# ---- compare ----


def compare(options):
    a, b = results.load(options.a), results.load(options.b)
    compared = results.compare(a, b)
    if not compared["cells"]:
        raise BadQuestion(f"{options.a} and {options.b} have no operation, algorithm and size in common")
    return results.tell_comparison(options, compared)


# ---- tune ----


def tune(options):
    wanted = questions.operations_named(options.operations or tuning.OPERATIONS)
    segments = [sizes.number(one) for one in options.segments.split(",")] if options.segments else []
    margins = tuning.Margins(options.margin, measured.load(options.errors) if options.errors else None)
    with engine.Engine() as one:
        known = one.algorithms()
        if unsuitable := [name for name in wanted if known[name] == [""] or name.endswith("v")]:
            raise BadQuestion(f"{unsuitable[0]} takes no rules for sizes")
        steps = [(name, [0] if operations.OPERATIONS[name].messages is None else sizes.parse(options.sizes)) for name in wanted]
        segments = segments or [one.ask("place", **questions.machine(options))["segment"]]
        tables, cells = [], sum(len(all_sizes) for _, all_sizes in steps)
        with progress.make(len(segments) * cells, 1, cells) as bar:

            def times(segment, name, size):
                bar.label = f"{name} {sizes.text(size)}, segments of {sizes.text(segment)}"
                found = _times(one, options, known, segment, name, size)
                bar.done()
                return found

            for segment in segments:
                tables.append(tuning.Table(segment, steps, functools.partial(times, segment)))
                if tables[-1].left:
                    break
    table = tuning.best(tables)
    found = tuning.told(options, table, margins)
    print(json.dumps(found, indent=1) if options.json else tuning.text(found))
    return _interrupted(tables, table, segments) if tables[-1].left else 0


def _interrupted(tables, table, segments):
    """Tells what the table is of, and how to go on; the exit code."""
    if table.left:
        done = f"{len(table.cells)} of {len(table.cells) + len(table.left)} cells are done"
        of_operations = " ".join(dict.fromkeys(operation for operation, _, _ in table.left))
        goes_on = f"kumihimo simulate tune {of_operations} ... goes on"
    else:
        done = f"{len(tables) - 1} of {len(segments)} lengths of segments are done"
        left = ",".join(map(str, [table.segment, *segments[len(tables) - 1 :]]))
        goes_on = f"--segments {left} goes on"
    print(f"kumihimo simulate: interrupted; {done}; {goes_on}", file=sys.stderr)
    return runs.INTERRUPTED


def _times(one, options, known, segment, name, size):
    """{algorithm: microseconds} of all that can do it within limits."""
    question = {**questions.machine(options), "operation": name, "bytes": size, "memory": questions.memory(options.memory)}
    question["set"] = {**question["set"], "segment": f"{segment} B"}
    question["most_messages"] = tuning.MOST_MESSAGES
    return _times_of(one, tuning.rulable(known[name]), question)


def _times_of(one, names, question):
    """{algorithm: microseconds} of those that suit."""
    found = {}
    for algorithm in names:
        try:
            found[algorithm] = one.ask("run", algorithm=algorithm, **question)["time_us"]
        except engine.Refused as refused:
            if not _unsuitable(refused):
                raise
    return found


def _unsuitable(refused):
    return any(reason in str(refused) for reason in ("does not suit", "takes more work space", "too many"))


# ---- fit ----


def fit(options):
    record = bench.find(options.record, options)
    control = bench.find(options.control, options) if options.control else None
    fitted = measured.fit(record)
    local = measured.local(fitted, options.local)
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(measured.machine_text(fitted, local))
    with engine.Engine() as one, tempfile.NamedTemporaryFile("w", suffix=".toml") as of_library:
        of_library.write(measured.machine_of_library(fitted, local))
        of_library.flush()
        cells = list(_held_out(one, options.output, of_library.name, fitted, control))
    if options.json:
        print(json.dumps(measured.told(fitted, cells, options.output), indent=1))
    else:
        print(measured.text(fitted, cells), end="")
        print(f"written: {options.output}")
    return 0


def _held_out(one, ours, of_library, fitted, control):
    """ours, of_library: paths of the machine to libkumihimo_coll and to the MPI library."""
    record = fitted.record
    shape = "x".join(map(str, record.key["shape"]))
    known = one.algorithms()
    for name, size in measured.held_out(record):
        rule = measured.ruled(record, name, known[name])
        question = {"machine": ours if rule else of_library, "operation": name, "shape": shape, "bytes": size}
        of_the_library = libraries.candidates(record.key["family"], name, size, record.key["ranks"], known[name])
        candidates = [[rule]] if rule else of_the_library
        times = next(filter(None, (_times_of(one, names, question) for names in candidates)), None)
        if times:
            best = min(times, key=times.get)
            again = control.curve(name).get(size) if control else None
            measured_us = record.curve(name)[size][measured.BEST_US]
            yield measured.HeldOut(name, size, best, measured_us, times[best] + fitted.start, again and again[measured.BEST_US])


ACTIONS = {"list": list_, "show": show, "run": runs.run, "compare": compare, "tune": tune, "fit": fit}
