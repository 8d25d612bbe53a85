"""A machine from a record of `kumihimo bench`: what messages take by their size, from point-to-point cells and from no other.
Collective operations are held out: they are simulated on the machine, and the errors told."""

import itertools
import json
import math
import os
import subprocess

from ... import configuration
from ...bench.suite import launch, operations, plan, quantiles, schema, sizes
from . import results

LEAST_SIZES = 5
STARTS = 10  # how finely the share of a call in the shortest time that is no message is sought
FITTED = ("PingPong", "PingPing", "Sendrecv", "Exchange")
BEST = 0.1
BEST_US = "q10_us"  # of a record's cells, over launches


class TooLittle(Exception):
    pass


def best(times):
    """Of a cell's launches: what the machine takes at its best, told by more than one launch. The host of a virtual machine
    moves its processors. While two have no cache in common, messages take three times as long; others on the same cores slow
    them, too. Medians of messages and of operations may be those of two machines."""
    return quantiles.quantile(sorted(times), BEST)


class Message:
    """What a message of one size takes, in microseconds: of the sender's processor, of the receiver's, and between both. The
    times of the four measurements follow from the rules of the simulator's processor."""

    def __init__(self, send, receive, latency):
        self.send, self.receive, self.latency = send, receive, latency

    def times(self):
        alone = self.send + self.latency + self.receive
        first = max(2 * self.send, self.send + self.latency) + self.receive
        exchange = max(first, 2 * self.send + self.latency) + self.receive
        return {"PingPong": alone, "PingPing": alone, "Sendrecv": alone, "Exchange": exchange}


class Fit:
    """messages: {size: Message}. start: microseconds that every measured call has besides, since ranks begin a little apart and
    read clocks. PingPong has half of it, because its time is that of half a call."""

    def __init__(self, record, messages, start):
        self.record, self.messages, self.start = record, messages, start

    def times(self, size):
        return _as_measured(self.messages[size], self.start)

    def misses(self):
        """{operation: [share that each size misses by]} of what was fitted."""
        found = {name: [] for name in FITTED}
        for size in self.messages:
            for name, time in self.times(size).items():
                found[name].append(time / self.record.curve(name)[size][BEST_US] - 1)
        return found

    def miss(self):
        return sum(math.log1p(miss) ** 2 for all_sizes in self.misses().values() for miss in all_sizes)


def fit(record):
    """Of all sizes that have all four measurements. Throws TooLittle."""
    measured = _cells(record)
    least = min(min(times.values()) for times in measured.values())
    tried = (Fit(record, _messages(measured, least * step / STARTS), least * step / STARTS) for step in range(STARTS))
    return min(tried, key=Fit.miss)


def _messages(measured, start):
    """{size: Message}. The four measurements do not tell which side moves a message: half by each, or all by the receiver,
    gives the same times. Libraries on one machine have the receiver read the sender's memory. So a sender only prepares, which
    takes as long for each size as each side needs for the shortest."""
    shortest = min(measured)
    send = _solve(measured[shortest], start, None).send
    return {size: _solve(times, start, send) for size, times in measured.items()}


def _cells(record):
    """{size: {measurement: microseconds}}."""
    for name in FITTED:
        curve = record.curve(name)
        if not curve:
            raise TooLittle(f"{record.name} has no {name}: kumihimo bench run {' '.join(FITTED)} ...")
        for size, cell in curve.items():
            if len(cell["launches"]) < plan.LEAST_LAUNCHES:
                few = f"{len(cell['launches'])} of {plan.LEAST_LAUNCHES} launches"
                raise TooLittle(f"{record.name} has {few} that a fit takes of {name}, {sizes.text(size)}")
    common = sorted(set.intersection(*(set(record.curve(name)) for name in FITTED)))
    if len(common) < LEAST_SIZES:
        told = ", ".join(map(sizes.text, common)) or "none"
        raise TooLittle(f"{record.name} has {len(common)} sizes of {' '.join(FITTED)}, {LEAST_SIZES} are needed: {told}")
    return {size: {name: record.curve(name)[size][BEST_US] for name in FITTED} for size in common}


