"""libkumihimo_coll on several hosts: without any setting it works in two levels, and a table of the tuner is used."""

import pathlib
import re
import sys

import pytest
from long_form import LONG_FORM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "commands"))
from command_support import families, succeed

# Repeats calls, as programs do: what only the first ones would show is that communicators of few calls are left alone.
PROGRAM = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, ranks, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 30; ++i) {
        int sum, mine = rank + i, data[1000];
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        wrong += sum != ranks * (ranks - 1) / 2 + ranks * i;
        for (int k = 0; k < 1000; ++k) data[k] = rank == i % ranks ? i + k : -1;
        MPI_Bcast(data, 1000, MPI_INT, i % ranks, MPI_COMM_WORLD);
        for (int k = 0; k < 1000; ++k) wrong += data[k] != i + k;
    }
    MPI_Reduce(rank ? &wrong : MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong\\n", wrong);
    MPI_Finalize();
    return 0;
}
"""


@pytest.fixture(scope="module")
def programs(build, tmp_path_factory):
    """{family: path}"""
    directory = tmp_path_factory.mktemp("programs")
    (directory / "program.c").write_text(PROGRAM)
    for family, found in families(build).items():
        succeed(found["c_wrapper"], "-O1", directory / "program.c", "-o", directory / family)
    return {family: directory / family for family in families(build)}


def run(made, family, *words, **settings):
    """A job on all slots: what it printed, after it ended well."""
    pairs = [f"{name}={value}" for name, value in settings.items()]
    done = made.mpiexec(family, "env", *pairs, *words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def served(made, family, build, program, **settings):
    """What was done by which algorithm, as (operation, algorithm)."""
    library = build / "lib" / family / "libkumihimo_coll.so"
    done = run(made, family, program, LD_PRELOAD=library, KUMIHIMO_LOG="info", **settings)
    assert done.stdout == "0 wrong\n", done.stdout + done.stderr
    return set(re.findall(r"(\w+) on \d+ ranks by (\w+)", done.stderr))


def test_collective_operations_know_hosts(hosts, build, programs):
    made = hosts([3, 1])
    for family, program in programs.items():
        if family == "openmpi" or LONG_FORM:  # waiting ranks of MPICH keep their processors
            used = served(made, family, build, program)
            assert used >= {("allreduce", "hosts_doubling"), ("bcast", "hosts_binomial")}, (family, used)


@pytest.mark.parametrize("ranks", [[1, 1], [2, 1, 1]] if LONG_FORM else [[1, 1]])
def test_a_table_of_the_tuner_is_used(hosts, build, programs, tmp_path, ranks):
    made = hosts(ranks)
    count = f"{sum(ranks)}-{sum(ranks)}"
    here = f"{count}/{len(ranks)}-{len(ranks)}"
    for family, program in programs.items():
        if family == "openmpi" and not LONG_FORM:
            continue
        tuned = run(made, family, build / "lib" / family / "kumihimo-coll-tune", 8, 4).stdout
        head, *rules = tuned.splitlines()
        assert head.startswith(f"# kumihimo-coll-tune: {family}, {sum(ranks)} ranks on {len(ranks)} hosts"), tuned
        assert all(re.fullmatch(rf"\w+:\d+-\d+:{here}:@\w+=\d+", rule) for rule in rules), tuned
        table = tmp_path / family
        table.write_text(f"{tuned}bcast:0-inf:{here}:@chain=999\nbcast:0-inf:{count}/1:@linear=9999\n")
        used = served(made, family, build, program, KUMIHIMO_COLL_TABLE=table)
        assert ("bcast", "chain") in used and ("bcast", "linear") not in used, f"{used} by {tuned}"
