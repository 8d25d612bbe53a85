"""`kumihimo simulate run`: the cells of a question, one after the other, and what is told and drawn of them."""

import json
import math
import os
import statistics
import sys

from ...bench.suite import commands as bench
from ...bench.suite import operations, progress, sizes
from . import engine, frames, questions, report, results
from .questions import BadQuestion

INTERRUPTED = 130  # as `kumihimo bench`


def run(options):
    wanted = questions.operations_named(options.operations)
    engine.machine_path(options.machine)  # first of all, that there is one
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
    known = one.algorithms()
    cells = [
        (name, algorithm, size)
        for name in wanted
        for algorithm in questions.algorithms_named(options.algorithm, name, known[name])
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
    return results.tell_comparison(options, results.compare(*both))


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
