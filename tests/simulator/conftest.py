"""Running `kumihimo simulate` in tests."""

import subprocess

import pytest


@pytest.fixture
def start(build):
    def starting(*words):
        command = [str(build / "bin" / "kumihimo"), "simulate", *map(str, words)]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, text=True, start_new_session=True, **pipes)

    return starting


@pytest.fixture
def simulate(start):
    """Standard output; with another exit code than 0, standard error."""

    def simulating(*words, code=0):
        done = start(*words)
        out, err = done.communicate(timeout=120)
        assert done.returncode == code, out + err
        return err if code else out

    return simulating
