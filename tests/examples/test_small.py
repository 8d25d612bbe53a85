"""Examples that are serial programs as well: by a plain compiler and by ours they print the same, on any number of nodes."""

import pathlib

import pytest
from conftest import EXAMPLES, RUNS, YIELDING_WAIT, run

PROGRAMS = {
    "hello": ("hello/hello.c", ["gcc"], "xmpcc"),
    "laplace_c": ("laplace/laplace.c", ["gcc", "-O3", "-DN=32"], "xmpcc"),
    "laplace_fortran": ("laplace/laplace.f90", ["gfortran", "-O3"], "xmpf90"),
    "cg": ("cg/cg.c", ["gcc", "-O3"], "xmpcc"),
    "monte_carlo_c": ("monte_carlo/monte_carlo.c", ["gcc", "-O3"], "xmpcc"),
    "monte_carlo_fortran": ("monte_carlo/monte_carlo.f90", ["gfortran", "-O3"], "xmpf90"),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_same_as_serial(program, build, families, tmp_path):
    example, plain, ours = PROGRAMS[program]
    source = tmp_path / pathlib.Path(example).name
    source.write_text((EXAMPLES / example).read_text().replace("n = 256", "n = 32"))  # laplace.f90 in short
    run(*plain, "-o", tmp_path / "serial", source, "-lm")
    expected = sorted(run(tmp_path / "serial").splitlines())
    assert expected
    run("gcc", "-c", "-o", tmp_path / "wait.o", YIELDING_WAIT)
    for family in families:
        parallel = tmp_path / family
        wait = [tmp_path / "wait.o"] if family == "mpich" else []
        run(build / "bin" / ours, f"--mpi={family}", *plain[1:], "-o", parallel, source, *wait, "-lm")
        for nodes in RUNS[family]:
            output = run(build / "bin" / "xmprun", "-n", nodes, parallel)
            assert sorted(output.splitlines()) == expected, f"{family}, {nodes} nodes"
