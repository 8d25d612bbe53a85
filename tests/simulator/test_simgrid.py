"""Our engine beside SimGrid's, whose model of the network SMPI uses: the same schedules, routes, rates and rules of processors
(simgrid.cpp). Long, and only where SimGrid is (tools/setup simgrid). As a program it prints the tables of the docs:

ninja -C BUILD simulator_beside_simgrid && python3 tests/simulator/test_simgrid.py BUILD [RANKS ... | smpi [RANKS ...]]
"""

import itertools
import os
import pathlib
import random
import statistics
import subprocess
import sys

import pytest
from long_form import LONG_FORM

MACHINE = pathlib.Path(__file__).resolve().parents[2] / "simulator/machines/k-computer.toml"
HEADERS = ("/usr/include/simgrid/s4u.hpp", "/usr/local/include/simgrid/s4u.hpp")
LIMIT = float(os.environ.get("SIMGRID_LIMIT", 600))  # seconds of a cell
SHAPES = {12: ("1x1x1", "2x3x2"), 96: ("2x2x2", "4x6x4"), 384: ("4x2x4", "8x6x8")}
SETTINGS = ((), ("message_overhead=0.2 us", "segment=16 KiB"), ("message_overhead=0 us", "segment=64 KiB"))
CASES = (
    ("Sendrecv", "-", (1024, 1 << 18)),
    ("PingPong", "-", (1024, 1 << 18)),
    ("PingPing", "-", (1024, 1 << 18)),
    ("Exchange", "-", (1024, 1 << 18)),
    ("Stencil", "-", (1024, 1 << 18)),
    ("Bcast", "tree3", (16384, 1 << 20)),
    ("Bcast", "binomial", (16384,)),
    ("Reduce", "tree3", (16384, 1 << 20)),
    ("Allreduce", "tree3", (16384, 1 << 20)),
    ("Allreduce", "ring", (1 << 18,)),
    ("Reduce_scatter", "ring", (1 << 18, 1 << 20)),
    ("Reduce_scatter", "pairwise", (1 << 18,)),
    ("Allgather", "rings3", (1024, 16384)),
    ("Allgatherv", "ring", (1024, 16384)),
    ("Allgatherv", "rings3", (1024, 16384)),
    ("Gather", "axes", (1024, 16384)),
    ("Gatherv", "linear", (1024, 16384)),
    ("Scatter", "tree3", (1024, 16384)),
    ("Scatterv", "linear", (1024, 16384)),
    ("Alltoall", "torus", (1024, 16384)),
    ("Alltoallv", "pairwise", (1024, 16384)),
    ("Barrier", "axes", (0,)),
)
# Short messages that cost processors nothing: SimGrid's model has their latency weigh their shares of links, and its sends are
# complete when they have arrived.
OF_LATENCY = {("Exchange", 1024), ("Scatterv", 1024)}
WITHOUT_LATENCY = ("hop_latency=0 us", "message_latency=0 us", "message_overhead=0 us")
# Of an exchange of each with each every message that begins or ends changes the shares of all others: with all rounds in view
# neither SimGrid nor our flows come to an end.
FEW_ROUNDS = {"Alltoall": ("look_ahead=16",)}  # on more than 12 ranks
# Of 384 ranks SimGrid takes minutes: one cell of each operation.
LARGE = (
    ("Sendrecv", "-", 1 << 18),
    ("Bcast", "tree3", 1 << 20),
    ("Reduce", "tree3", 1 << 20),
    ("Allreduce", "tree3", 1 << 20),
    ("Allgather", "rings3", 1024),
    ("Gather", "axes", 16384),
    ("Scatter", "tree3", 16384),
    ("Barrier", "axes", 0),
)
OTHERS = (
    ("Exchange", "-", 1 << 18),
    ("Stencil", "-", 1 << 18),
    ("Allreduce", "ring", 1 << 18),
    ("Reduce_scatter", "ring", 1 << 18),
    ("Reduce_scatter", "pairwise", 1 << 18),
    ("Allgatherv", "ring", 1024),
    ("Allgatherv", "rings3", 1024),
    ("Gatherv", "linear", 16384),
    ("Scatterv", "linear", 16384),
    ("Alltoall", "torus", 1024),
    ("Alltoallv", "pairwise", 1024),
)


def beside(build, ranks, operation, algorithm, size, settings=(), way="mailboxes"):
    """Microseconds by reservation, by flows, and by SimGrid; messages; the seconds that each of these took."""
    program = pathlib.Path(build) / "tests/simulator/simulator_beside_simgrid"
    settings = (*settings, *(FEW_ROUNDS.get(operation, ()) if ranks > 12 else ()))
    words = [str(program), way, str(MACHINE), *SHAPES[ranks], operation, algorithm, str(size), *settings]
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, check=True)
    return [float(word) for word in done.stdout.split()]


