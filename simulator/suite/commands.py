"""What each command of `kumihimo simulate` does; the command line itself is commands/simulate.py's."""

import json
import math
import os
import statistics
import sys

from ...bench.suite import commands as bench
from ...bench.suite import operations, progress, sizes
from ...commands.command_line import meant
from . import engine, frames, measured, noise, questions, report, results, tuning
from .questions import BadQuestion

USAGE, INTERRUPTED = 2, 130  # as `kumihimo bench`
PROBLEMS = (BadQuestion, engine.Refused, measured.TooLittle, noise.NoNoise, results.NoResult, sizes.BadSize, *bench.PROBLEMS)


def perform(command, options):
    try:
        return ACTIONS[command](options)
    except PROBLEMS as problem:
        print(f"kumihimo simulate: {problem}", file=sys.stderr)
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
        print(f"  {program['operation']:<15} {program['algorithm']:<20} {program['explanation']}".rstrip())
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
    for axis in found["axes"]:
        print(f"  {axis['name']}  {_picture(axis)}")
    if found["messages"]:
        print(f"\nmessages of {len(found['messages'])} sizes: {found['messages_source']}")
        print(f"{'size':>9} {'overhead us':>12} {'busy us':>12} {'latency us':>12}")
        for one in found["messages"]:
            times = " ".join(f"{one[name]:12.3f}" for name in ("overhead_us", "busy_us", "latency_us"))
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
PLACEMENTS = {"cycles": "along closed ways", "order": "in the order of the nodes"}


def _routing(found):
    return f", messages go along {' '.join(found['routing'])}" if found["axes"] else ""


def _picture(axis):
    """o-o-o as a line, (o-o-o) as a ring; dots where the job decides how many there are."""
    line = "-".join("o" * axis["extent"]) if axis["extent"] else "o-o- ... -o"
    return f"({line})" if axis["ring"] else line


# ---- run ----


def _known(one):
    """{operation: names of its algorithms}."""
    known = {}
    for program in one.ask("list")["programs"]:
        known.setdefault(program["operation"], []).append(program["algorithm"])
    return known


def run(options):
    wanted = _operations(options.operations)
    if options.output:
        bench.check_report(options.output)
    if options.compare:
        return _beside_as_it_is(options, wanted)
    with engine.Engine() as one:
        result, left_out, left = _simulated(one, options, wanted)
        pictures = (options.output or options.frames) and result["cells"] and not left
        if pictures:
            machine, details = _machine(one, options), _details(one, options, result)
            written = _pictures(options, result, machine, details)
    if options.json:
        print(json.dumps(result, indent=1))
    else:
        print(results.text(result), end="")
        if pictures:
            print(f"written: {written}")
    return _ended(options, result, left_out, left)


def _simulated(one, options, wanted):
    """The result, why algorithms were left out, and how many cells were not tried."""
    known = _known(one)
    cells = [
        (name, algorithm, size)
        for name in wanted
        for algorithm in _algorithms(options.algorithm, name, known[name])
        for size in ([0] if operations.OPERATIONS[name].messages is None else sizes.parse(options.sizes))
    ]
    done = _done(options)
    to_do = [cell for cell in cells if cell not in done]
    found, left_out = _compute(one, options, to_do)
    result = _result(options, [done[cell] for cell in cells if cell in done] + found)
    return result, left_out, len(to_do) - len(found) - len(left_out)


def _result(options, cells):
    return results.make(options, {**questions.settings(options), **questions.changes(options)}, cells)


def _ended(options, result, left_out, left):
    """Tells what is missing; the exit code."""
    for reason in [] if options.algorithm == "all" else dict.fromkeys(left_out):
        print(f"kumihimo simulate: left out: {reason}", file=sys.stderr)
    done = len(result["cells"])
    if left:
        goes_on = "the same command with --resume FILE goes on, where FILE has what was printed"
        how = goes_on if options.json else f"with --json, {goes_on}"
        print(f"kumihimo simulate: interrupted; {done} of {done + left + len(left_out)} cells are done; {how}", file=sys.stderr)
        return INTERRUPTED
    if not done:
        raise BadQuestion("nothing could be simulated")
    return 0


def _beside_as_it_is(options, wanted):
    """--compare: two columns, without and with what the options change, and why they differ."""
    before = questions.as_it_is(options)
    if results.describe(_result(before, [])) == results.describe(_result(options, [])):
        raise BadQuestion(
            "--compare sets a machine as it is beside one that is changed: by --set, --links-times, --slow-link, ..."
        )
    both = []
    with engine.Engine() as one:
        for side in (before, options):
            side.path = True
            result, left_out, left = _simulated(one, side, wanted)
            if code := _ended(side, result, left_out, left):
                return code
            both.append(result)
    return _tell(options, results.compare(*both))


