"""`kumihimo doctor`: does this installation work on this machine? Each check says what was found and what to do."""

import argparse
import json
import os
import shutil
import tempfile

from .. import configuration
from . import settings, text
from .checking import Check, install, own_command, run
from .command_line import Command, Parser
from .hosts import checks as survey
from .remote import doctor as reached
from .remote.names import host_name
from .run import choose_launcher

MARKS = {"ok": ("ok  ", text.green), "warning": ("warn", text.yellow), "failed": ("FAIL", text.red)}
SUM = 2 * sum(range(1, 99))  # what doctor.c must print
FIRST_PROGRAM = "xmpcc program.c -o program && xmprun -n 4 ./program"
PACKAGES = {"openmpi": ("openmpi-bin", "libopenmpi-dev"), "mpich": ("mpich", "libmpich-dev")}  # of Debian


def parser():
    one = Parser(
        "kumihimo doctor",
        "Compiles and runs a program on 2 nodes, checks the machine, says what to do.\n\n"
        "Checks the compiler, the MPI families and shared memory; with --hosts, or in a Slurm allocation, whether programs\n"
        "run on several hosts. Ends with the command that makes sense next.",
        epilog="exit code: 0 all is well (warnings are allowed), 1 something does not work",
    )
    one.add_argument("--mpi", choices=tuple(configuration.FAMILIES), metavar="FAMILY", help="checks this MPI family only")
    one.add_argument("--hosts", type=_hosts, metavar="HOST,...", help="checks these machines (default: the allocation's)")
    one.add_argument(
        "--host",
        metavar="NAME",
        help="checks instead whether files of another machine can be used: [user@]host[:port][/directory] or stampi://...",
    )
    one.add_argument("--directory", default=".", metavar="DIRECTORY", help="which all hosts share (default: this one)")
    one.add_argument("--limit", type=int, default=40, metavar="SECONDS", help="so long a host may take to answer (default 40)")
    one.add_argument("--json", action="store_true", help="the checks and their counts, as one JSON object")
    return one


def perform(options):
    checks = []
    families = [options.mpi] if options.mpi else list(configuration.FAMILIES)
    hosts = options.hosts or survey.of_allocation()
    found = reached.checks(options.host) if options.host else all_checks(families, hosts, options)
    for check in found:
        checks.append(check)
        if not options.json:
            print(_line(check), flush=True)
    counts = {status: sum(check.status == status for check in checks) for status in MARKS}
    todo = next_command(checks, _first_copy(options.host) if options.host else FIRST_PROGRAM)
    if options.json:
        found = {"schema": 1, "healthy": not counts["failed"], "counts": counts, "next": todo}
        print(json.dumps({**found, "checks": [check.as_json() for check in checks]}, indent=2))
    else:
        print(f"\n{counted(counts)}\nnext: {todo}")
    return 1 if counts["failed"] else 0


def _hosts(words):
    hosts = words.split(",")
    if not all(hosts) or any(host.startswith("-") or len(host.split()) != 1 for host in hosts):
        raise argparse.ArgumentTypeError(f"'{words}' is no list of hosts as node1,node2")
    return list(dict.fromkeys(hosts))


COMMAND = Command(parser, perform)


def counted(counts):
    """11 passed, 1 warning."""
    plural = "" if counts["warning"] == 1 else "s"
    words = {"ok": "passed", "warning": f"warning{plural}", "failed": "failed"}
    return ", ".join(f"{counts[status]} {word}" for status, word in words.items() if counts[status] or status == "ok")


def next_command(checks, otherwise=FIRST_PROGRAM):
    """What to type next: for the first failure, else for the first warning that has something to type."""
    urgent = sorted((check for check in checks if check.command), key=lambda check: check.status != "failed")
    return urgent[0].command if urgent else otherwise


def _first_copy(host):
    return f"kumihimo files ls {host_name(host)}"


def _line(check):
    mark, colour = MARKS[check.status]
    advice = "\n".join("      " + line for line in (check.advice or "").splitlines())
    return f"{colour(mark)}  {check.name}: {check.found}" + ("\n" + advice if advice else "")


def all_checks(families, hosts, options):
    """Where programs run on other hosts, this machine need not run any."""
    if not hosts:
        yield from check_shared_memory()
    yield check_settings()
    compiles = os.path.exists(own_command("xmpcc"))
    if not compiles:
        yield missing_compilers()
    for family in families:
        if compiles:
            yield check_compiler(family)
        yield check_launcher(family)
        yield check_libraries(family)
        yield check_netcdf(family)
        if compiles and not hosts:
            yield check_program(family)
    if hosts:
        directory = os.path.abspath(options.directory)
        yield from survey.Survey(hosts, families, choose_launcher(None), directory, options.limit).checks()


