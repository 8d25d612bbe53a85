"""Measurements of developers' programs: starts them in turn, keeps their records, and makes results and tables of these.

A script in bench/ says what is started (Start), on how many ranks, and what its table shows (columns). A launch prints records
(bench/records.h); a round is one launch of each start. Results have the form of campaigns' (result.schema.json), so that
`kumihimo bench compare` and `report` take them, too."""

import argparse
import datetime
import functools
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from ... import configuration
from . import formats, launch, machine, plan, progress, quantiles, records, significance, summary

SOURCES = Path(__file__).resolve().parents[1]  # bench/
BUILD = Path(configuration.LIBRARIES).resolve().parent
PROGRAMS = BUILD / "bench"


# ---- What is started ----


class Start:
    """One launch in each round. name: unique among the starts. variant: that of records which name none. subject: comes before
    the operation of each record. bound: each rank keeps a processor, where there are enough. family: None without MPI."""

    def __init__(self, name, words, *, family, ranks, variant=None, subject="", settings=None, bound=False):
        self.name, self.words, self.family, self.ranks = name, [str(word) for word in words], family, ranks
        self.variant, self.subject, self.settings, self.bound = variant or name, subject, settings or {}, bound

    def again(self):
        """The same as another variant: what launches of one program differ by (A/A)."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__, name=f"{self.name} again", variant=f"{self.variant} again")
        return other

    def command(self, *more):
        if self.family is None:
            return [*self.words, *more], {}
        bound = self.bound and self.ranks <= len(os.sched_getaffinity(0))
        options = ["-bind-to", "core"] if bound else []
        return launch.start_command(self.family, self.ranks, self.settings, [*self.words, *map(str, more)], options)

    def run(self, path, limit, *more, records=True):
        """Leaves complete records at path, or raises launch.Failed. more: words. records: whether it prints them."""
        with open(path, "wb") as output:
            launch.execute(*self.command(*more), limit, records and path, f"{path}.log", output=output)
        os.unlink(f"{path}.log")


@functools.cache
def build(target):
    """CMake makes what is not there or out of date."""
    print(f"building {target}", file=sys.stderr)
    _quietly(["cmake", "--build", BUILD, "--parallel", "--target", target])


def program(name, family):
    """A program of bench/CMakeLists.txt, built."""
    target = f"bench_{name}_{family}"
    build(target)
    return PROGRAMS / target


def compiled(name, compiler, *words):
    """A program of one source, compiled by the command of a compiler."""
    directory = PROGRAMS / "kernels"
    directory.mkdir(parents=True, exist_ok=True)
    _quietly([*shlex.split(str(compiler)), *words, "-o", directory / name, "-lm"])
    return directory / name


def library(name, family):
    """A library to preload."""
    path = Path(configuration.LIBRARIES) / family / f"lib{name}.so"
    if not path.exists():
        sys.exit(f"{path} is missing: run make build")
    return path


def _quietly(words):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}\n{shlex.join(map(str, words))} failed")


# ---- Rounds ----


class Measurement:
    """The launches of one subject on so many ranks. With --keep a directory has their records, and later runs add to them."""

    def __init__(self, name, ranks, options):
        self.name, self.ranks, self.options, self.failures = name, ranks, options, []
        self._starts, self._checks = {}, {}
        self._scratch = None if options.keep else tempfile.TemporaryDirectory()
        self.directory = Path(options.keep or self._scratch.name) / str(ranks)
        self.directory.mkdir(parents=True, exist_ok=True)
        self._first = 1 + max((int(path.stem[-3:]) for path in self.directory.glob("*.jsonl")), default=0)

    def take_turns(self, starts):
        """As many rounds as the options say; in each the starts take turns."""
        self._starts.update((one.name, one) for one in starts)
        with progress.make(self.options.launches * len(starts), 1, self.options.launches) as bar:
            for number, one in plan.in_turn(starts, self.options.launches, self._first):
                bar.launch(number - self._first + 1, f"{self.name}: {one.name}")
                path = self.directory / f"{_file_name(one.name)}-{number:03d}.jsonl"
                try:
                    one.run(f"{path}.part", self.options.limit)
                    self._keep(one, Path(f"{path}.part"), path)
                except launch.Failed as failure:
                    self.failures.append(f"{one.name}, launch {number}: {failure}")
                    bar.failed(self.failures[-1])
                bar.done()

    def _keep(self, one, part, path):
        """Names variant and subject in each record, and compares what the variants of a subject computed."""
        lines = [dict(line) for line in summary.lines(part)]
        for line in lines:
            if line["kind"] == "check":
                known = self._checks.setdefault(one.subject, line["value"])
                if not math.isclose(known, line["value"], rel_tol=1e-6):
                    raise launch.Failed(f"computed {line['value']}, not {known} as the others")
            if line["kind"] == "cell":
                line.setdefault("variant", one.variant)
                line["operation"] = " ".join(filter(None, (one.subject, line["operation"])))
        lines.insert(0, {"kind": "start", "variant": one.variant, "family": one.family or "serial", "settings": one.settings})
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        part.unlink()

    def result(self):
        """In the form of campaigns' (result.schema.json)."""
        variants = {}
        for number, head, line in self.records("cell"):
            settings = {"family": head["family"], "settings": head["settings"]}
            one = variants.setdefault(line["variant"], {"name": line["variant"], **settings, "rounds": {}})
            one["rounds"].setdefault(number, []).append(line)
        found = [summary.variant(one, self.ranks, [self.ranks], list(one["rounds"].items())) for one in variants.values()]
        for one in found:
            version = configuration.FAMILIES.get(one["family"], {}).get("version", "")
            one["library"] = f"{one['family']} {version}".strip()
        return summary.document(
            created=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            machine=machine.describe(),
            quick=self.options.quick,
            planned_launches=max([1, *(one["launches"] for one in found)]),
            start="loop",
            failures=self.failures,
            variants=found,
        )

    def records(self, kind):
        """(round, what was started, record) of all launches, this run's starts in their order."""
        order = {_file_name(name): place for place, name in enumerate(self._starts)}
        paths = self.directory.glob("*.jsonl")
        for path in sorted(paths, key=lambda path: (order.get(path.stem[:-4], len(order)), path.name)):
            head, *lines = summary.lines(path)
            yield from ((int(path.stem[-3:]), head, line) for line in lines if line["kind"] == kind)

    def found(self):
        return Found(self.result())


