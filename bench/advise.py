"""Checks what `kumihimo files advise` predicts: predicted against measured time, pattern by pattern (bench/mpiio.cpp).

    python3 bench/advise.py [--nodes 2] [--family openmpi] [--directory DIR] [--launches 5] [--build build] [PATTERN ...]

Each round starts the same binary twice: observed (the MPI library does the work, the report predicts) and served (the program
measures). The table shows median milliseconds of the MPI library, predicted and measured, and the median and range over the
rounds of predicted / measured. Exit code 1 if a median is off by more than 20 %. Needs an idle machine: with others at work,
two launches of the same binary differ by more than that.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATTERNS = ("1M alone", "32K/64K alone", "4K/16K alone", "1M together", "4K/16K together", "16K view")
TOLERANCE = 0.2


def launch(options, directory, pattern, settings):
    """What the program printed."""
    build = Path(options.build).resolve()
    library = build / "lib" / options.family / "libkumihimo_io.so"
    words = [
        ROOT / "cmake" / "mpirun-test",
        options.family,
        options.nodes,
        "env",
        f"LD_PRELOAD={library}",
        "KUMIHIMO_IO=**=kumihimo",
    ]
    words += [*settings, build / "bench" / f"bench_mpiio_{options.family}", directory, 3, pattern]
    return subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True, timeout=600, check=True).stdout


def measured(options, directory, pattern):
    """{write or read: seconds} of the served program."""
    lines = [line.split("\t") for line in launch(options, directory, pattern, []).splitlines()]
    return {fields[1]: float(fields[2]) for fields in lines if len(fields) == 3 and fields[0] == pattern}


def predicted(options, directory, pattern):
    """{write or read: (seconds of the MPI library, predicted seconds)}: medians over the repetitions of one launch, without the
    first, which the program does not count either."""
    report = Path(directory) / "advice.json"
    report.unlink(missing_ok=True)
    launch(options, directory, pattern, ["KUMIHIMO_IO_ADVISE=1", f"KUMIHIMO_IO_REPORT={report}"])
    found = {}
    for line in report.read_text().splitlines():
        entry = json.loads(line)
        direction = "write" if entry["calls"]["write"] else "read"
        if entry["predicted_seconds"] is not None:
            found.setdefault(direction, []).append((entry["seconds"], entry["predicted_seconds"]))
    return {direction: tuple(map(statistics.median, zip(*pairs[1:]))) for direction, pairs in found.items()}


def compare(options, directory, pattern):
    """One row for each direction; returns how many are off."""
    rounds = []
    for _ in range(options.launches):
        advice = predicted(options, directory, pattern)
        rounds.append((advice, measured(options, directory, pattern)))
    off = 0
    for direction in ("write", "read"):
        both = [
            (*advice[direction], served[direction]) for advice, served in rounds if direction in advice and direction in served
        ]
        if not both:
            continue
        native, guess, truth = (statistics.median(column) for column in zip(*both))
        ratios = [one[1] / one[2] for one in both]
        ratio = statistics.median(ratios)
        bad = not 1 / (1 + TOLERANCE) <= ratio <= 1 + TOLERANCE
        off += bad
        print(
            f"| {pattern} | {direction} | {1e3 * native:.1f} | {1e3 * guess:.1f} | {1e3 * truth:.1f} "
            f"| {ratio:.2f} ({min(ratios):.2f} .. {max(ratios):.2f}){' off' if bad else ''} |",
            flush=True,
        )
    return off


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--family", default="openmpi", choices=["openmpi", "mpich"])
    parser.add_argument("--directory", help="on the file system to look at; default: a temporary one")
    parser.add_argument("--launches", type=int, default=5)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    options = parser.parse_args()
    print("| pattern | direction | MPI library, ms | predicted, ms | measured, ms | predicted / measured |")
    print("|---" * 6 + "|")
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        off = sum(compare(options, directory, pattern) for pattern in options.patterns or PATTERNS)
    print(f"\n{off} off by more than {TOLERANCE:.0%}")
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
