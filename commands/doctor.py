"""`kumihimo doctor`: does this installation work on this machine? Each check says what was found and what to do."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

from .. import configuration
from . import settings, text

HELP = """usage: kumihimo doctor [--json] [--mpi=FAMILY]

Checks the compiler, the MPI families, shared memory, and compiles and runs a program on 2 nodes.
Exit code 0: all well (warnings are allowed), 1: something does not work.
"""
MARKS = {"ok": ("ok  ", text.green), "warning": ("warn", text.yellow), "failed": ("FAIL", text.red)}
SUM = 2 * sum(range(1, 99))  # what doctor.c must print
RUN_SECONDS = 120


class Check:
    """status: ok, warning or failed. advice: what to do, where something is to be done."""

    def __init__(self, name, status, found, advice=None):
        self.name, self.status, self.found, self.advice = name, status, found, advice

    def as_json(self):
        return {"name": self.name, "status": self.status, "found": self.found, "advice": self.advice}


def main(arguments):
    families = list(configuration.FAMILIES)
    as_json = False
    for argument in arguments:
        if argument in ("--help", "-h"):
            print(HELP, end="")
            return 0
        if argument == "--json":
            as_json = True
        elif argument.startswith("--mpi=") and argument[6:] in families:
            families = [argument[6:]]
        else:
            print(f"kumihimo doctor: bad argument: {argument}\n{HELP}", end="", file=sys.stderr)
            return 2
    checks = []
    for check in all_checks(families):
        checks.append(check)
        if not as_json:
            print(_line(check), flush=True)
    failed = sum(check.status == "failed" for check in checks)
    if as_json:
        print(json.dumps({"schema": 1, "healthy": not failed, "checks": [check.as_json() for check in checks]}, indent=2))
    else:
        print(f"{failed} of {len(checks)} checks failed" if failed else f"All {len(checks)} checks passed")
    return 1 if failed else 0


def _line(check):
    mark, colour = MARKS[check.status]
    advice = "\n".join("      " + line for line in (check.advice or "").splitlines())
    return f"{colour(mark)}  {check.name}: {check.found}" + ("\n" + advice if advice else "")


def all_checks(families):
    yield from check_shared_memory()
    yield check_settings()
    for family in families:
        yield check_compiler(family)
        yield check_launcher(family)
        yield check_libraries(family)
        yield check_netcdf(family)
        yield check_program(family)


def check_shared_memory():
    directory = "/dev/shm"
    if not os.path.isdir(directory) or not os.access(directory, os.W_OK):
        advice = "Nodes on one machine share memory there. Mount a tmpfs on /dev/shm with mode 1777."
        yield Check("shared memory", "warning", f"{directory} is missing or may not be written", advice)
        return
    space = os.statvfs(directory)
    free = space.f_bavail * space.f_frsize
    if free < 256 << 20:
        advice = "MPI may fail with a bus error. In Docker: --shm-size=1g; else: mount -o remount,size=1g /dev/shm"
        yield Check("shared memory", "warning", f"{directory} has only {free >> 20} MiB free", advice)
    else:
        yield Check("shared memory", "ok", f"{directory} has {free >> 20} MiB free")


def check_settings():
    unknown = settings.unknown(settings.table())
    if unknown:
        advice = "Settings with other names do nothing; `kumihimo info` lists all."
        return Check("settings", "warning", f"no such setting: {', '.join(unknown)}", advice)
    return Check("settings", "ok", "all KUMIHIMO_* variables are known")


def check_compiler(family):
    """The compiler runs, and the mpi.h it finds is of the family and version that the libraries were built for."""
    name = f"compiler and MPI match ({family})"
    found = configuration.FAMILIES[family]
    command = [_bin("xmpcc"), f"--mpi={family}", "-E", "-dM", "-include", "mpi.h", "-x", "c", os.devnull]
    code, output, errors = _run(command)
    if code != 0:
        advice = f"Install {found['c']['compiler']} and the development files of {family}, then build Kumihimo again."
        return Check(name, "failed", _last(errors) or f"exit code {code}", advice)
    version = _mpi_version(output, family)
    if version != found["version"]:
        advice = "Build Kumihimo again against the MPI of this machine."
        return Check(name, "failed", f"mpi.h is of {version or 'another MPI'}, the libraries of {found['version']}", advice)
    compiler = next((line.split('"')[1] for line in output.splitlines() if line.startswith("#define __VERSION__ ")), "?")
    return Check(name, "ok", f"{found['c']['compiler']} {compiler}, {family} {version}")


def _mpi_version(macros, family):
    values = {}
    for line in macros.splitlines():
        words = line.split(None, 2)
        if len(words) == 3:
            values[words[1]] = words[2].strip('"')
    if family == "openmpi":
        parts = [values.get(f"OMPI_{part}_VERSION") for part in ("MAJOR", "MINOR", "RELEASE")]
        return ".".join(parts) if all(parts) else None
    return values.get("MPICH_VERSION")


def check_launcher(family):
    """mpiexec is of the same family: another one would start N copies of node 0."""
    name = f"launcher ({family})"
    command = configuration.FAMILIES[family]["mpiexec"] or shutil.which("mpiexec")
    if not command or not shutil.which(command):
        return Check(
            name, "failed", f"no mpiexec of {family}", "Install it (Debian: openmpi-bin, mpich), then build Kumihimo again."
        )
    code, output, errors = _run([command, "--version"])
    said = output + errors
    owner = "openmpi" if "open" in said.lower() else "mpich" if "HYDRA" in said else "unknown"
    if code != 0 or owner != family:
        return Check(
            name, "failed", f"{command} is of {owner}", f"Put the mpiexec of {family} first in PATH and build Kumihimo again."
        )
    return Check(name, "ok", command)


def check_libraries(family):
    path = os.path.join(configuration.LIBRARIES, family, "libkumihimo.so")
    if os.path.exists(path):
        return Check(f"library ({family})", "ok", path)
    return Check(f"library ({family})", "failed", f"{path} is missing", "Run make build (or make install again).")


def check_netcdf(family):
    if os.path.exists(os.path.join(configuration.LIBRARIES, family, "libkumihimo_nc.so")):
        return Check(f"netCDF, xmpnc ({family})", "ok", "libkumihimo_nc.so")
    reason = configuration.FAMILIES[family]["netcdf_missing"]
    if not reason:
        return Check(f"netCDF, xmpnc ({family})", "failed", "libkumihimo_nc.so is missing", "Run make build.")
    advice = (
        f"Only programs that call xmpnc_* need it. Give CMake a PnetCDF of this MPI: -DKUMIHIMO_PNETCDF_{family.upper()}=PREFIX"
    )
    return Check(f"netCDF, xmpnc ({family})", "warning", f"missing: {reason}", advice)


def check_program(family):
    """The whole way: directives, compiler, library, launcher, two nodes that exchange data."""
    name = f"a program on 2 nodes ({family})"
    with tempfile.TemporaryDirectory(prefix="kumihimo-doctor-") as directory:
        program = os.path.join(directory, "doctor")
        source = os.path.join(os.path.dirname(os.path.realpath(__file__)), "doctor.c")
        code, output, errors = _run([_bin("xmpcc"), f"--mpi={family}", source, "-o", program])
        if code != 0:
            return Check(name, "failed", f"xmpcc ended with exit code {code}", (errors + output).strip())
        code, output, errors = _run([_bin("xmprun"), f"--mpi={family}", "-n", "2", program])
    if code != 0:
        return Check(name, "failed", f"the program ended with exit code {code}", (errors + output).strip())
    if output.split() != ["nodes", "2", "sum", str(SUM)]:
        advice = (
            f"It printed: {output.strip()!r}\nThe launcher and the MPI library do not work together: check PATH and modules."
        )
        return Check(name, "failed", f"not 'nodes 2 sum {SUM}'", advice)
    return Check(name, "ok", output.strip())


# ---- Running commands ----


def _bin(name):
    """The command that belongs to this installation: beside the one that is running."""
    return os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), name)


def _run(command):
    """(exit code, output, errors); never hangs."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=RUN_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return 124, "", f"no end after {RUN_SECONDS} s: {' '.join(command)}"
    except OSError as error:
        return 127, "", f"{command[0]}: {error.strerror}"
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def _last(message):
    lines = message.strip().splitlines()
    return lines[-1] if lines else ""
