"""Where no I/O process can be started, or it has too little of something: the real reason, on all ranks, whatever the MPI
family."""

import pathlib
import shlex
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faults"))
import launch

PROGRAM = pathlib.Path(__file__).parent / "callers" / "told.c"
RANKS = 3
REASONS = {
    "no program": (None, ("No such file or directory",)),
    "too few descriptors": (
        "exec 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n 5; exec {program}",
        ("Too many open files (EMFILE)", "ulimit -n"),
    ),
    "it ends at once": ("exit 3", ("exit status 3", "KUMIHIMO_IOD")),
    "it is killed": ("kill -9 $$", ("signal 9",)),
}


@pytest.mark.parametrize("family", ["openmpi", "mpich"])
def test_all_ranks_learn_why(family, build, tmp_path):
    if not (build / "lib" / family).exists():
        pytest.skip(f"this build has no MPI family {family}")
    caller = tmp_path / "told"
    subprocess.run([f"mpicc.{family}", PROGRAM, "-o", caller], check=True)
    library = launch.Library("catwalk", family, {"KUMIHIMO_IO": "**=catwalk"}, (f"lib/{family}/libkumihimo_io.so",))
    for number, (script, words) in enumerate(REASONS.values()):
        agent = tmp_path / f"agent-{number}"
        if script:
            program = shlex.quote(str(build / "lib" / "kumihimo-iod"))
            agent.write_text("#!/bin/sh\n" + script.format(program=program) + "\n")
            agent.chmod(0o755)
        command = launch.command(library, build, RANKS, caller, tmp_path / "file", injector=False)
        settings = {**launch.environment(library), "KUMIHIMO_IOD": str(agent)}
        done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        lines = [line for line in done.stdout.splitlines() if line.startswith("rank ")]
        assert len(lines) == RANKS, done.stdout + done.stderr
        told = {line.split(": ", 1)[1] for line in lines}
        assert len(told) == 1, f"ranks were told different things: {told}"
        text = told.pop()
        assert text.startswith("failed "), text
        for word in words:
            assert word in text + done.stderr, f"{word} is not in {text}"
