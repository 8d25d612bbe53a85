"""`kumihimo info`: what this installation is, and every setting with its value, source and help. Needs no MPI."""

import json
import os
import sys

from .. import configuration
from . import settings, text

MODULE = "kumihimo_transport_"

HELP = """usage: kumihimo info [--json]

Prints version, build, MPI families with their libraries and transports, and every setting with value, source and help.
"""


def main(arguments):
    if arguments in (["--help"], ["-h"]):
        print(HELP, end="")
        return 0
    if arguments not in ([], ["--json"]):
        print(f"kumihimo info: unknown argument: {' '.join(arguments)}\n{HELP}", end="", file=sys.stderr)
        return 2
    report = collect()
    print(json.dumps(report, indent=2) if arguments else render(report))
    return 0


def collect():
    """Everything as one dictionary, the --json form. Keys are only ever added (schema)."""
    entries = settings.table()
    return {
        "schema": 1,
        "version": configuration.VERSION,
        "build": configuration.BUILD,
        "python": configuration.PYTHON,
        "headers": configuration.HEADERS,
        "libraries": configuration.LIBRARIES,
        "default_family": configuration.DEFAULT_FAMILY,
        "families": {family: _family(family) for family in configuration.FAMILIES},
        "engines": _engines(),
        "settings": entries,
        "unknown_settings": settings.unknown(entries),
    }


def _family(family):
    found = configuration.FAMILIES[family]
    directory = os.path.join(configuration.LIBRARIES, family)
    files = sorted(name for name in os.listdir(directory) if name.endswith(".so")) if os.path.isdir(directory) else []
    transports = _transports(directory, files)
    files = [name for name in files if not name.startswith(MODULE)]
    missing = found["netcdf_missing"]
    if not missing and "libkumihimo_nc.so" not in files:
        missing = "libkumihimo_nc.so has not been built"
    return {
        "version": found["version"],
        "c_wrapper": found["c"]["wrapper"],
        "c_compiler": found["c"]["compiler"],
        "fortran_wrapper": found["fortran"]["wrapper"] or None,
        "fortran_compiler": found["fortran"]["compiler"] or None,
        "mpiexec": found["mpiexec"] or None,
        "directory": directory,
        "libraries": files,
        "transports": transports,
        "xmpnc": not missing,
        "xmpnc_missing": missing or None,
    }


def _transports(directory, files):
    """[{name, missing}, ...]: missing is null or the reason. The runtime's loader finds them in the same way."""
    found = ["mpi"] + sorted(name[len(MODULE) : -len(".so")] for name in files if name.startswith(MODULE))
    entries = [{"name": name, "missing": None} for name in found]
    try:
        with open(os.path.join(directory, "transports.txt"), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t", 1) for line in file if "\t" in line]
    except FileNotFoundError:
        rows = []
    return entries + [{"name": name, "missing": reason} for name, reason in rows if name not in found]


def _engines():
    """[{name, help}, ...]: what serves files of MPI-IO. Empty where the libraries have not been built yet."""
    try:
        with open(os.path.join(configuration.LIBRARIES, "engines.txt"), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t", 1) for line in file]
    except FileNotFoundError:
        return []
    return [{"name": name, "help": text} for name, text in rows]


def render(report):
    lines = [
        text.bold(f"Kumihimo {report['version']}") + f"  ({report['build']})",
        f"  headers    {report['headers']}",
        f"  libraries  {report['libraries']}",
    ]
    for name, family in report["families"].items():
        default = ", the default" if name == report["default_family"] else ""
        lines += ["", text.bold(f"MPI family {name}") + f"  {family['version']}{default}"]
        lines += [f"  xmpcc uses     {family['c_compiler']} (of {family['c_wrapper']})"]
        lines += [f"  xmpf90 uses    {family['fortran_compiler'] or 'nothing: no Fortran wrapper was found'}"]
        lines += [f"  xmprun uses    {family['mpiexec'] or 'mpiexec in PATH'}"]
        lines += [f"  libraries      {' '.join(family['libraries']) or 'none: run make build'}"]
        available = " ".join(entry["name"] for entry in family["transports"] if not entry["missing"])
        lines += [f"  transports     {available}"]
        for entry in family["transports"]:
            if entry["missing"]:
                lines += [f"                 {entry['name']}: {entry['missing']}"]
        lines += [f"  xmpnc          {'yes' if family['xmpnc'] else 'missing: ' + family['xmpnc_missing']}"]
    if report["engines"]:
        lines += ["", text.bold("File engines") + "  (kumihimo files --help, docs/file-engine.md)"]
        lines += [f"  {entry['name']:<14} {entry['help']}" for entry in report["engines"]]
    lines += ["", text.bold("Settings") + "  (environment variables)"]
    for entry in report["settings"]:
        lines += [f"  {entry['name']}={entry['value']}  ({entry['source']})", f"      {entry['help']}"]
    for name in report["unknown_settings"]:
        lines += [text.red(f"  {name} is set, but there is no such setting: it does nothing")]
    return "\n".join(lines)
