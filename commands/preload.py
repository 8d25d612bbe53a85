"""How libkumihimo_io gets into every rank of a job, but not into its launcher: the one place that knows launchers' options."""

import os

from .. import configuration

LIBRARY = "libkumihimo_io.so"
ALL_FILES = "**=kumihimo"  # the rule where the user gives none but asks for the library


class Missing(Exception):
    pass


def library(family):
    """The library of an MPI family; Missing where this installation has none."""
    path = os.path.join(configuration.LIBRARIES, family, LIBRARY)
    if not os.path.exists(path):
        having = [
            name for name in configuration.FAMILIES if os.path.exists(os.path.join(configuration.LIBRARIES, name, LIBRARY))
        ]
        raise Missing(
            f"no file engine for the MPI family '{family}': {path} is missing; "
            f"there is one for: {', '.join(having) or 'none'}.\n"
            "  Build Kumihimo again with that MPI in PATH (see `kumihimo info`)."
        )
    return path


def value(family, existing):
    """LD_PRELOAD with the library behind what is there already: tools that are preloaded see the program's calls first."""
    path = library(family)
    present = (existing or "").replace(" ", ":").split(":")
    for name in present:
        if os.path.basename(name) == LIBRARY and os.path.realpath(name) != os.path.realpath(path):
            raise Missing(f"LD_PRELOAD has another {LIBRARY} already: {name}; unset it, or use it without this command.")
    return ":".join([name for name in present if name and os.path.realpath(name) != os.path.realpath(path)] + [path])


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