def _as_measured(message, start):
    return {name: time + start / (2 if name == "PingPong" else 1) for name, time in message.times().items()}


def _solve(measured, start, send):
    """The message whose times miss least, by a search that becomes finer. send: None where it is as long as the receiver's."""
    whole = measured["PingPong"]
    best, step = (whole / 2, whole / 2), whole / 4

    def message(values):
        receive, latency = values
        return Message(receive if send is None else send, receive, latency)

    def miss(values):
        times = _as_measured(message(values), start)
        return sum(math.log(times[name] / measured[name]) ** 2 for name in FITTED)

    while step > whole / 4096:
        around = [
            tuple(max(0.0, value + step * side) for value, side in zip(best, sides))
            for sides in itertools.product((-1, 0, 1), repeat=2)
        ]
        better = min((one for one in around if sum(one) > 0), key=miss)
        if miss(better) < miss(best):
            best = better
        else:
            step /= 2
    return message(best)


# ---- The machine's file ----


def local(fitted, path=None):
    """What two processors take for copies, reductions and a schedule's steps, and more for messages of what was just computed:
    {bytes: {"step_us": ..., "copy_us": ..., "reduction_us": ..., "rewrite_us": ..., "fresh_us": ..., "library_reduction_us":
    ..., "library_rewrite_us": ...}}. path: of what kumihimo-local printed; default: measured now, with the record's MPI
    library."""
    all_ = {one["bytes"]: one for one in (_read_local(path) if path else _measure_local(fitted))}
    if missing := [sizes.text(size) for size in sorted(fitted.messages) if not _NEEDED <= set(all_.get(size, ()))]:
        raise TooLittle(
            f"{path or PROGRAM} says nothing of {', '.join(missing)}, or not all times: print them again by "
            f"mpiexec -n 2 {PROGRAM} BYTES... of this version"
        )
    return all_


_LOCAL = ("copy_us", "reduction_us", "rewrite_us", "fresh_us")
_STEPS = ("copy_us", "reduction_us")
STEP = "step_us"  # of a schedule of libkumihimo_coll, besides MPI's calls
_OF_LIBRARY = {"reduction_us": "library_reduction_us", "rewrite_us": "library_rewrite_us"}  # by MPI_Reduce_local
_NEEDED = {*_LOCAL, STEP, *_OF_LIBRARY.values()}
PROGRAM = "kumihimo-local"
LOCAL_LAUNCHES, LOCAL_LAUNCHES_AT_MOST = 3, 40
LIKE = 1.3  # a short message that takes no more times as long as in the record comes from the same machine


def _read_local(path):
    try:
        with open(path, encoding="utf-8") as file:
            all_ = json.load(file)
        if all("bytes" in one and all(isinstance(time, (int, float)) and time >= 0 for time in one.values()) for one in all_):
            return all_
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise TooLittle(f"cannot read {path}: {error}") from error
    raise TooLittle(f"{path} is not what {PROGRAM} prints: a list of sizes with times in microseconds")


def _measure_local(fitted):
    family = fitted.record.key["family"]
    program = os.path.join(configuration.LIBRARIES, family, PROGRAM)
    if not os.path.exists(program):
        raise TooLittle(f"{program} is missing: build Kumihimo with {family}, whose reductions {fitted.record.name} has")
    bound = ["-bind-to", "core"] if len(os.sched_getaffinity(0)) > 1 else []
    words, environment = launch.start_command(family, 2, {}, [program, *map(str, sorted(fitted.messages))], bound)
    launches, alike = [], []
    while len(alike) < LOCAL_LAUNCHES and len(launches) < LOCAL_LAUNCHES_AT_MOST:
        done = subprocess.run(words, env={**os.environ, **environment}, capture_output=True, text=True)
        if done.returncode:
            raise TooLittle(f"{program} failed: {(done.stdout + done.stderr).strip()}")
        launches.append(json.loads(done.stdout))
        alike = [one for one in launches if _short_message(one) <= LIKE * _short_message_of(fitted)]
    launches = sorted(launches, key=_short_message)[:LOCAL_LAUNCHES]  # of the machine as the fit has it, if it was so
    return [{name: quantiles.median([one[name] for one in of_size]) for name in of_size[0]} for of_size in zip(*launches)]


