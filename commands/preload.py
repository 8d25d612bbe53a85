"""How our libraries get into every rank of a job, but not into its launcher: the one place that knows launchers' options."""

import os

from .. import configuration

IO, COLLECTIVES = "libkumihimo_io.so", "libkumihimo_coll.so"
SERVED = {IO: "file engine", COLLECTIVES: "collective operations"}
ALL_FILES = "**=kumihimo"  # the rule where the user gives none but asks for the library


class Missing(Exception):
    pass


def library(family, name=IO):
    """The library of an MPI family; Missing where this installation has none."""
    path = os.path.join(configuration.LIBRARIES, family, name)
    if not os.path.exists(path):
        having = [one for one in configuration.FAMILIES if os.path.exists(os.path.join(configuration.LIBRARIES, one, name))]
        raise Missing(
            f"no {SERVED[name]} for the MPI family '{family}': {path} is missing; "
            f"there is one for: {', '.join(having) or 'none'}.\n"
            "  Build Kumihimo again with that MPI in PATH (see `kumihimo info`)."
        )
    return path


def value(family, existing, names=(IO,)):
    """LD_PRELOAD with the libraries behind what is there already: tools that are preloaded see the program's calls first."""
    wanted = {name: library(family, name) for name in names}
    kept = []
    for path in (existing or "").replace(" ", ":").split(":"):
        ours = wanted.get(os.path.basename(path))
        if ours and os.path.realpath(path) != os.path.realpath(ours):
            raise Missing(
                f"LD_PRELOAD has another {os.path.basename(path)} already: {path}; unset it, or use it without this command."
            )
        kept += [path] if path and not ours else []
    return ":".join([*kept, *wanted.values()])


def mpiexec_options(family, text):
    """Options of one program's part of mpiexec's command line. The settings are in mpiexec's own environment, which MPICH
    passes on by itself and Open MPI by name."""
    if family == "openmpi":
        return [word for name in exported() for word in ("-x", name)] + ["-x", f"LD_PRELOAD={text}"]
    return ["-env", "LD_PRELOAD", text]


def exported():
    """What Open MPI does not pass to other machines by itself."""
    return [name for name in sorted(os.environ) if name.startswith(("KUMIHIMO_", "OMP_"))]


def srun_options(options, text):
    """srun's options with LD_PRELOAD in --export, whatever the user exports; values with commas cannot stand there."""
    kept, names = [], "ALL"
    words = iter(options)
    for word in words:
        if word == "--export":
            names = next(words, "ALL")
        elif word.startswith("--export="):
            names = word.split("=", 1)[1]
        else:
            kept.append(word)
    chosen = [name for name in names.split(",") if name and name != "NONE"]
    if "ALL" not in chosen:
        chosen += [name for name in exported() if name.startswith("KUMIHIMO_") and name not in chosen]
    return kept + ["--export=" + ",".join([*chosen, f"LD_PRELOAD={text}"])]
