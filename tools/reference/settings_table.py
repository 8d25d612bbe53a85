"""The page of all settings, from what `kumihimo info --json` tells of them (base/settings.cpp, commands/settings.py)."""

import json
import os
import subprocess

import docstrings

INTRODUCTION = """# Settings

Settings are environment variables. `kumihimo info` shows the values in force and where they come from; it also names
variables that are set but do not exist. Settings for experts have sensible values for everybody: `kumihimo info --all` shows
them, too. Sizes take `k`, `M` and `G` (powers of 1024). A flag is `1`, `on`, `yes`, `true`,
or `0`, `off`, `no`, `false`.

A value that makes no sense is told once, when the library that reads it starts. A program of XcalableMP then ends on all nodes;
with the [file engine](../explanation/file-engine.md#settings) the open fails on all ranks; collective operations stay with the
MPI library.

A setting that concerns the job needs one value on all nodes. `xmprun` and `kumihimo files run` hand all settings on to every
node. Where values differ all the same, node 0's count, with one warning. Open MPI's own `mpiexec` leaves other machines without
variables that no `-x` names.
"""
# A group takes the settings that begin with its prefix and are in no group before it.
GROUPS = (
    ("KUMIHIMO_CATWALK_", "The engine catwalk", "Explained in [Catwalk](../explanation/catwalk.md)."),
    ("KUMIHIMO_COLL_", "Collective operations", "Explained in [collective operations](../explanation/collectives.md)."),
    ("KUMIHIMO_XMPIO_", "XMP-IO and xmpnc", "Explained in [XMP-IO](xmp-io.md)."),
    ("KUMIHIMO_IO", "The file engine", "Explained in [the file engine](../explanation/file-engine.md)."),
    ("KUMIHIMO_FAULTY_", "Faults for tests", ""),
    ("KUMIHIMO_", "Programs and machines", ""),
)
READERS = {
    "runtime": "programs of XcalableMP",
    "files": "the file engine",
    "collectives": "collective operations",
}


def page(build):
    report = information(build)
    remaining = [entry for entry in report["settings"] if entry["libraries"]]
    commands = [entry for entry in report["settings"] if not entry["libraries"]]
    groups = []
    for prefix, title, about in GROUPS:
        chosen = [entry for entry in remaining if entry["name"].startswith(prefix)]
        remaining = [entry for entry in remaining if entry not in chosen]
        groups.insert(0, (title, about, chosen))
    groups.insert(0, ("The commands", "", commands))
    return INTRODUCTION + "".join(group(*one, report["default_family"]) for one in groups)


def information(build):
    """What `kumihimo info` says where nothing is set."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KUMIHIMO_")}
    command = [build / "bin" / "kumihimo", "info", "--json"]
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def group(title, about, entries, default_family):
    parts = [f"\n## {title}\n", about and about + "\n", *(setting(entry, default_family) for entry in entries)]
    return "\n".join(filter(None, parts))


def setting(entry, default_family):
    default = "the installation's default family" if entry["default"] == default_family else shown(entry["default"])
    readers = ", ".join(READERS[library] for library in entry["libraries"]) or "the commands"
    concerns = "the job" if entry["concerns"] == "job" else "its node alone"
    row = f"| {entry['allowed']} | {default} | {concerns} | {readers} |"
    table = f"| takes | default | concerns | read by |\n|---|---|---|---|\n{row}"
    experts = " (for experts)" if entry["expert"] else ""
    return f"### `{entry['name']}`{experts}\n\n{docstrings.wrapped(docstrings.escaped(entry['help']))}\n\n{table}\n"


def shown(default):
    """A value as code, words as they are."""
    return "empty" if not default else default if " " in default else f"`{default}`"