def missing_compilers():
    """They may be a package of their own, which a compute node need not have."""
    advice = "Programs run here, but are compiled elsewhere. Debian's package with the compilers: kumihimo-dev"
    return Check("compilers", "warning", "xmpcc is not installed", advice, install("kumihimo-dev"))


def check_shared_memory():
    directory = "/dev/shm"
    if not os.path.isdir(directory) or not os.access(directory, os.W_OK):
        advice = "Nodes on one machine share memory there. Mount a tmpfs on /dev/shm with mode 1777."
        found = f"{directory} is missing or may not be written"
        yield Check("shared memory", "warning", found, advice, f"mount -t tmpfs -o mode=1777 tmpfs {directory}")
        return
    space = os.statvfs(directory)
    free = space.f_bavail * space.f_frsize
    if free < 256 << 20:
        command = f"mount -o remount,size=1g {directory}"
        advice = f"MPI may fail with a bus error. In Docker: --shm-size=1g; else: {command}"
        yield Check("shared memory", "warning", f"{directory} has only {free >> 20} MiB free", advice, command)
    else:
        yield Check("shared memory", "ok", f"{directory} has {free >> 20} MiB free")


def check_settings():
    unknown = settings.unknown(settings.table())
    if unknown:
        advice = "Settings with other names do nothing; `kumihimo info` lists all."
        return Check("settings", "warning", f"no such setting: {', '.join(unknown)}", advice, "kumihimo info")
    return Check("settings", "ok", "all KUMIHIMO_* variables are known")


def check_compiler(family):
    """The compiler runs, and the mpi.h it finds is of the family and version that the libraries were built for."""
    name = f"compiler and MPI match ({family})"
    found = configuration.FAMILIES[family]
    command = [own_command("xmpcc"), f"--mpi={family}", "-E", "-dM", "-include", "mpi.h", "-x", "c", os.devnull]
    code, output, errors = run(command)
    if code != 0:
        advice = f"Install {found['c']['compiler']} and the development files of {family}, then build Kumihimo again."
        return Check(name, "failed", _last(errors) or f"exit code {code}", advice, install("gcc", *PACKAGES[family]))
    version = _mpi_version(output, family)
    if version != found["version"]:
        advice = "Build Kumihimo again against the MPI of this machine."
        other = f"mpi.h is of {version or 'another MPI'}, the libraries of {found['version']}"
        return Check(name, "failed", other, advice, "make install")
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
        advice = f"Install it (Debian: {PACKAGES[family][0]}), then build Kumihimo again."
        return Check(name, "failed", f"no mpiexec of {family}", advice, install(PACKAGES[family][0]))
    code, output, errors = run([command, "--version"])
    said = output + errors
    owner = "openmpi" if "open" in said.lower() else "mpich" if "HYDRA" in said else "unknown"
    if code != 0 or owner != family:
        advice = f"Put the mpiexec of {family} first in PATH and build Kumihimo again."
        return Check(name, "failed", f"{command} is of {owner}", advice, f"{command} --version")
    return Check(name, "ok", command)


def check_libraries(family):
    path = os.path.join(configuration.LIBRARIES, family, "libkumihimo.so")
    if os.path.exists(path):
        return Check(f"library ({family})", "ok", path)
    return Check(f"library ({family})", "failed", f"{path} is missing", "Run make build (or make install again).", "make build")


def check_netcdf(family):
    if os.path.exists(os.path.join(configuration.LIBRARIES, family, "libkumihimo_nc.so")):
        return Check(f"netCDF, xmpnc ({family})", "ok", "libkumihimo_nc.so")
    reason = configuration.FAMILIES[family]["netcdf_missing"]
    if not reason:
        return Check(f"netCDF, xmpnc ({family})", "failed", "libkumihimo_nc.so is missing", "Run make build.", "make build")
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
        code, output, errors = run([own_command("xmpcc"), f"--mpi={family}", source, "-o", program])
        if code != 0:
            advice = (errors + output).strip()
            return Check(name, "failed", f"xmpcc ended with exit code {code}", advice, f"xmpcc --mpi={family} --version")
        code, output, errors = run([own_command("xmprun"), f"--mpi={family}", "-n", "2", program])
    if code != 0:
        advice = (errors + output).strip()
        return Check(name, "failed", f"the program ended with exit code {code}", advice, _try_launcher(family))
    if output.split() != ["nodes", "2", "sum", str(SUM)]:
        advice = (
            f"It printed: {output.strip()!r}\nThe launcher and the MPI library do not work together: check PATH and modules."
        )
        return Check(name, "failed", f"not 'nodes 2 sum {SUM}'", advice, _try_launcher(family))
    return Check(name, "ok", output.strip())


def _try_launcher(family):
    """Whether the launcher starts anything at all."""
    return f"xmprun --mpi={family} -n 2 --verbose hostname"


def _last(message):
    lines = message.strip().splitlines()
    return lines[-1] if lines else ""
