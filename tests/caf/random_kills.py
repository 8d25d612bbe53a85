#!/usr/bin/env python3
"""Kills random images of coarray programs at random times, and expects that the others go on: no hang, no wrong result.

A job may also end with a message, where an image was killed while all allocated a coarray: MPI cannot go on then."""

import argparse
import contextlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent / "killed.f90"
SECONDS = 2.0  # that a job works
LATEST = 0.7  # of that time, when one is killed: MPICH's launcher takes one that dies while all end for an error
PATIENCE = 120  # that it may take altogether: a machine may be busy


def compile_program(build, family, directory):
    libraries = build / "lib" / family
    program = directory / f"killed-{family}"
    link = [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lkumihimo_caf", "-lkumihimo"]
    subprocess.run(["gfortran", "-O1", "-g", "-fcoarray=lib", SOURCE, "-o", program, *link], check=True, cwd=directory)
    return program


def processes_of(program):
    """Those that run the program itself."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.path.samefile(entry / "exe", program):
                    found.append(int(entry.name))
            except OSError:
                pass
    return found


class Hang(Exception):
    pass


def run_job(build, family, program, images, kills, random_numbers, seconds, hosts=None):
    """(processes killed, exit code, what the job wrote)."""
    command = [build / "bin" / "xmprun", f"--mpi={family}", "--continue-after-failure", "-n", images, program, seconds]
    command = hosts.words(*command) if hosts else [str(word) for word in command]
    environment = hosts.environment() if hosts else None
    output = program.with_suffix(".output")
    with open(output, "w", encoding="utf-8") as file:
        job = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, env=environment)
    end = time.monotonic() + PATIENCE
    while "started" not in output.read_text() and job.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    killed = 0
    start = time.monotonic()
    for moment in sorted(random_numbers.uniform(0, LATEST * seconds) for _ in range(kills)):
        time.sleep(max(0.0, start + moment - time.monotonic()))
        alive = processes_of(program)
        if len(alive) > 1 and "ended " not in output.read_text():
            with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
                os.kill(random_numbers.choice(alive), signal.SIGKILL)
                killed += 1
    try:
        job.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise Hang(f"{family}, {images} images, {killed} killed: still running: {processes_of(program)}") from None
    return killed, job.returncode, output.read_text()


def run(build, families, kills, seed, directory, seconds=SECONDS, say=print, make_hosts=None):
    """Until as many have been killed. Returns how many jobs went on to their end, and how many ended with a message.

    make_hosts(images, random_numbers): where each job runs; without: on this machine."""
    random_numbers = random.Random(seed)
    programs = {family: compile_program(build, family, directory) for family in families}
    killed = went_on = ended = 0
    while killed < kills:
        family = random_numbers.choice(families)
        images = random_numbers.randint(2, 6)
        some, code, output = run_job(
            build,
            family,
            programs[family],
            images,
            random_numbers.randint(1, images - 1),
            random_numbers,
            seconds,
            make_hosts and make_hosts(images, random_numbers),
        )
        killed += some
        if "wrong" in output:
            raise AssertionError(output)
        if output.count("ended ") >= images - some and code == 0:
            went_on += 1
        elif "has failed during" in output and output.count("kumihimo: error:") == 1:
            ended += 1
        elif make_hosts and "Fatal error in" in output:  # the same as MPICH says it, whose calls see the end of a connection
            ended += 1
        else:
            raise AssertionError(f"{family}, {images} images, {some} killed: exit code {code}\n{output}")
        say(f"{killed} killed: {went_on} jobs went on, {ended} ended with a message", flush=True)
    return went_on, ended


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--families", nargs="+", default=["mpich", "openmpi"])
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    with tempfile.TemporaryDirectory() as directory:
        run(arguments.build.resolve(), arguments.families, arguments.kills, arguments.seed, pathlib.Path(directory))
    return 0


if __name__ == "__main__":
    sys.exit(main())