def blocks(ranks, operation, size):
    """Those of v forms, equal and drawn: none to twice the size, in all as much."""
    if not operation.endswith("v") or operation == "Sendrecv":
        return [()]
    chance = random.Random(ranks)
    drawn = [chance.randint(0, 2 * size) for _ in range(ranks // 2)]
    return [(), (f"blocks={','.join(map(str, [*drawn, *(2 * size - one for one in drawn)]))}",)]


def table(build, ranks, cases=CASES, settings=SETTINGS):
    """{(operation, algorithm): [(reservation / SimGrid - 1, flows / SimGrid - 1)]}."""
    found = {}
    for operation, algorithm, sizes in cases:
        for size in sizes:
            for setting, of_blocks in itertools.product(settings, blocks(ranks, operation, size)):
                ours, flows, theirs, *_ = beside(build, ranks, operation, algorithm, size, (*setting, *of_blocks))
                found.setdefault((operation, algorithm), []).append((ours / theirs - 1, flows / theirs - 1))
    return found


@pytest.fixture(scope="module")
def simgrid(build):
    if not LONG_FORM:
        pytest.skip("takes minutes: KUMIHIMO_TEST_LONG=1")
    if not any(map(os.path.exists, HEADERS)):
        pytest.skip("there is no SimGrid (tools/setup simgrid)")
    subprocess.run(["cmake", str(build)], check=True)  # SimGrid may have come after the build
    subprocess.run(["cmake", "--build", str(build), "--target", "simulator_beside_simgrid"], check=True)
    return build


@pytest.mark.parametrize("ranks", [12, 96])
def test_flows_are_simgrid_s(simgrid, ranks):
    for operation, algorithm, sizes in CASES:
        found = []
        for size in sizes:
            ((_, errors),) = table(simgrid, ranks, [(operation, algorithm, (size,))]).items()
            found += [abs(flow) for _, flow in errors]
            worst = max(abs(flow) for _, flow in errors)
            assert (operation, size) in OF_LATENCY or worst <= 0.15, (operation, algorithm, size, errors)
        assert statistics.median(found) <= 0.05, (operation, algorithm, found)


@pytest.mark.parametrize("operation, algorithm, size", [("Bcast", "binomial", 16384), ("Exchange", "-", 1024)])
@pytest.mark.parametrize("ranks", [12, 96])
def test_without_latency_flows_are_simgrid_s_exactly(simgrid, ranks, operation, algorithm, size):
    _, flows, theirs, *_ = beside(simgrid, ranks, operation, algorithm, size, WITHOUT_LATENCY)
    assert flows == pytest.approx(theirs, rel=1e-4)


@pytest.mark.parametrize("which", [0, 1])
def test_without_latency_a_root_s_sends_are_simgrid_s_exactly(simgrid, which):
    of_blocks = blocks(96, "Scatterv", 1024)[which]
    _, flows, theirs, *_ = beside(simgrid, 96, "Scatterv", "linear", 1024, (*WITHOUT_LATENCY, *of_blocks))
    assert flows == pytest.approx(theirs, rel=1e-4)


@pytest.mark.parametrize("operation, algorithm, size", LARGE)
def test_flows_are_those_of_processes_of_smpi(simgrid, operation, algorithm, size):
    _, flows, theirs, *_ = beside(simgrid, 12, operation, algorithm, size, way="mpi")
    assert abs(flows / theirs - 1) <= 0.05


@pytest.mark.parametrize("operation, algorithm, size", LARGE + OTHERS)
def test_flows_are_simgrid_s_on_384_ranks(simgrid, operation, algorithm, size):
    _, flows, theirs, *_ = beside(simgrid, 384, operation, algorithm, size)
    assert abs(flows / theirs - 1) <= 0.05


def main(build, *words):
    if words[:1] == ("smpi",):
        return smpi(build, *map(int, words[1:] or ("12", "96")))
    return simgrid_s(build, *map(int, words or ("12", "96")))


def simgrid_s(build, *ranks):
    print("| operation | ranks | cells | flows: median, worst | reservation: median, worst |\n|---|---|---|---|---|")
    for count in ranks:
        settings = SETTINGS if count < 384 else SETTINGS[:1]
        for operation, algorithm, sizes in CASES:
            try:
                found = table(build, count, [(operation, algorithm, sizes)], settings)
            except subprocess.TimeoutExpired as late:
                print(f"| {operation} `{algorithm}` | {count} | not in {late.timeout:.0f} s | | |", flush=True)
                continue
            for (name, way), errors in found.items():
                columns = []
                for which in (1, 0):
                    values = [abs(one[which]) for one in errors]
                    columns.append(f"{100 * statistics.median(values):.1f} %, {100 * max(values):.1f} %")
                print(f"| {name} `{way}` | {count} | {len(errors)} | {' | '.join(columns)} |".replace(" `-`", ""), flush=True)


def smpi(build, *ranks):
    """Each rank is a process of SMPI: how far our flows are off, and how many messages a second both simulate, in turn."""
    print("| cell | ranks | messages | flows off by | reservation off by | messages a second | flows | SMPI | ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    for count in ranks:
        for operation, algorithm, size in LARGE:
            ours, flows, theirs, messages, *took = beside(build, count, operation, algorithm, size, (), "mpi")
            a_second = [messages / max(one, 1e-3) for one in took]
            off = f"{100 * (flows / theirs - 1):+.1f} % | {100 * (ours / theirs - 1):+.1f} %"
            speeds = " | ".join(f"{one / 1000:.0f} k" for one in a_second)
            name = f"{operation} `{algorithm}` of {size} B".replace(" `-`", "")
            print(f"| {name} | {count} | {messages:.0f} | {off} | {speeds} | {took[2] / max(took[0], 1e-3):.0f} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
