"""Whether `kumihimo bench` and Intel MPI Benchmarks agree on the same functions of the same MPI library.

    python3 bench/imb.py --imb DIRECTORY/IMB-MPI1 [--family openmpi] [--nodes 2] [--launches 10] [--preload LIBRARY]

IMB must be there already, built with that MPI library. Each round starts IMB, the measuring program of `kumihimo bench` and IMB
again. IMB lets point-to-point calls follow each other and begins collective calls at a barrier, so ours is told to do the same,
and means of as many calls are compared with means; a library preloaded into IMB has its buffers begin with a page, as ours do
(--anywhere leaves them where malloc puts them). The table shows median microseconds, and median and range over the rounds of
ours over IMB's and, as a control, of IMB's over IMB's. A function and size agrees if its median ratio is within the range of
the control; IMB of the next round, taken for ours, shows how many agree if nothing differs. Exit code 1 if ours
agree in a tenth of all cases less. With --preload the MPI functions of both come from that library.
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
APART = ("Bcast", "Allreduce", "Reduce", "Allgather", "Allgatherv")
APART += ("Gather", "Gatherv", "Scatter", "Scatterv", "Alltoall", "Alltoallv")
SIZES = [8, 64, 512, 4096, 32768, 262144, 1 << 20]
CALLS = 300
VARIANTS = ("imb", "ours", "imb again")


def start(options, libraries, *words):
    """What the program printed with these libraries preloaded."""
    preload = [f"LD_PRELOAD={':'.join(map(str, libraries))}"] if libraries else []
    program = [*launches.LAUNCHERS[options.family], "-n", str(options.nodes), "env", *preload]
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(
        [*program, *map(str, words)], stdout=subprocess.PIPE, text=True, env=environment, timeout=600, check=True
    )
    return done.stdout


def imb(options, directory):
    """{(operation, size): us}; size 0 is Barrier's."""
    lengths = Path(directory) / "sizes"
    lengths.write_text("".join(f"{size}\n" for size in SIZES))
    words = ("-npmin", options.nodes, "-iter", CALLS, "-iter_policy", "off", "-msglen", lengths)
    libraries = options.preload + options.buffers
    text = start(options, libraries, options.imb, *words, "Barrier", *TOGETHER, *APART, "Reduce_scatter")
    found, name, columns = {}, None, []
    for line in text.splitlines():
        heading = re.match(r"# Benchmarking (\w+)", line)
        values = line.split()
        if heading:
            name = heading.group(1)
        elif values[:1] in (["#bytes"], ["#repetitions"]):
            columns = values
        elif name and values and values[0].isdigit():
            row = dict(zip(columns, values))
            found[name, int(row.get("#bytes", 0))] = float(row.get("t_avg[usec]") or row["t[usec]"])
    return found


def ours(options, directory):
    """The same of `kumihimo bench`'s program."""
    found = measured(options, directory, ("Barrier",), "loop", [0])
    found |= measured(options, directory, TOGETHER, "loop", SIZES)
    found |= measured(options, directory, APART, "barrier", SIZES)
    # Its size is a rank's part in IMB since 2019, the whole vector in ours and in IMB 3.2.4 on the K computer.
    vectors = measured(options, directory, ["Reduce_scatter"], "barrier", [size * options.nodes for size in SIZES])
    return found | {(name, size // options.nodes): time for (name, size), time in vectors.items()}


def measured(options, directory, operations, begin, sizes):
    """Means of all calls, of all ranks where IMB has all."""
    output = Path(directory) / "samples.jsonl"
    cases = ["--operations", ",".join(operations), "--sizes", ",".join(map(str, sizes))]
    words = [*cases, "--start", begin, "--output", output]
    program = Path(options.build).resolve() / "lib" / options.family / "kumihimo-bench"
    start(options, options.preload, program, *words, "--seconds", 10, "--repetitions", CALLS)
    found = {}
    for line in map(json.loads, output.read_text().splitlines()):
        if line["kind"] == "cell":
            times = line["slowest_us" if line["operation"] == "PingPong" else "mean_us"]
            found[line["operation"], line["bytes"]] = statistics.fmean(times)
    return found


def round_of(options):
    with tempfile.TemporaryDirectory() as directory:
        measured = [imb(options, directory), ours(options, directory), imb(options, directory)]
    return {case: dict(zip(VARIANTS, (one[case] for one in measured))) for case in measured[0]}


def agrees(rounds, case, ratios):
    """Whether their median is within the range of IMB's against itself."""
    control = [one[case]["imb again"] / one[case]["imb"] for one in rounds]
    return min(control) <= statistics.median(ratios) <= max(control)


def ours_agrees(rounds, case):
    return agrees(rounds, case, [one[case]["ours"] / one[case]["imb"] for one in rounds])


def imb_agrees(rounds, case):
    following = [*rounds[1:], rounds[0]]
    return agrees(rounds, case, [later[case]["imb"] / one[case]["imb"] for one, later in zip(rounds, following)])


def over_all(rounds, variant):
    medians = [statistics.median(one[case][variant] / one[case]["imb"] for one in rounds) for case in rounds[0]]
    return statistics.geometric_mean(medians)


def parse_options():
    parser = launches.options_parser(__doc__, 0)
    parser.add_argument("--imb", required=True)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--preload", action="append", default=[])
    parser.add_argument("--anywhere", action="store_true", help="IMB's buffers as malloc has them")
    options = parser.parse_args()
    pages = Path(options.build).resolve() / "bench" / f"libbench_imb_buffers_{options.family}.so"
    options.buffers = [] if options.anywhere else [pages]
    return options


def show(rounds):
    print(f"{'':26} {'imb us':>9} {'ours us':>9}  {'ours / imb':<22} imb again / imb")
    for case in rounds[0]:
        times = "".join(f" {launches.time(rounds, case, variant):>9}" for variant in ("imb", "ours"))
        ratios = f"{launches.ratio(rounds, case, 'ours', 'imb'):<22} {launches.ratio(rounds, case, 'imb again', 'imb'):<22}"
        print(f"{case[0]:<15} {case[1]:>10}{times}  {ratios} {'' if ours_agrees(rounds, case) else 'DIFFERS'}")
    for variant in VARIANTS[1:]:
        print(f"{variant} / imb over all: {over_all(rounds, variant):.3f} (geometric mean of the medians)")


def main():
    options = parse_options()
    rounds = [round_of(options) for _ in range(options.launches)]
    show(rounds)
    cases = len(rounds[0])
    ours_within, imb_within = (sum(agree(rounds, case) for case in rounds[0]) for agree in (ours_agrees, imb_agrees))
    print(f"{options.launches} rounds, within what IMB's launches differ: {ours_within} of {cases}; IMB itself: {imb_within}")
    sys.exit(1 if ours_within < imb_within - cases / 10 else 0)


if __name__ == "__main__":
    main()
