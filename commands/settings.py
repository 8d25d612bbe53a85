"""Every KUMIHIMO_* setting: the runtime's (its table is built into lib/settings.json) and those of the commands."""

import json
import os

from .. import configuration

COMMANDS = (
    (
        "KUMIHIMO_MPI",
        configuration.DEFAULT_FAMILY,
        "MPI family that xmpcc and xmpf90 compile for; xmprun refuses programs of others.",
    ),
    ("KUMIHIMO_CC", "the MPI's own", "C compiler that xmpcc runs, with options if you like."),
    ("KUMIHIMO_FC", "the MPI's own", "Fortran compiler that xmpf90 runs, with options if you like."),
    ("KUMIHIMO_LAUNCHER", "auto", "What xmprun starts programs with: mpiexec, srun, or auto (srun inside a Slurm allocation)."),
    ("KUMIHIMO_BENCH_DATABASE", "~/.local/share/kumihimo/bench.sqlite", "File of `kumihimo bench`'s reference records."),
)


OF_COMMANDS = {"kind": "text", "allowed": "as described", "concerns": "rank", "expert": False, "libraries": []}


def table():
    """[{name, value, default, source, kind, allowed, concerns, expert, libraries, help}, ...]: the commands' settings, then
    those of the libraries, with the names of those that read them."""
    entries = [{**OF_COMMANDS, "name": name, "default": default, "help": text} for name, default, text in COMMANDS]
    return [_in_force(entry) for entry in entries + runtime_settings()]


def runtime_settings():
    """Empty where the libraries have not been built yet."""
    try:
        with open(os.path.join(configuration.LIBRARIES, "settings.json"), encoding="utf-8") as file:
            return json.load(file)["settings"]
    except FileNotFoundError:
        return []


def unknown(entries):
    """KUMIHIMO_* variables of the environment that no setting has: misspelt ones do nothing, silently."""
    known = {entry["name"] for entry in entries}
    return sorted(name for name in os.environ if name.startswith("KUMIHIMO_") and name not in known)


def _in_force(entry):
    value = os.environ.get(entry["name"]) or None
    source = "default" if value is None else "environment"
    return {**entry, "value": entry["default"] if value is None else value, "source": source}
