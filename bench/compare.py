"""Compares the kernels of bench/kernels in time and instructions: XMP against hand-written MPI and against serial C.

    python3 bench/compare.py [KERNEL ...] [--launches 20] [--nodes 1 2] [--instructions] [--json]

The unit of statistics is the launch: variants run in turn (A B A' ...), each pair gives one ratio, and the interval is the
distribution-free 95 % interval of the median ratio. A/A is the control: the hand-written program against itself.
Instructions are counted by cachegrind as the difference of two runs with different numbers of repetitions on one node,
so that start-up does not count.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KERNELS = Path(__file__).resolve().parent / "kernels"
BUILD = Path(os.environ.get("KUMIHIMO_BUILD", ROOT / "build"))

# name: (folder, definitions of both programs, definitions of the XMP one, of the hand-written one)
CASES = {
    "triad": ("triad", [], [], []),
    "triad-cyclic": ("triad", ["-DN=20000", "-DREPEAT=20000"], ["-DFORMAT=cyclic"], ["-DCYCLIC"]),
    "triad-cyclic4": ("triad", ["-DN=20000", "-DREPEAT=20000"], ["-DFORMAT=cyclic(4)"], ["-DBLOCK=4"]),
    "index-cyclic": ("triad", ["-DINDEX", "-DN=20000", "-DREPEAT=20000"], ["-DFORMAT=cyclic"], ["-DCYCLIC"]),
    "index-cyclic4": ("triad", ["-DINDEX", "-DN=20000", "-DREPEAT=20000"], ["-DFORMAT=cyclic(4)"], ["-DBLOCK=4"]),
    "laplace": ("laplace", [], [], []),
    "stencil19": ("stencil19", [], [], []),
    "tsunami": ("tsunami", [], [], []),
}


def compile_case(case, directory, extra=()):
    folder, common, xmp, hand = CASES[case]
    source = KERNELS / folder
    programs = {name: directory / f"{case}.{name}" for name in ("xmp", "mpi", "serial")}
    commands = {
        "xmp": [BUILD / "bin" / "xmpcc", "-O3", *common, *xmp, *extra, source / "xmp.c"],
        "mpi": ["mpicc.openmpi", "-O3", *common, *hand, *extra, source / "mpi.c"],
        "serial": ["gcc", "-O3", "-Wno-unknown-pragmas", *common, *extra, source / "xmp.c"],
    }
    for name, command in commands.items():
        subprocess.run([*map(str, command), "-o", str(programs[name]), "-lm"], check=True)
    return programs


def launch(program, nodes):
    """Seconds of one launch and its check value."""
    command = [str(program)]
    if not program.name.endswith(".serial"):
        command = [str(ROOT / "cmake" / "mpirun-test"), "openmpi", str(nodes), *command]
    output = subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout.split()
    return float(output[1]), float(output[3])


def interval(ratios):
    """Median and its 95 % interval from order statistics (binomial, no assumption on the distribution)."""
    ordered, count = sorted(ratios), len(ratios)
    tail, rank = 0.0, 0
    while rank < count // 2:
        tail += math.comb(count, rank) / 2**count
        if tail > 0.025:
            break
        rank += 1
    rank = max(rank - 1, 0)
    return statistics.median(ordered), ordered[rank], ordered[count - 1 - rank]


def compare(programs, first, second, nodes, launches):
    ratios = []
    for round_number in range(launches + 1):  # the first round warms up
        order = (0, 1) if round_number % 2 else (1, 0)  # alternate who goes first
        results = {position: launch(programs[(first, second)[position]], nodes) for position in order}
        if not math.isclose(results[0][1], results[1][1], rel_tol=1e-6):
            sys.exit(f"compare: {first} and {second} computed different results: {results[0][1]} and {results[1][1]}")
        if round_number:
            ratios.append(results[0][0] / results[1][0])
    return interval(ratios)


def instructions(program, directory):
    output = directory / "cachegrind"
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={output}", str(program)]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    text = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stderr
    line = next(line for line in text.splitlines() if "I   refs" in line or "I refs" in line)
    return int(line.split()[-1].replace(",", ""))


def instruction_ratios(case, directory):
    """Instructions for each repetition: XMP over hand-written and over serial."""
    size = ["-DN=20000"] if CASES[case][0] == "triad" else []
    counts = {}
    for repeat in (20, 60):
        programs = compile_case(
            case, directory, ["-UREPEAT", "-UN", f"-DREPEAT={repeat}", *size] if size else ["-UREPEAT", f"-DREPEAT={repeat}"]
        )
        for name, program in programs.items():
            counts[name, repeat] = instructions(program, directory)
    each = {name: (counts[name, 60] - counts[name, 20]) / 40 for name in ("xmp", "mpi", "serial")}
    return each["xmp"] / each["mpi"], each["xmp"] / each["serial"]


def measure(case, arguments, directory):
    programs = compile_case(case, directory)
    rows = []
    for nodes in arguments.nodes:
        pairs = [("xmp", "mpi"), ("mpi", "mpi")] + ([("xmp", "serial")] if nodes == 1 else [])
        for first, second in pairs:
            median, low, high = compare(programs, first, second, nodes, arguments.launches)
            name = "A/A" if first == second else f"{first}/{second}"
            rows.append({"kernel": case, "nodes": nodes, "ratio": name, "median": median, "low": low, "high": high})
    if arguments.instructions:
        over_mpi, over_serial = instruction_ratios(case, directory)
        for name, value in (("instructions xmp/mpi", over_mpi), ("instructions xmp/serial", over_serial)):
            rows.append({"kernel": case, "nodes": 1, "ratio": name, "median": value, "low": value, "high": value})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", choices=[*CASES, []], help="default: all")
    parser.add_argument("--launches", type=int, default=20)
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--instructions", action="store_true", help="count instructions with cachegrind too")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for case in arguments.kernels or CASES:
            for row in measure(case, arguments, Path(name)):
                rows.append(row)
                if not arguments.json:
                    print("| {kernel} | {nodes} | {ratio} | {median:.3f} | {low:.3f} .. {high:.3f} |".format(**row), flush=True)
    if arguments.json:
        print(json.dumps({"load": os.getloadavg(), "rows": rows}, indent=1))
    else:
        print("load " + " ".join(f"{value:.2f}" for value in os.getloadavg()))


if __name__ == "__main__":
    main()
