"""Compares MPI-IO through libkumihimo_io with the MPI libraries' own, pattern by pattern (bench/mpiio.cpp).

    python3 bench/mpiio.py [--nodes 2 4] [--directory DIR] [--launches 9] [--repetitions 3] [--build build] [PATTERN ...]

Variants: the family's own library (Open MPI: OMPIO, and ROMIO by OMPI_MCA_io=romio321), and Kumihimo under the same family. The
launch is the unit of statistics: variants take turns, each round gives one ratio. The table shows the variants' median
milliseconds, and the median of (the best of the others) / Kumihimo in each round with its distribution-free 95 % interval:
above 1, Kumihimo is faster. The best is the library with the least median in all rounds: the fastest of each round would be
luckier than any of them. A/A is Kumihimo against itself. Times include opening and closing the file, not fsync.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from compare import interval

ROOT = Path(__file__).resolve().parent.parent
FAMILIES = {"ompio": "openmpi", "romio": "openmpi", "mpich": "mpich"}
SETTINGS = {"ompio": ["OMPI_MCA_io=ompio"], "romio": ["OMPI_MCA_io=romio321"], "mpich": []}


def environment_of(variant, family, build):
    """Words of env(1) in every rank."""
    if not variant.startswith("kumihimo"):
        return SETTINGS[variant]
    library = build / "lib" / family / "libkumihimo_io.so"
    if not library.exists():
        sys.exit(f"{library} is missing: run make build")
    return [f"LD_PRELOAD={library}", "KUMIHIMO_IO=**=kumihimo"]


def launch(variant, family, nodes, options, directory):
    """{(pattern, direction): seconds} of one launch."""
    build = Path(options.build).resolve()
    program = build / "bench" / f"bench_mpiio_{family}"
    start = [ROOT / "cmake" / "mpirun-test", family, nodes, "env", *environment_of(variant, family, build)]
    command = [*start, program, directory, options.repetitions, *options.patterns]
    output = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, timeout=options.limit).stdout
    lines = (line.split("\t") for line in output.splitlines())
    return {(fields[0], fields[1]): float(fields[2]) for fields in lines if len(fields) == 3}


def rounds(variants, nodes, options, directory):
    """One {variant: times} for each round; variants in another order each time."""
    results = []
    for _ in range(options.launches):
        order = [*variants, "kumihimo again"]
        random.shuffle(order)
        one = {}
        for variant in order:
            family = FAMILIES.get(variant, options.family)
            try:
                one[variant] = launch(variant, family, nodes, options, directory)
            except subprocess.TimeoutExpired:
                print(f"{variant} on {nodes} nodes: no end after {options.limit} s", file=sys.stderr)
                one[variant] = {}
        results.append(one)
    return results


def best_of(variants, case, results):
    """The variant with the least median, if any was measured."""
    medians = {}
    for variant in variants:
        times = [one[variant][case] for one in results if case in one[variant]]
        if times:
            medians[variant] = statistics.median(times)
    return min(medians, key=medians.get, default=None)


def row(case, nodes, variants, results):
    cells = []
    for variant in variants:
        times = [one[variant][case] for one in results if case in one[variant]]
        cells.append(f"{1000 * statistics.median(times):.2f}" if times else "-")
    rival = best_of([variant for variant in variants if variant != "kumihimo"], case, results)
    for other in (rival, "kumihimo again"):
        pairs = [(one[other].get(case), one["kumihimo"].get(case)) for one in results if other]
        ratios = [theirs / ours for theirs, ours in pairs if theirs and ours]
        cells.append("{:.2f} [{:.2f}, {:.2f}]".format(*interval(ratios)) if ratios else "-")
    return f"| {' '.join(case)} | {nodes} | {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="default: all")
    parser.add_argument("--family", default="openmpi", choices=["openmpi", "mpich"], help="of Kumihimo's runs")
    parser.add_argument("--others", nargs="+", default=["ompio", "romio", "mpich"], choices=list(FAMILIES))
    parser.add_argument("--nodes", nargs="+", type=int, default=[2, 4])
    parser.add_argument("--directory", help="on the file system to measure; default: the current one")
    parser.add_argument("--launches", type=int, default=9)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--limit", type=float, default=300, help="seconds for a launch")
    parser.add_argument("--build", default=os.environ.get("KUMIHIMO_BUILD", str(ROOT / "build")))
    options = parser.parse_args()
    variants = [*options.others, "kumihimo"]
    print(f"{options.launches} launches of {options.repetitions} repetitions, load {os.getloadavg()[0]:.1f}\n")
    print(f"| pattern | nodes | {', ms | '.join(variants)}, ms | best / kumihimo | A/A |")
    print("|---" * (len(variants) + 4) + "|")
    with tempfile.TemporaryDirectory(dir=options.directory or ".") as directory:
        for nodes in options.nodes:
            results = rounds(variants, nodes, options, directory)
            for case in results[0]["kumihimo"]:
                print(row(case, nodes, variants, results), flush=True)


if __name__ == "__main__":
    main()
