"""What each command of `kumihimo simulate` does; the command line itself is commands/simulate.py's."""

import json
import math
import os
import random
import re
import statistics
import sys

from ...bench.suite import commands as bench
from ...bench.suite import operations, progress, sizes
from ...commands.command_line import meant
from . import engine, frames, measured, noise, report, results, tuning

USAGE, INTERRUPTED = 2, 130  # as `kumihimo bench`


class BadQuestion(Exception):
    pass


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
    with engine.Engine() as one:
        known = _known(one)
        cells = [
            (name, algorithm, size)
            for name in wanted
            for algorithm in _algorithms(options.algorithm, name, known[name])
            for size in ([0] if operations.OPERATIONS[name].messages is None else sizes.parse(options.sizes))
        ]
        done = _done(options)
        left = [cell for cell in cells if cell not in done]
        found, left_out, complete = _compute(one, options, left)
        found = [done[cell] for cell in cells if cell in done] + found
        result = results.make(options, {**_settings(options), **_changes(options)}, found)
        pictures = (options.output or options.frames) and found and complete
        if pictures:
            machine, details = _machine(one, options), _details(one, options, result)
            written = _pictures(options, result, machine, details)
    if options.json:
        print(json.dumps(result, indent=1))
    else:
        print(results.text(result), end="")
        if pictures:
            print(f"written: {written}")
    for reason in [] if options.algorithm == "all" else dict.fromkeys(left_out):
        print(f"kumihimo simulate: left out: {reason}", file=sys.stderr)
    if not complete:
        goes_on = "the same command with --resume FILE goes on, where FILE has what was printed"
        how = goes_on if options.json else f"with --json, {goes_on}"
        print(f"kumihimo simulate: interrupted; {len(found)} of {len(cells)} cells are done; {how}", file=sys.stderr)
        return INTERRUPTED
    if not found:
        raise BadQuestion("nothing could be simulated")
    return 0


def _done(options):
    """{(operation, algorithm, bytes): cell} of a result that was interrupted."""
    if not options.resume:
        return {}
    before = results.load(options.resume)
    now = results.make(options, {**_settings(options), **_changes(options)}, [])
    if results.describe(before) != results.describe(now):
        raise BadQuestion(f"{options.resume} is of another question: {results.describe(before)}")
    return {(cell["operation"], cell["algorithm"], cell["bytes"]): cell for cell in before["cells"]}


def _compute(one, options, cells):
    """Cells, why others were left out, and whether all were tried."""
    found, left_out = [], []
    one_way = len({algorithm for _, algorithm, _ in cells}) == 1
    with progress.make(len(cells), 1, len(cells)) as bar:
        for name, algorithm, size in cells:
            bar.label = " ".join(filter(None, (name, algorithm, sizes.text(size))))
            try:
                answers = _answers(one, options, _question(options, name, algorithm, size))
            except engine.Refused as refused:
                if str(refused) == "interrupted":
                    return found, left_out, False
                if one_way:
                    raise
                left_out.append(f"{name} by {algorithm}: {refused}")
            except KeyboardInterrupt:
                return found, left_out, False
            else:
                found.append(_cell(options, name, algorithm, size, answers))
            bar.done()
    return found, left_out, True


def _answers(one, options, question):
    """One, or where something is drawn one of each seed: by time."""
    drawn = options.skew or options.noise
    seeds = range(options.seed, options.seed + (options.seeds if drawn else 1))
    return sorted((one.ask("run", seed=seed, **question) for seed in seeds), key=lambda answer: answer["time_us"])


def _question(options, name, algorithm, size):
    return {
        "start": options.start,
        "shorten": "never" if options.full else "automatic",
        **({"skew": _skew(options.skew)} if options.skew else {}),
        **({"noise": _noise(options)} if options.noise else {}),
        "machine": engine.machine_path(options.machine),
        "operation": name,
        "algorithm": algorithm,
        "shape": options.shape,
        "nodes": options.nodes or "",
        "bytes": size,
        "calls": options.calls,
        "root": options.root,
        "sharing": options.sharing,
        "ahead": options.ahead or 0,
        "set": _settings(options),
        "links": 3,
        "path": options.path,
        "memory": _memory(options.memory),
        "links_times": dict(map(_link, options.slow_link)),
        "failed_nodes": options.fail_node,
        "failed_links": options.fail_link,
        "background": _background(options.background),
        "mapping": _mapping(options),
        **_blocks(options, name, size),
    }


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
        question = _question(options, cell["operation"], cell["algorithm"], cell["bytes"])
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


