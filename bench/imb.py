"""Whether `kumihimo bench` and Intel MPI Benchmarks agree on the same functions of the same MPI library.

    python3 bench/imb.py --imb DIRECTORY/IMB-MPI1 [--family openmpi] [--nodes 2] [--launches 10] [--preload LIBRARY]

IMB must be there already, built with that MPI library. Each round starts IMB, the measuring program of `kumihimo bench` and IMB
again. IMB lets point-to-point calls follow each other and begins collective calls at a barrier, so ours is told to do the same,
and means of as many calls are compared with means. The table shows median microseconds, and median and range over the rounds of
ours over IMB's and, as a control, of IMB's over IMB's. Exit code 1 if some median ratio lies outside the range of the control.
With --preload the MPI functions of both come from that library.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import launches

TOGETHER = ("PingPong", "PingPing", "Sendrecv", "Exchange")
# Not Reduce_scatter: its size is a rank's part in IMB since 2019, the whole vector in ours and in IMB 3.2.4 on the K computer.
APART = ("Bcast", "Allreduce", "Reduce", "Allgather", "Gather", "Scatter", "Alltoall")
SIZES = [8, 64, 512, 4096, 32768, 262144, 1 << 20]
CALLS = 300
VARIANTS = ("imb", "ours", "imb again")


def start(options, *words):
    preload = {"LD_PRELOAD": options.preload} if options.preload else {}
    program = [*launches.LAUNCHERS[options.family], "-n", str(options.nodes), "env", *(f"{k}={v}" for k, v in preload.items())]
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(
        [*program, *map(str, words)], stdout=subprocess.PIPE, text=True, env=environment, timeout=600, check=True
    )
    return done.stdout


def imb(options, directory):
    """{(operation, size): us}."""
    lengths = Path(directory) / "sizes"
    lengths.write_text("".join(f"{size}\n" for size in SIZES))
    text = start(
        options,
        options.imb,
        "-npmin",
        options.nodes,
        "-iter",
        CALLS,
        "-iter_policy",
        "off",
        "-msglen",
        lengths,
        *TOGETHER,
        *APART,
    )
    found, name, column = {}, None, 0
    for line in text.splitlines():
        heading = re.match(r"# Benchmarking (\w+)", line)
        words = line.split()
        if heading:
            name = heading.group(1)
        elif words[:1] == ["#bytes"]:
            column = next(words.index(head) for head in ("t_avg[usec]", "t[usec]") if head in words)
        elif name and words and words[0].isdigit():
            found[name, int(words[0])] = float(words[column])
    return found


def ours(options, directory):
    """The same of `kumihimo bench`'s program: the mean of all calls, of all ranks where IMB has all."""
    found = {}
    for names, begin in ((TOGETHER, "loop"), (APART, "barrier")):
        output = Path(directory) / "samples.jsonl"
        words = ["--operations", ",".join(names), "--sizes", ",".join(map(str, SIZES)), "--start", begin, "--output", output]
        program = Path(options.build).resolve() / "lib" / options.family / "kumihimo-bench"
        start(options, program, *words, "--seconds", 10, "--repetitions", CALLS)
        for line in map(json.loads, output.read_text().splitlines()):
            if line["kind"] == "cell":
                times = line["slowest_us" if line["operation"] == "PingPong" else "mean_us"]
                found[line["operation"], line["bytes"]] = statistics.fmean(times)
    return found


def round_of(options):
    with tempfile.TemporaryDirectory() as directory:
        measured = [imb(options, directory), ours(options, directory), imb(options, directory)]
    return {case: dict(zip(VARIANTS, (one[case] for one in measured))) for case in measured[0]}


def agrees(rounds, case):
    """Whether the median of our ratio is within the range of IMB's against itself."""
    control = [one[case]["imb again"] / one[case]["imb"] for one in rounds]
    ratio = statistics.median(one[case]["ours"] / one[case]["imb"] for one in rounds)
    return min(control) <= ratio <= max(control)


def over_all(rounds, variant):
    medians = [statistics.median(one[case][variant] / one[case]["imb"] for one in rounds) for case in rounds[0]]
    return statistics.geometric_mean(medians)


def main():
    parser = launches.options_parser(__doc__, 0)
    parser.add_argument("--imb", required=True)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--preload")
    options = parser.parse_args()
    rounds = [round_of(options) for _ in range(options.launches)]
    print(f"{'':26} {'imb us':>9} {'ours us':>9}  {'ours / imb':<22} imb again / imb")
    for case in rounds[0]:
        times = "".join(f" {launches.time(rounds, case, variant):>9}" for variant in ("imb", "ours"))
        ratios = f"{launches.ratio(rounds, case, 'ours', 'imb'):<22} {launches.ratio(rounds, case, 'imb again', 'imb'):<22}"
        print(f"{case[0]:<15} {case[1]:>10}{times}  {ratios} {'' if agrees(rounds, case) else 'DIFFERS'}")
    for variant in VARIANTS[1:]:
        print(f"{variant} / imb over all: {over_all(rounds, variant):.3f} (geometric mean of the medians)")
    apart = [case for case in rounds[0] if not agrees(rounds, case)]
    print(
        f"{len(rounds[0]) - len(apart)} of {len(rounds[0])} agree within what IMB's launches differ, {options.launches} rounds"
    )
    sys.exit(1 if apart else 0)


if __name__ == "__main__":
    main()
