"""`kumihimo info`: what this installation is, and every setting with its value, source and help. Needs no MPI."""

import json
import os
import sys

from .. import configuration
from . import settings, text
from .command_line import Command, Parser

MODULE = "kumihimo_transport_"


def parser():
    one = Parser(
        "kumihimo info",
        "Prints version, build, MPI families and settings.\n\n"
        "Of each MPI family it tells libraries and transports, of each setting value, source and help. It needs no MPI.",
    )
    one.add_argument("--all", action="store_true", help="also the settings for experts that are not set")
    one.add_argument("--collectives", action="store_true", help="collective operations: their algorithms and rules instead")
    one.add_argument("--json", action="store_true", help="everything, as one JSON object")
    return one


def perform(options):
    report = collect()
    if options.json:
        print(json.dumps(report, indent=2))
    elif options.collectives:
        print(render_collectives(report))
    else:
        print(render(report, options.all))
    return 0


COMMAND = Command(parser, perform)


def collect():
    """Everything as one dictionary, the --json form. Keys are only ever added (schema)."""
    entries = settings.table()
    return {
        "schema": 1,
        "version": configuration.VERSION,
        "build": configuration.BUILD,
        "python": sys.executable,
        "headers": configuration.HEADERS,
        "libraries": configuration.LIBRARIES,
        "default_family": configuration.DEFAULT_FAMILY,
        "families": {family: _family(family) for family in configuration.FAMILIES},
        "engines": _engines(),
        "collectives": _collectives(),
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
        "coarrays": "libkumihimo_caf.so" in files,
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
    """[{name, help}, ...]: what serves files of MPI-IO."""
    return [{"name": name, "help": help_text} for name, help_text in _table("engines.txt")]


def _collectives():
    """[{operation, name, help, example_work_bytes}, ...]: the algorithms of libkumihimo_coll; beside them each operation has
    `native`. The example is a vector of 1 MiB, or blocks of 16 KiB, on 64 ranks, with as much work space as it takes."""
    names = ("operation", "name", "help", "example_work_bytes")
    entries = [dict(zip(names, row)) for row in _table("collectives.txt")]
    return [{**entry, "example_work_bytes": int(entry.get("example_work_bytes", 0))} for entry in entries]  # older builds: none


def _table(name):
    """The rows of a table that the build has written. Empty where the libraries have not been built yet."""
    try:
        with open(os.path.join(configuration.LIBRARIES, name), encoding="utf-8") as file:
            return [line.rstrip("\n").split("\t") for line in file]
    except FileNotFoundError:
        return []


def render(report, all_settings):
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
        lines += [f"  coarrays       {'in C and Fortran' if family['coarrays'] else 'in C; Fortran: no gfortran was found'}"]
        lines += [f"  xmpnc          {'yes' if family['xmpnc'] else 'missing: ' + family['xmpnc_missing']}"]
    if report["engines"]:
        lines += ["", text.bold("File engines") + "  (kumihimo files --help, docs/explanation/file-engine.md)"]
        lines += [f"  {entry['name']:<14} {entry['help']}" for entry in report["engines"]]
    lines += ["", text.bold("Settings") + "  (environment variables)"]
    hidden = [entry for entry in report["settings"] if entry["expert"] and entry["source"] == "default" and not all_settings]
    for entry in report["settings"]:
        if entry not in hidden:
            lines += [f"  {entry['name']}={entry['value']}  ({entry['source']})", f"      {entry['help']}"]
    if hidden:
        lines += [f"  and {len(hidden)} for experts: kumihimo info --all"]
    for name in report["unknown_settings"]:
        lines += [text.red(f"  {name} is set, but there is no such setting: it does nothing")]
    return "\n".join(lines)


def render_collectives(report):
    lines = [
        text.bold("Collective operations") + "  (libkumihimo_coll, docs/explanation/collectives.md)",
        "  in KiB: work space that a rank takes for 1 MiB (blocks: 16 KiB of each rank) on 64 ranks, where KUMIHIMO_COLL_WORK",
        "  allows it; vectors (bcast, reduce, allreduce) go in smaller pieces where it does not",
    ]
    operation = None
    for entry in report["collectives"]:
        if entry["operation"] != operation:
            operation = entry["operation"]
            lines += [
                "",
                f"  {operation}",
                f"    {'native':<20} {'':>8} the MPI library's own, which is taken where no rule says otherwise",
            ]
        work = entry["example_work_bytes"]
        lines += [f"    {entry['name']:<20} {f'{work / 1024:.0f} KiB' if work else '':>8} {entry['help']}"]
    lines += ["", text.bold("Rules and settings") + "  (environment variables)"]
    for entry in report["settings"]:
        if entry["name"].startswith("KUMIHIMO_COLL_"):
            lines += [f"  {entry['name']}={entry['value']}  ({entry['source']})", f"      {entry['help']}"]
    return "\n".join(lines)