MICROSECONDS = {"us": 1, "ms": 1e3, "s": 1e6}


def _microseconds(text):
    number = re.fullmatch(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?) ?(us|ms|s)", text)
    return float(number[1]) * MICROSECONDS[number[2]] if number else None


def _skew(text):
    kind, _, time = text.partition(":")
    if kind not in ("uniform", "exponential") or not _microseconds(time):
        raise BadQuestion(f"--skew {text}: uniform:TIME or exponential:TIME, as uniform:20us")
    return {f"{kind}_us": _microseconds(time)}


def _noise(options):
    """Length and interval of interruptions, as given or as a record has them, which is read once."""
    length, _, interval = (_microseconds(part.strip()) for part in options.noise.partition("/"))
    if not length or not interval:
        if (length or "/" in options.noise) and not os.path.exists(options.noise):
            raise BadQuestion(f"--noise {options.noise}: LENGTH/INTERVAL of interruptions, as 25us/1ms, or a record")
        length, interval = noise.of(bench.find(options.noise, options))
        options.noise = f"{length:.3g}us/{interval:.3g}us"
        return _noise(options)
    return {"length_us": length, "interval_us": interval}


def _link(text):
    name, colon, factor = text.rpartition(":")
    try:
        return name, float(factor if colon else "")
    except ValueError:
        raise BadQuestion(f"--slow-link {text}: LINK:FACTOR, as x3y2z5a0b0c0+y:0.5") from None


def _background(texts):
    """What other jobs send, as the engine takes it: flows between two nodes, and how many are drawn."""
    flows, draws = [], []
    for text in texts:
        ends, _, rest = text.partition(":")
        nodes = ends.split(",")
        if drawn := re.fullmatch(r"random:(\d+):([^:]+)(?::(\d+))?", text):
            draws.append([int(drawn[1]), _spaced(drawn[2]), int(drawn[3] or 1)])
        elif len(nodes) == 2 and rest and ":" not in rest:
            flows.append([*nodes, _spaced(rest)])
        else:
            raise BadQuestion(f"--background {text}: FROM,TO:RATE or random:COUNT:RATE[:SEED], as random:20:1GB/s")
    return {"flows": flows, "draws": draws}


def _spaced(rate):
    """1GB/s as the engine takes it: 1 GB/s."""
    return re.sub(r"^([\d.eE+-]*\d) ?(?=[A-Za-z])", r"\1 ", rate)


