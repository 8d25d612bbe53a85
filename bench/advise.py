"""Checks what `kumihimo files advise` predicts: predicted against measured time, pattern by pattern (bench/mpiio.cpp).

    python3 bench/advise.py [--nodes 2] [--family openmpi] [--directory DIR] [--launches 5] [PATTERN ...]

Each round starts the same binary twice: observed (the MPI library does the work, the report predicts) and served (the program
measures). Exit code 1 if a median of predicted / measured is off by more than 20 %. Needs an idle machine: with others at work,
two launches of the same binary differ by more than that.
"""

import json
import sys
import tempfile
from pathlib import Path

from developers import runner
from kumihimo.bench.suite import summary
from kumihimo.bench.suite.quantiles import median
from kumihimo.bench.suite.runner import Ratio, Start, Time

from mpiio import served

PATTERNS = ("1M alone", "32K/64K alone", "4K/16K alone", "1M together", "4K/16K together", "16K view")
TOLERANCE = 0.2
COLUMNS = [
    Time("MPI library", "ms", ".1f"),
    Time("predicted", "ms", ".1f"),
    Time("measured", "ms", ".1f"),
    Ratio("predicted", "measured"),
]


class Observed(Start):
    """Its records are those of the report: what the MPI library took, and what the engine would take."""

    def run(self, path, limit):
        advice = Path(self.settings["KUMIHIMO_IO_REPORT"])
        advice.unlink(missing_ok=True)
        super().run(path, limit)
        sizes = {line["operation"]: line["bytes"] for line in summary.lines(path) if line["kind"] == "cell"}
        found = {}
        for entry in map(json.loads, advice.read_text().splitlines()):
            direction = "write" if entry["calls"]["write"] else "read"
            if entry["predicted_seconds"] is not None:
                found.setdefault(direction, []).append((entry["seconds"], entry["predicted_seconds"]))
        lines = [line for direction, pairs in found.items() for line in self._lines(direction, pairs, sizes)]
        Path(path).write_text("".join(f"{json.dumps(line)}\n" for line in (*lines, {"kind": "end"})))

    @staticmethod
    def _lines(direction, pairs, sizes):
        operation, size = next((name, size) for name, size in sizes.items() if name.endswith(direction))
        for variant, seconds in zip(
            ("MPI library", "predicted"), zip(*pairs[1:])
        ):  # the program does not count the first either
            times = [1e6 * one for one in seconds]
            yield {"kind": "cell", "operation": operation, "bytes": size, "variant": variant, "slowest_us": times}


def starts(options, pattern, ranks, directory):
    words = [runner.program("mpiio", options.family), directory, 3, pattern]
    environment = served(options.family)
    advise = {"KUMIHIMO_IO_ADVISE": "1", "KUMIHIMO_IO_REPORT": f"{directory}/advice.json"}
    yield Observed(f"observed {pattern}", words, family=options.family, ranks=ranks, settings=environment | advise)
    yield Start(f"served {pattern}", words, family=options.family, ranks=ranks, variant="measured", settings=environment)


def main():
    quick = {"launches": 2, "patterns": ["1M alone", "4K/16K together"]}
    parser = runner.parser(__doc__, launches=5, quick=quick)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    parser.add_argument("--directory", help="on the file system to look at; default: a temporary one")
    options = parser.parse_args()
    off = []
    with tempfile.TemporaryDirectory(dir=options.directory) as directory, runner.Report("advise", "Advice", options) as report:
        for ranks in options.nodes:
            measurement = report.measurement(ranks)
            for pattern in options.patterns or PATTERNS:
                measurement.take_turns(list(starts(options, pattern, ranks, directory)))
            found = report.table(measurement, COLUMNS, head="pattern")
            ratios = {case[0]: found.ratios("predicted", "measured", case) for case in found.cases()}
            middle = {name: median(values) for name, values in ratios.items() if values}
            off += [name for name, value in middle.items() if not 1 / (1 + TOLERANCE) <= value <= 1 + TOLERANCE]
        report.add(f"{len(off)} off by more than {TOLERANCE:.0%}{': ' if off else ''}{', '.join(off)}\n")
    return 1 if off and not options.quick else 0


if __name__ == "__main__":
    sys.exit(main())
