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


def mpiexec_options(family, text, given=()):
    """Options of one program's part of mpiexec's command line: all settings, and LD_PRELOAD (text; None: not). The settings are
    in mpiexec's own environment, which Open MPI passes on by name only, and MPICH unless the options given by the user
    say which variables are passed on."""
    if family == "openmpi":
        names = [name for name in exported(("KUMIHIMO_", "OMP_")) if name not in _chosen(given)]
        return [word for name in names for word in ("-x", name)] + (["-x", f"LD_PRELOAD={text}"] if text else [])
    variables = {name: os.environ[name] for name in exported() if _limits(given) and name not in _chosen(given)}
    variables.update({"LD_PRELOAD": text} if text else {})
    return [word for name, value in variables.items() for word in ("-env", name, value)]


def _chosen(given):
    """The variables that the user's own -x NAME[=VALUE], -env NAME VALUE or -genv NAME VALUE hand on."""
    return {after.split("=")[0] for word, after in zip(given, given[1:]) if word.lstrip("-") in ("x", "env", "genv")}


def _limits(given):
    """Whether options of MPICH's mpiexec leave out variables of its environment."""
    return any(word.lstrip("-") in ("genvnone", "genvlist", "envnone", "envlist") for word in given)


def exported(beginnings=("KUMIHIMO_",)):
    """What must reach every rank, whatever else does."""
    return [name for name in sorted(os.environ) if name.startswith(beginnings)]


def srun_options(options, text):
    """srun's options with all settings, and LD_PRELOAD (text; None: not), in --export, whatever the user exports. Values with
    commas cannot stand there, names can."""
    kept, names = [], os.environ.get("SLURM_EXPORT_ENV")  # which sbatch --export sets
    words = iter(options)
    for word in words:
        if word == "--export":
            names = next(words, "ALL")
        elif word.startswith("--export="):
            names = word.split("=", 1)[1]
        else:
            kept.append(word)
    if names is None and not text:
        return kept
    chosen = [name for name in (names or "ALL").split(",") if name and name != "NONE"]
    if "ALL" not in chosen:
        chosen += [name for name in exported() if name not in {one.split("=")[0] for one in chosen}]
    chosen += [f"LD_PRELOAD={text}"] if text else []
    return [*kept, "--export=" + (",".join(chosen) or "NONE")]