def _file_name(name):
    return name.replace("/", "_")


# ---- Tables ----


class Found:
    """What was measured, as tables need it. A case is an operation in one size."""

    def __init__(self, result):
        self.result = result
        self.records = {one["name"]: records.of_variant(result, one, one["name"]) for one in result["variants"]}

    def cases(self):
        return list(dict.fromkeys((cell["operation"], cell["bytes"]) for one in self.records.values() for cell in one.cells))

    def times(self, variant, case):
        """{launch: us}."""
        return self.records[variant].launch_times(*case) if variant in self.records else {}

    def launches(self, variant, case):
        """What each launch says of it (result.schema.json)."""
        cell = self.records[variant].curve(case[0]).get(case[1]) if variant in self.records else None
        return cell["launches"] if cell else []

    def median(self, variant, case):
        """In us; None where nothing was measured."""
        times = list(self.times(variant, case).values())
        return quantiles.median(times) if times else None

    def ratios(self, variant, over, case, over_case=None):
        """Of each round that has both."""
        a, b = self.times(variant, case), self.times(over, over_case or case)
        return [a[launch_] / b[launch_] for launch_ in a if b.get(launch_)]


def interval(values, layout=".2f"):
    """`median (low .. high)` of one value for each round; of one round there is no interval."""
    if len(values) < 2:
        return format(values[0], layout) if values else "-"
    return "{} ({} .. {})".format(*(format(value, layout) for value in significance.paired(values)))