def _short_message(of_sizes):
    return min(of_sizes, key=lambda one: one["bytes"])["message_us"]


def _short_message_of(fitted):
    return fitted.times(min(fitted.messages))["PingPong"]


def machine_of_library(fitted, local):
    """The same machine to the MPI library's own operations, which reduce by other loops and have no steps."""
    of_library = {
        size: {STEP: 0, **{name: of_size[_OF_LIBRARY.get(name, name)] for name in _LOCAL}} for size, of_size in local.items()
    }
    return machine_text(fitted, of_library)


def machine_text(fitted, local):
    """A star of so many nodes, as a schedule finds it. local: what is in no point-to-point cell."""
    record, key = fitted.record, fitted.record.key
    source = f"record {record.name}, {record.created[:10]}, {key['library'].split(',')[0]}"
    free = ("assumed", "processors move what passes, and messages say how long that takes them")
    here = ("measured", "of the longest messages, by one processor, where the fit was made; for others messages say it")
    longest = max(local)
    rates = {name: longest / local[longest][f"{name}_us"] / 1000 for name in ("copy", "reduction")}
    unused = ("assumed", "part of messages")
    constants = {
        "radix": (2 * max(2, key["ranks"]), "1", ("assumed", "one switch for all ranks")),
        "levels": (1, "1", ("assumed", "one switch for all ranks")),
        "taper": (1, "1", ("assumed", "one switch for all ranks")),
        "link_rate": (1e6, "GB/s", free),
        "node_rate": (1e6, "GB/s", free),
        "hop_latency": (0, "us", unused),
        "message_latency": (0, "us", unused),
        "message_overhead": (0, "us", unused),
        "interfaces": (1, "1", unused),
        "interface_gap": (0, "us", unused),
        "packet": (1 << 20, "B", unused),
        "packet_header": (0, "B", unused),
        "eager_limit": (1, "GiB", ("assumed", "what long messages ask their receivers is part of messages")),
        "copy_rate": (rates["copy"], "GB/s", here),
        "copy_overhead": (0, "us", unused),
        "reduction_rate": (rates["reduction"], "GB/s", here),
        "reduction_overhead": (0, "us", unused),
        "segment": (16, "KiB", ("assumed", "the default of libkumihimo_coll")),
        "work_space": (6, "MiB", ("assumed", "the default of libkumihimo_coll")),
    }
    lines = [
        f"# Made by kumihimo simulate fit from {source}.",
        f'name = "{_quoted(record.name)}"',
        f'explanation = "{_quoted(key["machine"])}, {key["ranks"]} ranks, as measured by kumihimo bench"',
        '\n[network]\nkind = "fat-tree"\nplacement = "order"\n\n[constants]',
    ]
    for name, (value, unit, (kind, words)) in constants.items():
        lines.append(f'{name} = {{value = {value:g}, unit = "{unit}", kind = "{kind}", source = "{_quoted(words)}"}}')
    lines.append(f'\n[messages]\nkind = "fitted"\nsource = "{_quoted(source)}: {", ".join(FITTED)}"\nsizes = [')
    step = local[min(local)][STEP]
    for size, one in sorted(fitted.messages.items()):
        times = {"send_us": one.send + step, "receive_us": one.receive + step, "latency_us": one.latency}
        times |= {name: local[size][name] + (step if name in _STEPS else 0) for name in _LOCAL}
        told = ", ".join(f"{name} = {time:.5g}" for name, time in times.items())
        lines.append(f"    {{bytes = {size}, {told}}},")
    return "\n".join([*lines, "]", ""])


def _quoted(words):
    return "".join(one if one.isprintable() and one not in '"\\' else " " for one in str(words))


# ---- Collective operations, held out ----


def held_out(record):
    """(operation, size) of all collective cells."""
    return [
        (cell["operation"], cell["bytes"])
        for cell in record.cells
        if cell["operation"] in operations.OPERATIONS and operations.OPERATIONS[cell["operation"]].group == "collective"
    ]


