"""Runs one launch of bench/measure's program and brings its file of samples home, or says why there is none."""

import glob
import json
import os
import signal
import subprocess
import time

from ... import configuration
from ...commands import launch_line
from ...commands import run as xmprun

POLL_SECONDS = 0.1


class Failed(Exception):
    """This launch gave nothing; others may."""


def program(family):
    path = os.path.join(configuration.LIBRARIES, family, "kumihimo-bench")
    if not os.path.exists(path):
        raise Failed(f"{path} is missing: build Kumihimo again with that MPI in PATH (see `kumihimo info`)")
    return path


def command(plan, number, variant, output):
    """(command, environment) that start the launch."""
    words = [
        *(f"--operations {','.join(plan.order(number))} --sizes {','.join(map(str, plan.sizes))}").split(),
        *(f"--shape {'x'.join(map(str, plan.shape))} --memory {plan.memory} --seconds {plan.seconds:.6f}").split(),
        *(
            f"--repetitions {plan.repetitions} --budget {plan.budget_seconds:.3f} --start {plan.start} --root {plan.root}"
        ).split(),
        "--output",
        output,
    ]
    words = [program(variant["family"]), *words]
    return start_command(variant["family"], plan.ranks, variant["settings"], words, plan.launcher_options)


def start_command(family, ranks, settings, words, options=()):
    """(command, environment) that start a program of an MPI family, by the launcher that xmprun would take. settings: the
    ranks' environment."""
    line = launch_line.parse(["-n", str(ranks), *options, *_settings_options(family, settings), *words])
    start = xmprun.srun_command if xmprun.choose_launcher(None) == "srun" else xmprun.mpiexec_command
    return start(line, family)


def _settings_options(family, settings):
    """Not the launcher's environment: a setting may be a library to preload."""
    if xmprun.choose_launcher(None) == "srun":
        pairs = ",".join(f"{name}={value}" for name, value in settings.items())
        return [f"--export=ALL,{pairs}"] if pairs else []
    if family == "openmpi":
        return [word for name, value in settings.items() for word in ("-x", f"{name}={value}")]
    return [word for name, value in settings.items() for word in ("-env", name, value)]


def run(plan, number, variant, path, progress):
    """Leaves the complete samples at path. progress(cells): called with the number of cells measured so far."""
    for left in glob.glob(glob.escape(path) + ".*.part"):
        os.unlink(left)
    part = f"{path}.{os.getpid()}.part"  # ranks of a campaign that was killed may still open theirs, and write to it
    started = command(plan, number, variant, part)
    execute(*started, plan.limit_seconds, part, path + ".log", lambda: progress(_lines(part)))
    os.replace(part, path)
    os.unlink(path + ".log")


def execute(words, environment, limit_seconds, records, log, tell=lambda: None, output=None):
    """Runs a launch to its end: complete records, or Failed. records: None where it leaves none. output: a file for what it
    prints, which else goes to the log."""
    with open(log, "wb") as messages:
        process = subprocess.Popen(
            words,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output or messages,
            stderr=messages,
            start_new_session=True,
        )
        try:
            code = _wait(process, limit_seconds, tell)
        finally:
            end(process)
    if code != 0 or (records and not complete(records)):
        raise Failed(_reason(code, log, limit_seconds, records))


def _wait(process, limit_seconds, tell):
    """The exit code; None if the limit was reached."""
    deadline = time.monotonic() + limit_seconds
    while process.poll() is None:
        if time.monotonic() > deadline:
            return None
        tell()
        time.sleep(POLL_SECONDS)
    return process.returncode


def end(process):
    """The launcher and all its ranks on this machine: they are a session of their own. Elsewhere the launcher does it."""
    for number, seconds in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        if process.poll() is not None:
            return
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            return
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            continue


def complete(path):
    """Whether the last line says so."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - 64))
            return json.loads(file.read().splitlines()[-1]) == {"kind": "end"}
    except (OSError, ValueError, IndexError):
        return False


def _lines(path):
    try:
        with open(path, "rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    except OSError:
        return 0


def _reason(code, log, limit_seconds, records):
    if code == 0:
        return f"left no complete {records}: can the machine of rank 0 write there?"
    with open(log, encoding="utf-8", errors="replace") as file:
        said = [line.strip() for line in file if line.strip()]
    what = f"was ended after {limit_seconds} s (--limit)" if code is None else f"ended with exit code {code}"
    telling = [line for line in said if "error" in line.lower()] or said[-1:]
    return f"{what}{': ' + telling[0] if telling else ''} (all it said: {log})"
