"""kumihimo files and xmprun --io: the library in the ranks, not in the launcher, whoever starts the job."""

import json
import os

import pytest
from command_support import families, run, succeed


@pytest.fixture
def kumihimo(build):
    return build / "bin" / "kumihimo"


@pytest.fixture
def stand_in(tmp_path):
    """stand_in(name, what it says on --version): a launcher that prints its arguments and what a rank would find."""

    def make(name, says=""):
        path = tmp_path / name
        lines = [
            "#!/bin/sh",
            f'[ "$1" = --version ] && echo "{says}" && exit',
            "printf '%s\\n' \"$@\"",
            'echo "own ${LD_PRELOAD:-none} $KUMIHIMO_IO"',
        ]
        path.write_text("\n".join(lines) + "\n")
        path.chmod(0o755)
        return path

    return make


def library(build, family):
    return os.path.join(families(build)[family]["directory"], "libkumihimo_io.so")


def test_ranks_are_preloaded_and_launchers_are_not(build, kumihimo, programs):
    for family, program in programs.items():
        mpiexec = families(build)[family]["mpiexec"]
        words = ["env", "LANG=C", "sh", "-c", "echo $LD_PRELOAD $KUMIHIMO_IO $KUMIHIMO_IO_REPORT", program]
        environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = succeed(kumihimo, "files", "run", "--io", "*.a=direct", "--", mpiexec, "-n", "1", *words, env=environment)
        assert done.out == f"{library(build, family)} *.a=direct\n"
        shown = succeed(kumihimo, "files", "run", "--show", "--", mpiexec, "-n", "1", program).out
        assert shown.startswith("KUMIHIMO_IO='**=kumihimo' ") and " LD_PRELOAD" in shown and "\nLD_PRELOAD" not in shown


def test_all_parts_of_a_job_with_several_programs(build, kumihimo, programs):
    for family, program in programs.items():
        mpiexec = families(build)[family]["mpiexec"]
        shown = succeed(kumihimo, "files", "run", "--show", "--", mpiexec, "-n", "1", program, ":", "-n", "2", program).out
        assert shown.count(library(build, family)) == 2


def test_a_preload_of_the_user_is_kept_before_ours(build, kumihimo, stand_in):
    family = next(iter(families(build)))
    srun = stand_in("srun")
    existing = "/lib/x86_64-linux-gnu/libm.so.6"
    done = succeed(kumihimo, "files", "run", "--mpi", family, "--", srun, "-n", "2", "./a.out", env={"LD_PRELOAD": existing})
    assert f"--export=ALL,LD_PRELOAD={existing}:{library(build, family)}" in done.out.splitlines()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], "--export=ALL,"),
        (["--export=A,B"], "--export=A,B,KUMIHIMO_IO,"),
        (["--export", "NONE"], "--export=KUMIHIMO_IO,"),
        (["--export=ALL,A=1"], "--export=ALL,A=1,"),
    ],
)
def test_srun(build, kumihimo, stand_in, given, expected):
    family = next(iter(families(build)))
    done = succeed(
        kumihimo, "files", "run", "--mpi", family, "--", stand_in("srun"), *given, "-n", "2", "./a.out", "--export=mine"
    )
    words = done.out.splitlines()
    assert words[:-1] == ["-n", "2", f"{expected}LD_PRELOAD={library(build, family)}", "./a.out", "--export=mine"]
    assert words[-1] == "own none **=kumihimo"


def test_srun_in_a_batch_job_that_exports_little(build, kumihimo, stand_in):
    """What sbatch --export says is srun's default."""
    family = next(iter(families(build)))
    environment = {"SLURM_EXPORT_ENV": "NONE", "KUMIHIMO_TIMEOUT": "9"}
    done = succeed(kumihimo, "files", "run", "--mpi", family, "--", stand_in("srun"), "./a.out", env=environment)
    assert done.out.splitlines()[0] == f"--export=KUMIHIMO_IO,KUMIHIMO_TIMEOUT,LD_PRELOAD={library(build, family)}"


def test_all_settings_reach_the_ranks(build, kumihimo, programs):
    """Also where options of the user say what is passed on; values of the user's options stay."""
    for family, program in programs.items():
        mpiexec = families(build)[family]["mpiexec"]
        echo = ["sh", "-c", "echo $KUMIHIMO_TIMEOUT $KUMIHIMO_SPIN $KUMIHIMO_IO", program]
        limits = {"openmpi": [[], ["-x", "PATH"]], "mpich": [[], ["-genvlist", "PATH"], ["-genvnone"], ["-envlist", "PATH"]]}
        own = {"openmpi": ["-x", "KUMIHIMO_SPIN=3"], "mpich": ["-env", "KUMIHIMO_SPIN", "3"]}[family]
        environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "KUMIHIMO_TIMEOUT": "9"}
        for options in limits[family]:
            words = ["--", mpiexec, *options, "-n", "1", *own, *echo]
            done = succeed(kumihimo, "files", "run", *words, env={**environment, "KUMIHIMO_SPIN": "4"})
            assert done.out == "9 3 **=kumihimo\n", words
            done = succeed(
                build / "bin" / "xmprun", "--io", *options, "-n", "1", *own, *echo, env={**environment, "KUMIHIMO_SPIN": "4"}
            )
            assert done.out == "9 3 **=kumihimo\n", words