def ruled(record, operation, known):
    """The algorithm of libkumihimo_coll that ran, where it had rules for all sizes; None: the MPI library's."""
    rules = [rule.split(":@") for rule in record.key["settings"].get("KUMIHIMO_COLL_TUNE", "").split(",") if ":@" in rule]
    name = operation.lower().removesuffix("v")
    return next((one for where, one in rules if where in (name, operation.lower()) and one in known), None)


class HeldOut:
    """One collective cell: measured and simulated microseconds, by which algorithm, and another record's measured ones."""

    def __init__(self, operation, size, algorithm, measured, simulated, control=None):
        self.operation, self.size, self.algorithm = operation, size, algorithm
        self.measured, self.simulated, self.control = measured, simulated, control
        self.miss = simulated / measured - 1
        self.control_miss = None if control is None else control / measured - 1


def told(fitted, cells, path):
    """The fit as JSON (fit.schema.json)."""
    misses = fitted.misses()
    return {
        "format": "kumihimo-simulation-fit",
        "version": 1,
        "record": fitted.record.name,
        "machine": path,
        "start_us": fitted.start,
        "fitted": {name: {"median_miss": _median(all_), "largest_miss": max(map(abs, all_))} for name, all_ in misses.items()},
        "held_out": [
            {
                "operation": one.operation,
                "bytes": one.size,
                "algorithm": one.algorithm,
                "measured_us": one.measured,
                "simulated_us": one.simulated,
                "miss": one.miss,
                "control_miss": one.control_miss,
            }
            for one in cells
        ],
        "median_error": _median([one.miss for one in cells]) if cells else None,
        "cannot_know": results.CANNOT_KNOW,
    }


def load(path):
    """What `kumihimo simulate fit --json` printed. Throws TooLittle."""
    try:
        return schema.read(path, os.path.join(os.path.dirname(__file__), "fit.schema.json"))
    except ValueError as error:
        raise TooLittle(f"{path} is no result of kumihimo simulate fit --json: {error}") from None


def text(fitted, cells):
    lines = [
        f"fitted: point-to-point cells. Every call has {fitted.start:.3f} us besides, as ranks begin apart and read clocks."
    ]
    lines += [f"{'operation':<15} {'median miss':>12} {'largest':>9}"]
    for name, values in fitted.misses().items():
        lines.append(f"{name:<15} {_percent(_median(values)):>12} {_percent(max(map(abs, values))):>9}")
    lines += ["", "held out: collective cells, which the fit has not seen"]
    if not cells:
        return "\n".join([*lines, "none: the record has no collective operations", "", results.limits(), ""])
    control = any(one.control is not None for one in cells)
    head = f"{'operation':<15} {'size':>9} {'algorithm':<20} {'measured us':>12} {'simulated us':>12} {'miss':>9}"
    lines.append(head + (f" {'2nd record':>11}" if control else ""))
    for one in cells:
        line = f"{one.operation:<15} {sizes.text(one.size):>9} {one.algorithm:<20} {one.measured:12.2f} {one.simulated:12.2f}"
        line += f" {_signed(one.miss):>9}"
        lines.append(line + (f" {_signed(one.control_miss):>11}" if one.control is not None else ""))
    lines += ["", f"{'operation':<15} {'median error':>13}" + (f" {'2nd record':>11}" if control else "")]
    groups = {name: [one for one in cells if one.operation == name] for name in dict.fromkeys(one.operation for one in cells)}
    for name, group in {**groups, "all": cells}.items():
        line = f"{name:<15} {_percent(_median([one.miss for one in group])):>13}"
        others = [one.control_miss for one in group if one.control is not None]
        lines.append(line + (f" {_percent(_median(others)):>11}" if others else ""))
    return "\n".join([*lines, "", results.limits(), ""])


def _median(values):
    return quantiles.median([abs(one) for one in values])


def _percent(share):
    return f"{100 * share:.1f} %"


def _signed(share):
    return f"{100 * share:+.1f} %"
