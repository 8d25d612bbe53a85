"""xmprun: mpiexec's behaviour, the right family, and no success without having run anything."""

import os
import signal
import subprocess

import pytest
from command_support import CLEAN, run, succeed
from waiting import ended, wait_for


@pytest.fixture
def xmprun(build):
    return build / "bin" / "xmprun"


def test_runs_on_more_nodes_than_processors_with_the_programs_own_family(xmprun, programs):
    for program in programs.values():
        nodes = len(os.sched_getaffinity(0)) + 2
        assert succeed(xmprun, "-n", nodes, program).out == f"ranks {nodes}\n"


def test_exit_codes_are_the_programs(xmprun, programs):
    for program in programs.values():
        assert run(xmprun, "-n", "2", program, "7").code == 7


def test_launcher_options_pass_through(xmprun, programs):
    done = succeed(xmprun, "-wdir", "/", "-n", "1", "/bin/pwd")
    assert done.out == "/\n"


def test_several_programs(xmprun, programs):
    for program in programs.values():
        assert succeed(xmprun, "-n", "1", program, ":", "-n", "2", program).out == "ranks 3\n"


def test_programs_behind_a_wrapper_command_are_recognised(xmprun, programs):
    for program in programs.values():
        assert succeed(xmprun, "-n", "2", "env", "A=1", program).out == "ranks 2\n"


def test_settings_reach_the_nodes(xmprun):
    done = succeed(xmprun, "-n", "1", "sh", "-c", "echo $KUMIHIMO_LOG", env={"KUMIHIMO_LOG": "2"})
    assert done.out == "2\n"


def test_tells_programs_that_they_are_read_on_a_terminal(xmprun):
    words = [str(xmprun), "-n", "1", "sh", "-c", "test -t 2; echo $? $KUMIHIMO_TERMINAL"]
    ours, theirs = os.openpty()
    try:
        done = subprocess.run(words, env=CLEAN, stdout=subprocess.PIPE, stderr=theirs, timeout=60, check=True)
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.stdout.split()[-1] == b"1"
    assert succeed(*words).out.split() == ["1"]


def test_refuses_a_program_of_another_family(xmprun, programs):
    if len(programs) < 2:
        pytest.skip("this build has one MPI family only")
    for family, program in programs.items():
        other = next(name for name in programs if name != family)
        for done in (
            run(xmprun, f"--mpi={other}", "-n", "2", program),
            run(xmprun, "-n", "2", program, env={"KUMIHIMO_MPI": other}),
        ):
            assert done.code == 2 and done.out == ""
            assert f"was built for {family}" in done.err and f"xmpcc --mpi={other}" in done.err
        done = run(xmprun, "-n", "1", program, ":", "-n", "1", programs[other])
        assert done.code == 2 and "was built for" in done.err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["-n", "2"], 2, "no program given"),
        ([], 2, "no program given"),
        (["/bin/true"], 2, "on how many nodes? Give -n"),
        (["-n", "0", "/bin/true"], 2, "must be a positive whole number"),
        (["-n", "-1", "/bin/true"], 2, "must be a positive whole number"),
        (["-n", "x", "/bin/true"], 2, "must be a positive whole number"),
        (["-n"], 2, "missing operand after '-n'"),
        (["-n", "2", "./no-such-program"], 127, "program not found: ./no-such-program"),
        (["-n", "2", "no-such-program"], 127, "program not found: no-such-program"),
        (["-n", "2", "/etc/passwd"], 126, "may not be executed"),
        (["-n", "2", "/etc"], 126, "is a directory"),
        (["--mpi=foo", "-n", "2", "/bin/true"], 2, "knows no MPI family 'foo'"),
        (["--launcher=foo", "-n", "2", "/bin/true"], 2, "unknown launcher 'foo'"),
    ],
)
def test_never_succeeds_without_running_anything(xmprun, words, code, message):
    done = run(xmprun, *words)
    assert (done.code, done.out) == (code, "") and message in done.err and done.err.startswith("xmprun: ")


def test_a_signal_ends_the_whole_job(xmprun, tmp_path):
    """The launcher replaces xmprun, so a signal for xmprun reaches the nodes."""
    process = subprocess.Popen([xmprun, "-n", "2", "sh", "-c", f"echo $$ >> {tmp_path}/pids; exec sleep 100"], env=CLEAN)
    pids = tmp_path / "pids"
    assert wait_for(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) != 0
    assert wait_for(lambda: all(map(ended, pids.read_text().split())))