class Time:
    """A column: the median time of a variant."""

    def __init__(self, variant, unit="us", layout=".2f"):
        self.variant, self.unit, self.layout, self.head = variant, unit, layout, f"{variant}, {unit}"

    def cell(self, found, case):
        value = found.median(self.variant, case)
        return "-" if value is None else format(value / {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[self.unit], self.layout)


class FileCalls:
    """A column: calls of all ranks that read and that write files, and their bytes. Those of other descriptors count, too."""

    def __init__(self, variant):
        self.variant, self.head = variant, f"{variant}: reads, writes"

    def cell(self, found, case):
        launches = found.launches(self.variant, case)
        if not all("file_reads" in one for one in launches) or not launches:
            return "-"
        values = {name: quantiles.median([one[name] for one in launches]) for name in launches[0] if name.startswith("file_")}
        return ", ".join(
            f"{values[f'file_{kind}s']:,.0f} ({values[f'file_bytes_{past}'] / 1e6:.1f} MB)"
            for kind, past in (("read", "read"), ("write", "written"))
        )


class Ratio:
    """A column: how many times as long a variant takes as another, round by round."""

    def __init__(self, variant, over, head=None):
        self.variant, self.over, self.head = variant, over, head or f"{variant} / {over}"

    def cell(self, found, case):
        return interval(found.ratios(self.variant, self.over, case))


def table(found, columns, cases=None, head="operation"):
    """Markdown: a line for each case. A column without any value, or size, is left out."""
    cases = found.cases() if cases is None else cases
    shown = [(column.head, [column.cell(found, case) for case in cases]) for column in columns]
    shown = [one for one in shown if set(one[1]) - {"-"}]
    if any(size for _, size in cases):
        shown.insert(0, ("bytes", [f"{size:,}" for _, size in cases]))
    shown.insert(0, (head, [operation for operation, _ in cases]))
    return rows([name for name, _ in shown], zip(*(cells for _, cells in shown)))


def rows(heads, cells):
    lines = [f"| {' | '.join(line)} |\n" for line in (heads, *cells)]
    return "".join([lines[0], "|---" * len(heads) + "|\n", *lines[1:]])


# ---- Scripts ----


def parser(documentation, *, launches=7, seconds=None, nodes=(2,), limit=600, quick=None):
    """The options that all scripts have. seconds: for each case of a launch. quick: other defaults for --quick."""
    made = _Parser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.quick = quick or {}
    made.add_argument("--launches", "--rounds", type=int, default=launches, help=f"of each variant; default {launches}")
    made.add_argument("--nodes", type=int, nargs="+", default=list(nodes), help=f"default {' '.join(map(str, nodes))}")
    made.add_argument("--family", default=configuration.DEFAULT_FAMILY, choices=configuration.FAMILIES)
    if seconds:
        made.add_argument("--seconds", type=float, default=seconds, help=f"for each case of a launch; default {seconds}")
    made.add_argument("--limit", type=float, default=limit, help="seconds after which a launch is ended")
    made.add_argument("--keep", metavar="DIRECTORY", help="keeps all records there; later runs add to them, and show all")
    made.add_argument("--output", metavar="DIRECTORY", help="writes the table and the results there")
    made.add_argument("--quick", action="store_true", help="a first look: few launches")
    made.add_argument("--build", help="the build directory; default: KUMIHIMO_BUILD, else build")
    return made


class _Parser(argparse.ArgumentParser):
    def parse_args(self, arguments=None, namespace=None):
        if "--quick" in (sys.argv if arguments is None else arguments):
            self.set_defaults(**self.quick)
        return super().parse_args(arguments, namespace)


class Report:
    """A context in which a script adds its tables; prints them, and with --output writes NAME.md, and NAME-RANKS.json of each
    measurement. The exit code is 1 if launches failed. script: whose report it is, if not NAME's."""

    def __init__(self, name, title, options, script=None):
        self.name, self.title, self.options, self.script = name, title, options, script or name
        self.load, self.parts, self.measurements = os.getloadavg()[0], [], []

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        failures = [failure for one in self.measurements for failure in one.failures]
        if kind is None and self.options.output:
            self._write(Path(self.options.output), failures)
        if kind is None and failures:
            sys.exit(1)

    def measurement(self, ranks):
        self.measurements.append(Measurement(self.name, ranks, self.options))
        return self.measurements[-1]

    def add(self, text):
        self.parts.append(text)
        print(f"\n{text}", end="", flush=True)

    def table(self, measurement, columns, cases=None, **how):
        """Adds the table of a measurement, and gives what was found."""
        found = measurement.found()
        head = f"{self.options.family}, {measurement.ranks} nodes, {self.options.launches} launches"
        self.add(f"{head}\n\n{table(found, columns, cases, **how)}")
        return found

    def _write(self, directory, failures):
        directory.mkdir(parents=True, exist_ok=True)
        results = {one.ranks: one.result() for one in self.measurements}
        failed = "".join(f"- failed: {failure}\n" for failure in failures)
        text = "\n".join(filter(None, [f"# {self.title}\n", *self.parts, failed, self._conditions(results.values())]))
        (directory / f"{self.name}.md").write_text(text)
        for ranks, result in results.items():
            (directory / f"{self.name}-{ranks}.json").write_text(formats.as_json(result))

    def _conditions(self, results):
        here = machine.describe()
        libraries = dict.fromkeys(
            one["library"] for result in results for one in result["variants"] if one["library"] != "serial"
        )
        facts = {
            "command": f"`{shlex.join(['python3', f'bench/{self.script}.py', *sys.argv[1:]])}`",
            "date": datetime.date.today().isoformat(),
            "machine": f"{here['processor']}, {here['processors']} processors, {here['system']}",
            "load": f"{self.load:.1f} before, {os.getloadavg()[0]:.1f} after",
            "MPI": ", ".join(one for one in libraries if one != "serial"),
            "launches": str(self.options.launches),
            "values": "medians; ratios with their 95 % interval, of fewer than 6 launches with their range",
        }
        return rows(["conditions", ""], facts.items())


def compare(name, title, options, starts, columns):
    """Rounds of `starts(ranks)` for each number of ranks, and their tables."""
    with Report(name, title, options) as report:
        for ranks in options.nodes:
            measurement = report.measurement(ranks)
            measurement.take_turns(list(starts(ranks)))
            report.table(measurement, columns)


def one_program(name, title, documentation, columns, seconds, nodes=(2,)):
    """The whole of a script whose variants take turns inside one program."""
    options = parser(documentation, seconds=seconds, nodes=nodes, quick={"launches": 3, "seconds": seconds / 10}).parse_args()
    words = [program(name, options.family), options.seconds]
    compare(name, title, options, lambda ranks: [Start(name, words, family=options.family, ranks=ranks, bound=True)], columns)