def _blocks(options, name, size):
    """Of v forms: as they are drawn, with `size` bytes on average."""
    if options.blocks == "equal" or not name.endswith("v"):
        return {}
    kind, colon, seed = options.blocks.partition(":")
    if kind != "random" or not colon or not seed.isdigit():
        raise BadQuestion(f"--blocks {options.blocks}: equal or random:SEED")
    chance = random.Random(int(seed))
    ranks = _ranks(options)
    drawn = [chance.randint(0, 2 * size) for _ in range(ranks // 2)]
    blocks = [*drawn, *(2 * size - one for one in drawn), *[size] * (ranks % 2)]
    chance.shuffle(blocks)
    return {"blocks": blocks}


def _ranks(options):
    return math.prod(int(one) for one in options.shape.split("x") if one.isdigit())


def _mapping(options):
    """Whose place each rank takes: drawn, or read; empty where the machine decides."""
    if not options.mapping:
        return []
    kind, colon, seed = options.mapping.partition(":")
    if kind == "random" and colon and seed.isdigit():
        ranks = list(range(_ranks(options)))
        random.Random(int(seed)).shuffle(ranks)
        return ranks
    if kind == "order" and colon:
        return _reordered(options, seed)
    with open(options.mapping, encoding="ascii", errors="replace") as file:
        words = file.read().split()
    if not all(word.isdigit() for word in words):
        raise BadQuestion(f"{options.mapping}: a mapping has the numbers of ranks, and nothing else")
    return [int(word) for word in words]


def _reordered(options, order):
    """Ranks numbered along the shape's axes in another order: the first letter is the fastest."""
    extents = [int(one) for one in options.shape.split("x") if one.isdigit()]
    names = "xyz"[: len(extents)]
    if sorted(order) != sorted(names):
        raise BadQuestion(f"--mapping order:{order}: each of {names} once, the fastest first")
    strides = {name: math.prod(extents[:i]) for i, name in enumerate(names)}
    places = [0]
    for name in order:
        places = [place + i * strides[name] for i in range(extents[names.index(name)]) for place in places]
    return places


def _memory(given):
    """Most bytes that a simulation may take."""
    if given:
        return sizes.number(given)
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (ValueError, OSError):
        return 0  # nobody knows: no limit


def _settings(options):
    """What differs from the machine's file."""
    found = {}
    for text in options.set:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadQuestion(f"--set {text}: NAME=VALUE, as message_overhead='1 us'")
        found[name] = value
    for option, constant in (("segment", "segment"), ("work", "work_space")):
        if getattr(options, option, None):
            found[constant] = f"{sizes.number(getattr(options, option))} B"
    return found


def _changes(options):
    """What differs from the machine's file besides constants, for people."""
    lists = {"slow link": options.slow_link, "failed node": options.fail_node, "failed link": options.fail_link}
    lists["background"] = options.background
    drawn = [name for name in ("skew", "noise") if getattr(options, name)]
    last = options.seed + options.seeds - 1
    return {
        **{name: ", ".join(words) for name, words in lists.items() if words},
        **({"full": "yes"} if options.full else {}),
        **({"ahead": str(options.ahead)} if options.ahead else {}),
        **({"mapping": options.mapping} if options.mapping else {}),
        **({"blocks": options.blocks} if options.blocks != "equal" else {}),
        **({"start": options.start} if options.start != "loop" else {}),
        **{name: getattr(options, name) for name in drawn},
        **({"seeds": f"{options.seed} to {last}"} if drawn else {}),
    }


def _spread(answers):
    """Only of what was drawn, or estimated: of anything else there is none."""
    times = [answer["time_us"] for answer in answers]
    if len(times) > 1:
        tenths = statistics.quantiles(times, n=10, method="inclusive")
        return {"low_us": tenths[0], "high_us": tenths[-1]}
    off = answers[0]["interval_us"]
    return {"low_us": times[0] - off, "high_us": times[0] + off} if off > 0 else {}


def _cell(options, name, algorithm, size, answers):
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
        **({"path": answer["path"]} if "path" in answer else {}),
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
    print(
        json.dumps(compared, indent=1) if options.json else results.comparison_text(compared), end="\n" if options.json else ""
    )
    return 0


# ---- tune ----


def tune(options):
    wanted = _operations(options.operations or tuning.OPERATIONS)
    segments = [sizes.number(one) for one in options.segments.split(",")] if options.segments else [None]
    with engine.Engine() as one:
        known = _known(one)
        if unsuitable := [name for name in wanted if known[name] == [""] or name.endswith("v")]:
            raise BadQuestion(f"{unsuitable[0]} takes no rules for sizes")
        steps = [(name, [0] if operations.OPERATIONS[name].messages is None else sizes.parse(options.sizes)) for name in wanted]
        tables = []
        with progress.make(len(segments), 1, len(segments)) as bar:
            for segment in segments:
                bar.label = f"segments of {sizes.text(segment)}" if segment else "tuning"
                tables.append(tuning.Table(segment, steps, lambda *cell, s=segment: _times(one, options, known, s, *cell)))
                bar.done()
    try:
        print(tuning.text(options, tuning.best(tables)), end="")
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def _times(one, options, known, segment, name, size):
    """{algorithm: microseconds} of all that can do it within limits."""
    found = {}
    constants = {**_settings(options), **({"segment": f"{segment} B"} if segment else {})}
    question = {"machine": engine.machine_path(options.machine), "operation": name, "shape": options.shape, "bytes": size}
    question.update(
        {
            "nodes": options.nodes or "",
            "set": constants,
            "memory": _memory(options.memory),
            "most_messages": tuning.MOST_MESSAGES,
        }
    )
    for algorithm in known[name]:
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
