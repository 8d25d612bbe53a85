"""xmprun on several hosts: which ranks run where, by hostfiles, lists of hosts and mapping, and what reaches them."""

import collections
import pathlib
import sys

import pytest
from long_form import LONG_FORM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "commands"))
from command_support import families, succeed

WHERE = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    char host[MPI_MAX_PROCESSOR_NAME];
    int rank, length;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(host, &length);
    const char *told = getenv("KUMIHIMO_TIMEOUT");
    printf("%s rank %d timeout %s\\n", host, rank, told ? told : "none");
    MPI_Finalize();
    return 0;
}
"""
# (options for Open MPI, for MPICH, ranks that run on each host) on hosts with 2, 1 and 1 slots
PLACES = {
    "all slots": ("-n 4", "-n 4", {"host1": [0, 1], "host2": [2], "host3": [3]}),
    "fewer ranks than slots": ("-n 2", "-n 2", {"host1": [0, 1]}),
    "by node": ("-n 3 --map-by node", "-n 3 -ppn 1", {"host1": [0], "host2": [1], "host3": [2]}),
    "by core": ("-n 4 --map-by core", "-n 4 -bind-to core", {"host1": [0, 1], "host2": [2], "host3": [3]}),
    "a list of hosts": ("-n 3 -host host3,host1:2", "-n 3 -hosts host3:1,host1:2", None),
    "a hostfile": ("-n 3 --hostfile {file}.openmpi", "-n 3 -f {file}.mpich", {"host2": [0], "host3": [1, 2]}),
}
# Its launcher takes a second; the others in the long form.
OPENMPI = PLACES if LONG_FORM else ("by node", "a list of hosts")


@pytest.fixture(scope="module")
def program(build, tmp_path_factory):
    """A program that says where its ranks are: {family: path}."""
    directory = tmp_path_factory.mktemp("where")
    (directory / "where.c").write_text(WHERE)
    for family in families(build):
        succeed(build / "bin" / "xmpcc", f"--mpi={family}", directory / "where.c", "-o", directory / family)
    return {family: directory / family for family in families(build)}


def places(made, build, words):
    settings = {"KUMIHIMO_TIMEOUT": "77"}
    done = made.run(build / "bin" / "xmprun", *words, capture_output=True, text=True, settings=settings)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    found = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        host, _, rank, _, told = line.split()
        assert told == "77", "a setting reaches all ranks"
        found[host].append(int(rank))
    return {host: sorted(ranks) for host, ranks in found.items()}


def test_where_ranks_run(hosts, build, program, tmp_path):
    made = hosts([2, 1, 1])
    (tmp_path / "hosts.openmpi").write_text("host2 slots=1\nhost3 slots=2\n")
    (tmp_path / "hosts.mpich").write_text("host2:1\nhost3:2\n")
    for name, (openmpi, mpich, expected) in PLACES.items():
        for family, options in {"openmpi": openmpi, "mpich": mpich}.items():
            if family in program and (family == "mpich" or name in OPENMPI):
                words = [*options.format(file=tmp_path / "hosts").split(), program[family]]
                found = places(made, build, words)
                if expected is None:
                    assert sorted(map(len, found.values())) == [1, 2] and set(found) == {"host1", "host3"}, f"{name}: {found}"
                else:
                    assert found == expected, f"{name}, {family}: {found}"


# (MPI family, hosts, shape, operation): windows, which Open MPI makes only if it is told; the end of MPICH's jobs.
BENCHES = [("openmpi", [2, 2], "2x2", "put"), ("mpich", [1, 1], "1x2", "Allreduce")]


@pytest.mark.parametrize("family, ranks, shape, operation", BENCHES)
def test_bench_measures_between_hosts(hosts, build, tmp_path, family, ranks, shape, operation):
    if family not in families(build):
        pytest.skip(f"no {family}")
    made = hosts(ranks)
    words = ["--quick", "--sizes=8", "--launches=1", f"--mpi={family}", f"--shape={shape}", f"--output={tmp_path / 'bench'}"]
    done = made.run(build / "bin" / "kumihimo", "bench", "run", *words, operation, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