def _done(options):
    """{(operation, algorithm, bytes): cell} of a result that was interrupted."""
    if not options.resume:
        return {}
    before = results.load(options.resume)
    now = _result(options, [])
    if results.describe(before) != results.describe(now):
        raise BadQuestion(f"{options.resume} is of another question: {results.describe(before)}")
    return {(cell["operation"], cell["algorithm"], cell["bytes"]): cell for cell in before["cells"]}


def _compute(one, options, cells):
    """Cells, and why others were left out; fewer of both than there are where it was interrupted."""
    found, left_out = [], []
    one_way = len({algorithm for _, algorithm, _ in cells}) == 1
    with progress.make(len(cells), 1, len(cells)) as bar:
        for name, algorithm, size in cells:
            bar.label = " ".join(filter(None, (name, algorithm, sizes.text(size))))
            try:
                question = questions.question(options, name, algorithm, size)
                answers = _answers(one, options, question)
                sensitivity = list(_sensitivity(one, options, question))
            except engine.Refused as refused:
                if str(refused) == "interrupted":
                    break
                if one_way:
                    raise
                left_out.append(f"{name} by {algorithm}: {refused}")
            except KeyboardInterrupt:
                break
            else:
                found.append(_cell(options, name, algorithm, size, answers, sensitivity))
            bar.done()
    return found, left_out


def _sensitivity(one, options, question):
    """The time with half and twice each of the constants that the option names; those joined by + together."""
    for constants in questions.together(options.sensitivity):
        for times in (0.5, 2):
            changed = {
                **question,
                "path": False,
                "pairs": False,
                "times": {**question["times"], **dict.fromkeys(constants, times)},
            }
            time = statistics.median(answer["time_us"] for answer in _answers(one, options, changed))
            yield {"constants": constants, "times": times, "time_us": time}


def _answers(one, options, question):
    """One, or where something is drawn one of each seed: by time."""
    drawn = options.skew or options.noise
    seeds = range(options.seed, options.seed + (options.seeds if drawn else 1))
    return sorted((one.ask("run", seed=seed, **question) for seed in seeds), key=lambda answer: answer["time_us"])


def _machine(one, options):
    """As the engine shows it, with the extents of all axes."""
    machine = one.ask("show", machine=engine.machine_path(options.machine))
    given = iter(int(extent) for extent in (options.nodes or "").split("x") if extent)
    for axis in machine["axes"]:
        axis["extent"] = axis["extent"] or next(given)
    return machine


def _details(one, options, result):
    details = []
    for cell in report.chosen(result["cells"]):
        question = questions.question(options, cell["operation"], cell["algorithm"], cell["bytes"])
        question.update(path=True, slices=report.SLICES, links=report.BUSIEST)
        details.append(report.Detail(cell, one.ask("run", **question)))
    return details


def _pictures(options, result, machine, details):
    """Writes what is asked for; which files these are."""
    written = []
    if options.output:
        points = _published(machine["name"], options.shape)
        bench.write_report(options.output, report.page(result, machine, details, points))
        written.append(options.output)
    if options.frames:
        if not machine["axes"]:
            raise BadQuestion(f"--frames shows planes of a torus, and {machine['name']} is none")
        written.append(f"{frames.write(options.frames, details, machine)} pictures in {options.frames}")
    return ", ".join(written)


def _published(machine, shape):
    """{operation: {size: GiB/s}} of the paper, where it has this machine and shape."""
    with open(os.path.join(os.path.dirname(bench.__file__), "published.json"), encoding="utf-8") as file:
        source = json.load(file)
    found = {}
    for entry in source["records"] if machine == source["machine"] else []:
        if "x".join(map(str, entry["shape"])) == shape:
            for operation, points in entry.get("points", {}).items():
                found.setdefault(operation, {}).update(points)
    return found


def _spread(answers):
    """Only of what was drawn, or estimated: of anything else there is none."""
    times = [answer["time_us"] for answer in answers]
    if len(times) > 1:
        tenths = statistics.quantiles(times, n=10, method="inclusive")
        return {"low_us": tenths[0], "high_us": tenths[-1]}
    off = answers[0]["interval_us"]
    return {"low_us": times[0] - off, "high_us": times[0] + off} if off > 0 else {}