def test_anything_else_is_started_with_the_library_in_its_environment(build, kumihimo):
    family = next(iter(families(build)))
    done = succeed(kumihimo, "files", "run", "--mpi", family, "--", "sh", "-c", "echo $LD_PRELOAD")
    assert done.out == library(build, family) + "\n"


def test_xmprun(build, programs):
    for family, program in programs.items():
        xmprun = build / "bin" / "xmprun"
        words = ["sh", "-c", "echo $LD_PRELOAD $KUMIHIMO_IO", program]
        assert succeed(xmprun, "--io", "-n", "1", *words).out == f"{library(build, family)} **=kumihimo\n"
        assert succeed(xmprun, "--io=*.a=direct", "-n", "1", *words).out == f"{library(build, family)} *.a=direct\n"
        assert succeed(xmprun, "-n", "1", *words).out == "\n"
        collectives = library(build, family).replace("libkumihimo_io", "libkumihimo_coll")
        rules = ["sh", "-c", "echo $LD_PRELOAD $KUMIHIMO_COLL_TUNE", program]
        assert succeed(xmprun, "--coll", "-n", "1", *rules).out == f"{collectives}\n"
        assert succeed(xmprun, "--coll=barrier:@native", "-n", "1", *rules).out == f"{collectives} barrier:@native\n"
        assert succeed(xmprun, "--io", "--coll", "-n", "1", *rules).out == f"{library(build, family)}:{collectives}\n"
        assert succeed(build / "bin" / "kumihimo", "files", "run", "--", xmprun, "-n", "1", *words).out.startswith(
            library(build, family)
        )


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["run"], 2, "what is to be run?"),
        (["walk", "--", "true"], 2, "unknown command 'walk'"),
        (["run", "--nosuch", "--", "true"], 2, "unknown option '--nosuch'"),
        (["run", "--io"], 2, "missing operand after '--io'"),
        (["run", "--mpi", "lam", "--", "true"], 2, "--mpi: there is no 'lam'; there are: openmpi"),
        (["run", "--", "mpiexec.nosuch", "true"], 127, "launcher not found"),
        (["run", "--", "/no/such/program"], 127, "cannot run /no/such/program"),
    ],
)
def test_mistakes(kumihimo, words, code, message):
    done = run(kumihimo, "files", *words)
    assert (done.code, done.out) == (code, "") and message in done.err


def test_a_launcher_of_an_unknown_mpi(kumihimo, stand_in):
    done = run(kumihimo, "files", "run", "--", stand_in("mpiexec", "Intel MPI"), "-n", "2", "true")
    assert done.code == 2 and "neither Open MPI's nor MPICH's launcher" in done.err and "Intel MPI" in done.err


def test_program_and_launcher_of_different_families(build, kumihimo, programs):
    if len(programs) < 2:
        pytest.skip("this build has one MPI family only")
    for family, program in programs.items():
        other = next(name for name in programs if name != family)
        done = run(kumihimo, "files", "run", "--", families(build)[other]["mpiexec"], "-n", "2", program)
        assert done.code == 2 and f"was built for {family}" in done.err and f"is {other}" in done.err


def test_another_copy_in_the_preload_is_refused(kumihimo):
    done = run(kumihimo, "files", "run", "--", "true", env={"LD_PRELOAD": "/elsewhere/libkumihimo_io.so"})
    assert done.code == 2 and "/elsewhere/libkumihimo_io.so" in done.err


def test_help_needs_no_mpi(kumihimo):
    done = succeed(kumihimo, "files", "--help", env={"PATH": "/nonexistent"})
    assert "advise" in done.out
    done = succeed(kumihimo, "files", "run", "--help", "--", "mpiexec", env={"PATH": "/nonexistent"})
    assert "--io=RULES" in done.out
    assert run(kumihimo, "files").code == 2


WRITER = """
#include <mpi.h>
int main(int argc, char **argv) {
    int rank;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    for (int step = 0; step < 10; step++)
        MPI_File_write_at(file, (step * 2 + rank) * sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    return MPI_Finalize();
}
"""


def test_advice_as_json(build, kumihimo, tmp_path):
    (tmp_path / "writer.c").write_text(WRITER)
    for family in families(build):
        succeed(build / "bin" / "xmpcc", f"--mpi={family}", "writer.c", "-o", "writer", cwd=tmp_path)
        words = ["files", "advise", "--json", "--", build / "bin" / "xmprun", "-n", "2", "./writer"]
        (advice,) = succeed(kumihimo, *words, cwd=tmp_path).out.splitlines()
        told = json.loads(advice)
        assert (told["ranks"], told["calls"]["write"], told["bytes"]["written"]) == (2, 20, 80)
    both = run(kumihimo, "files", "advise", "--json", "--report", "x", "--", "true")
    assert both.code == 2 and "not both" in both.err
