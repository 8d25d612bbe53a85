"""How many communicators and shared segments programs make: exactly so many, so that nobody adds one unseen; and each that a
library of Kumihimo makes is counted (communicators.c looks on)."""

import pathlib
import re
import sys

import pytest
from long_form import LONG_FORM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "commands"))
from command_support import families, succeed

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).parent
EXAMPLES = ROOT / "examples"
# A plain MPI program: collective calls, and a file.
PLAIN = """
#include <mpi.h>
int main(int argc, char **argv) {
    int sum, one = 1;
    MPI_File file;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 20; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, "file.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, 0, &one, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    return MPI_Finalize();
}
"""
# program: (communicators, segments) of each of 2 nodes, docs/performance/global-view.md
MADE = {
    "laplace": [(3, 2), (3, 2)],
    "coarray_halo": [(3, 2), (3, 2)],
    "heat_restart": [(4, 3), (4, 3)],
    "plain": [(2, 5), (2, 7)],  # one of them has the I/O process
}


ALL = [(family, program) for family in ("openmpi", "mpich") for program in MADE]


@pytest.fixture
def made(family, build, tmp_path_factory):
    """made(program, libraries..., settings...): of each node what the log says, and what was counted from outside."""
    if family not in families(build):
        pytest.skip(f"this build has no {family}")
    wrapper = families(build)[family]["c_wrapper"]
    directory = tmp_path_factory.mktemp("made")
    (directory / "plain.c").write_text(PLAIN)
    succeed(wrapper, "-shared", "-fPIC", HERE / "communicators.c", "-o", directory / "communicators.so", "-ldl")

    def run(name, *libraries, **settings):
        program, logs = directory / name, tmp_path_factory.mktemp("logs")
        if name == "plain":
            succeed(wrapper, directory / "plain.c", "-o", program)
        else:
            compiler = [build / "bin" / "xmpcc", f"--mpi={family}", "-O0", "-DN=32"]
            succeed(*compiler, EXAMPLES / name / f"{name}.c", "-o", program, "-lm")
        preloaded = [directory / "communicators.so", *(build / "lib" / family / library for library in libraries)]
        settings |= {"LD_PRELOAD": ":".join(map(str, preloaded)), "KUMIHIMO_LOG": "info"}
        pairs = [f"{key}={value}" for key, value in settings.items()]
        words = [ROOT / "cmake" / "mpirun-test", family, 2, "sh", "-c", 'exec env "$@" 2> "$0/$$"', logs, *pairs, program]
        succeed(*words, cwd=tmp_path_factory.mktemp("files"))
        return [counts_of(log.read_text()) for log in logs.iterdir()]

    return run


def counts_of(log):
    """(communicators, segments), and the communicators counted from outside."""
    told = re.findall(r"made (\d+) communicators? and (\d+) shared segments?", log)
    assert len(told) == 1, log
    counted = {name: int(number) for number, name in re.findall(r"(\d+) made by (\S+)", log)}
    return tuple(map(int, told[0])), sum(number for name, number in counted.items() if name.startswith("libkumihimo"))


@pytest.mark.parametrize("family, program", ALL if LONG_FORM else ALL[:3] + ALL[-1:])
def test_so_many_and_no_more(made, program):
    libraries = ["libkumihimo_coll.so", "libkumihimo_io.so"] if program == "plain" else []
    settings = {"KUMIHIMO_IO": "**.dat=catwalk", "KUMIHIMO_IOD": "thread"} if program == "plain" else {}
    found = made(program, *libraries, **settings)
    assert sorted(told for told, _ in found) == MADE[program]
    assert [counted for _, counted in found] == [told[0] for told, _ in found]