def test_a_program_without_mpi_is_told_of(xmprun, programs, tmp_path):
    """Not a script, a command of the system, one process, or a program that may load MPI later, as interpreters do."""
    (tmp_path / "plain.c").write_text("#include <math.h>\nint main(int n, char **a) { return sqrt(n) > 9; }\n")
    (tmp_path / "loads.c").write_text('#include <dlfcn.h>\nint main(void) { return dlopen("libm.so.6", RTLD_NOW) == 0; }\n')
    (tmp_path / "script").write_text("#!/bin/sh\ntrue\n")
    (tmp_path / "script").chmod(0o755)
    for name in ("plain", "loads"):
        succeed("gcc", f"{name}.c", "-o", name, "-lm", cwd=tmp_path)
    told = succeed(xmprun, "-n", "2", "./plain", cwd=tmp_path).err
    assert told.startswith("xmprun: warning: ./plain uses no MPI library: its 2 copies run each by itself\n")
    mpi = next(iter(programs.values()))
    others = [["1", "./plain"], ["2", "./loads"], ["2", "./script"], ["2", "true"], ["2", mpi], ["2", "./plain", mpi]]
    assert [succeed(xmprun, "-n", *words, cwd=tmp_path).err for words in others] == [""] * len(others)


def slurm(tmp_path, interfaces):
    """An environment that looks like a Slurm allocation of 4 tasks; srun prints its arguments."""
    srun = tmp_path / "srun"
    srun.write_text(
        f'#!/bin/sh\nif [ "$1" = --mpi=list ]; then echo "MPI plugin types are... {interfaces}"; else echo "$@"; fi\n'
    )
    srun.chmod(0o755)
    return {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SLURM_JOB_ID": "1", "SLURM_NTASKS": "4"}


def test_srun_inside_an_allocation(xmprun, programs, tmp_path):
    interface = {"openmpi": "pmix", "mpich": "pmi2"}
    env = slurm(tmp_path, "none pmi2 pmix")
    for family, program in programs.items():
        expected = f"--mpi={interface[family]}"
        assert succeed(xmprun, program, env=env).out == f"{expected} {program}\n"
        assert succeed(xmprun, "-n", "2", program, "9", env=env).out == f"{expected} -n 2 {program} 9\n"
        for five in (["-n", "5"], ["-n5"], ["--ntasks=5"]):
            assert succeed(xmprun, *five, program, env=env).out == f"{expected} -n 5 --overcommit {program}\n"
        assert succeed(xmprun, "--launcher=mpiexec", "-n", "2", program, env=env).out == "ranks 2\n"


def test_srun_hands_all_settings_on(xmprun, programs, tmp_path):
    """Also where the user exports little; a value with commas cannot stand in srun's option, its name can."""
    env = {**slurm(tmp_path, "none"), "KUMIHIMO_IO": "a=off,b=off", "KUMIHIMO_SPIN": "4"}
    program = next(iter(programs.values()))
    assert succeed(xmprun, program, env=env).out == f"{program}\n"
    done = succeed(xmprun, "--export=A,KUMIHIMO_SPIN=7", program, env=env)
    assert done.out == f"--export=A,KUMIHIMO_SPIN=7,KUMIHIMO_IO {program}\n"
    done = succeed(xmprun, program, env={**env, "SLURM_EXPORT_ENV": "NONE"})
    assert done.out == f"--export=KUMIHIMO_IO,KUMIHIMO_SPIN {program}\n"


def test_srun_without_a_fitting_interface_uses_its_default(xmprun, programs, tmp_path):
    program = next(iter(programs.values()))
    assert succeed(xmprun, program, env=slurm(tmp_path, "none")).out == f"{program}\n"


def test_show_prints_and_runs_nothing(xmprun, tmp_path):
    done = succeed(xmprun, "--show", "-n", "2", "touch", tmp_path / "file")
    assert "-n 2" in done.out and not (tmp_path / "file").exists()


def test_long_messages_begin_without_handshake_where_mpich_goes_on(xmprun, programs):
    for family, program in programs.items():
        done = succeed(xmprun, "--show", "--continue-after-failure", "-n", "2", program)
        assert ("UCX_RNDV_THRESH=inf" in done.out) is (family == "mpich")


def test_help_and_version(xmprun):
    assert "usage: xmprun [options] -n N" in succeed(xmprun, "--help").out
    assert succeed(xmprun, "--version").out.startswith("xmprun (Kumihimo) ")
