"""hello and Laplace: the same program by a plain compiler and by ours, on every number of nodes and every MPI."""

import pytest
from conftest import EXAMPLES, NODES, YIELDING_WAIT, run

PROGRAMS = {
    "hello": ("hello/hello.c", ["gcc"], "xmpcc"),
    "laplace_c": ("laplace/laplace.c", ["gcc", "-O3"], "xmpcc"),
    "laplace_fortran": ("laplace/laplace.f90", ["gfortran", "-O3"], "xmpf90"),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_same_as_serial(program, build, families, tmp_path):
    source, plain, ours = PROGRAMS[program]
    run(*plain, "-o", tmp_path / "serial", EXAMPLES / source)
    expected = sorted(run(tmp_path / "serial").splitlines())
    assert expected
    run("gcc", "-c", "-o", tmp_path / "wait.o", YIELDING_WAIT)
    for family in families:
        parallel = tmp_path / family
        wait = [tmp_path / "wait.o"] if family == "mpich" else []
        run(build / "bin" / ours, f"--mpi={family}", "-O3", "-o", parallel, EXAMPLES / source, *wait)
        for nodes in NODES:
            output = run(build / "bin" / "xmprun", "-n", nodes, parallel)
            assert sorted(output.splitlines()) == expected, f"{family}, {nodes} nodes"