def _cell(options, name, algorithm, size, answers, sensitivity):
    """Of the median's run, or the mean's of the two in the middle."""
    answer = dict(answers[len(answers) // 2])
    answer["time_us"] = statistics.median(one["time_us"] for one in answers)
    shape = [int(one) for one in options.shape.split("x")]
    bounds = {which: one["time_us"] for which, one in answer["bounds"].items()}
    binding = max(bounds, key=bounds.get)
    return {
        "operation": name,
        "algorithm": algorithm,
        "bytes": size,
        "time_us": answer["time_us"],
        "throughput_gib_s": operations.throughput(name, size, answer["time_us"], math.prod(shape), shape),
        "messages": answer["messages"],
        "bounds_us": bounds,
        "binding": binding,
        "where": answer["bounds"][binding]["where"],
        "share": bounds[binding] / answer["time_us"] if answer["time_us"] else 1.0,
        "any_us": answer["any"]["time_us"],
        "any_where": answer["any"]["where"],
        "links": answer["links"],
        **{kept: answer[kept] for kept in ("path", "pairs") if kept in answer},
        **({"sensitivity": sensitivity} if sensitivity else {}),
        "simulated": answer["simulated"],
        **_spread(answers),
    }


def _operations(words):
    simulated = [name for name, one in operations.OPERATIONS.items() if one.group in ("p2p", "collective")]
    spelt = {name.lower(): name for name in simulated}
    found = []
    for word in words:
        if word.lower() not in spelt:
            raise BadQuestion(f"there is no operation '{word}'{meant(word, simulated)} (kumihimo simulate list)")
        found.append(spelt[word.lower()])
    return found


def _algorithms(word, operation, known):
    if known == [""]:
        return known
    if word == "all":
        return known
    chosen = word.split(",") if word else []
    if not chosen:
        raise BadQuestion(f"--algorithm says how {operation} is done: all, or some of {', '.join(known)}")
    for one in chosen:
        if one not in known:
            raise BadQuestion(f"{operation} has no algorithm '{one}'{meant(one, known)}; there are: {', '.join(known)}")
    return chosen


# ---- compare ----


def compare(options):
    a, b = results.load(options.a), results.load(options.b)
    compared = results.compare(a, b)
    if not compared["cells"]:
        raise BadQuestion(f"{options.a} and {options.b} have no operation, algorithm and size in common")
    return _tell(options, compared)


def _tell(options, compared):
    print(json.dumps(compared, indent=1) if options.json else results.comparison_text(compared))
    return 0


# ---- tune ----


def tune(options):
    wanted = _operations(options.operations or tuning.OPERATIONS)
    segments = [sizes.number(one) for one in options.segments.split(",")] if options.segments else []
    with engine.Engine() as one:
        known = _known(one)
        if unsuitable := [name for name in wanted if known[name] == [""] or name.endswith("v")]:
            raise BadQuestion(f"{unsuitable[0]} takes no rules for sizes")
        steps = [(name, [0] if operations.OPERATIONS[name].messages is None else sizes.parse(options.sizes)) for name in wanted]
        segments = segments or [one.ask("place", **_where(options))["segment"]]
        tables = []
        with progress.make(len(segments), 1, len(segments)) as bar:
            for segment in segments:
                bar.label = f"segments of {sizes.text(segment)}"
                tables.append(tuning.Table(segment, steps, lambda *cell, s=segment: _times(one, options, known, s, *cell)))
                bar.done()
    found = tuning.told(options, tuning.best(tables))
    try:
        print(json.dumps(found, indent=1) if options.json else tuning.text(found))
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def _where(options):
    return {
        "machine": engine.machine_path(options.machine),
        "shape": options.shape,
        "nodes": options.nodes or "",
        "set": questions.settings(options),
    }


def _times(one, options, known, segment, name, size):
    """{algorithm: microseconds} of all that can do it within limits."""
    found = {}
    question = {**_where(options), "operation": name, "bytes": size, "memory": questions.memory(options.memory)}
    question["set"] = {**question["set"], "segment": f"{segment} B"}
    question["most_messages"] = tuning.MOST_MESSAGES
    for algorithm in tuning.rulable(known[name]):
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
    with engine.Engine() as one:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(measured.machine_text(fitted, one.ask("rates")))
        cells = list(_held_out(one, options.output, fitted, control))
    if options.json:
        print(json.dumps(measured.told(fitted, cells, options.output), indent=1))
    else:
        print(measured.text(fitted, cells), end="")
        print(f"written: {options.output}")
    return 0


def _held_out(one, path, fitted, control):
    record = fitted.record
    shape = "x".join(map(str, record.key["shape"]))
    known = _known(one)
    for name, size in measured.held_out(record):
        times = {}
        for algorithm in measured.algorithms(record, name, known[name]):
            question = {"machine": path, "operation": name, "algorithm": algorithm, "shape": shape, "bytes": size}
            try:
                times[algorithm] = one.ask("run", **question)["time_us"]
            except engine.Refused as refused:
                if not _unsuitable(refused):
                    raise
        if times:
            best = min(times, key=times.get)
            again = control.curve(name).get(size) if control else None
            measured_us = record.curve(name)[size]["median_us"]
            yield measured.HeldOut(name, size, best, measured_us, times[best] + fitted.start, again and again["median_us"])


ACTIONS = {"list": list_, "show": show, "run": run, "compare": compare, "tune": tune, "fit": fit}
