"""xmprun: starts a program on N nodes by the mpiexec of the MPI family that the program was built for, or by Slurm's srun.

Exit codes, signals and standard input are the launcher's; what the program writes is passed on as it comes, and what the
launcher says after a failure is left out, unless it is asked for (supervision.py). It never ends well without having run
anything: no program, no number of nodes or a program of another family is an error."""

import errno
import os
import shutil
import signal
import sys

from .. import configuration
from . import command_line, elf, launch_line, launcher_text, launching, preload, supervision

TEXT = """Runs a program on N nodes.

Every option that is not listed here goes to the launcher: mpiexec of the MPI family that the program was built for, or srun
inside a Slurm allocation, where -n may be left out."""
# Options after which a program may exist on another machine or in another directory only.
ELSEWHERE = (
    """-host --host -H -hosts -f -hostfile --hostfile -machinefile --machinefile -wdir --wdir -wd -path --path""".split()
)
# Options after which ranks run elsewhere, or the launcher does something to their output: it gets all of it then.
THROUGH_THE_LAUNCHER = """-host --host -H -hosts -f -hostfile --hostfile -machinefile --machinefile -path --path
-tag-output --tag-output -timestamp-output --timestamp-output -output-filename --output-filename -xml --xml -xterm --xterm
-merge-stderr-to-stdout --merge-stderr-to-stdout -output --output -prepend-rank -l -prepend-pattern -outfile-pattern
-errfile-pattern -debug --debug -tv --tv -gdb""".split()
SYSTEM_DIRECTORIES = ("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin")
# What the launcher writes messages of its own to, beside what programs write there.
OWN_STREAMS = {"openmpi": (2,), "mpich": (1, 2)}
ADVICE_INSTALL = "Build Kumihimo again with that MPI in PATH (see `kumihimo info`)"


# Runs as root (containers) and with more nodes than processors; PRTE is the launcher of Open MPI 5.
OPEN_MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
# More nodes than processors: a waiting node must give its processor away. (MPICH 4.0 has no such setting that works:
# MPIR_CVAR_POLLS_BEFORE_YIELD changed nothing in a loop of barriers; the runtime's own waits yield.)
OPEN_MPI_CROWDED = {"OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1"}


def patience():
    """KUMIHIMO_TIMEOUT; the program tells what is wrong with it."""
    text = os.environ.get("KUMIHIMO_TIMEOUT", "")
    return int(text) if text.isascii() and text.isdigit() else 0


def open_mpi_patience():
    """A machine that is gone without a word is noticed by the launcher's daemons as by the program (KUMIHIMO_TIMEOUT): a bit
    earlier, since keep-alives rest as soon as something was sent there. By itself Open MPI takes eight minutes."""
    if patience() == 0:
        return {}
    third, sixth = max(1, patience() // 3), max(1, patience() // 6)
    values = {"time": third, "intvl": sixth, "probes": 2}
    return {f"OMPI_MCA_oob_tcp_keepalive_{name}": str(value) for name, value in values.items()}


class Failure(Exception):
    def __init__(self, message, code=2):
        super().__init__(message)
        self.code = code


def parser():
    """What is told of the command line; launch_line.py reads it."""
    one = command_line.Parser("xmprun", TEXT, "-n N program [arguments] [: -n M program [arguments] ...]")
    families = tuple(configuration.FAMILIES)
    add = one.add_argument
    add("-n", "-np", metavar="N", help="number of nodes; may exceed the number of processors")
    add(
        "--mpi",
        metavar="FAMILY",
        choices=families,
        help=f"refuse any other MPI family than this: {', '.join(families)} (default: KUMIHIMO_MPI)",
    )
    add(
        "--launcher",
        choices=("mpiexec", "srun"),
        help="(default: KUMIHIMO_LAUNCHER, else srun in a Slurm allocation, else mpiexec)",
    )
    add(
        "--io",
        metavar="RULES",
        nargs="?",
        help="serve the program's MPI-IO files (RULES as in KUMIHIMO_IO; without: those of KUMIHIMO_IO, else all)",
    )
    add(
        "--coll",
        metavar="RULES",
        nargs="?",
        help="collective operations by libkumihimo_coll (RULES as in KUMIHIMO_COLL_TUNE; without: what is known to be faster"
        " than the MPI library)",
    )
    add(
        "--continue-after-failure",
        action="store_true",
        help="let the job go on when the process of an image of a coarray program dies (by default the launcher ends the job)",
    )
    add("--show", action="store_true", help="print the launcher's command line and run nothing")
    add(
        "-v",
        "--verbose",
        action="store_true",
        help="print the launcher's command line, and all that the launcher itself says when the program fails",
    )
    add("--version", action="store_true", help="the version of Kumihimo")
    return one


def main(arguments):
    try:
        return run(launch_line.parse(arguments))
    except (Failure, launch_line.UsageError, preload.Missing) as error:
        print(f"xmprun: {error}", file=sys.stderr)
        return getattr(error, "code", 2)


def run(line):
    if line.help:
        parser().print_help()
        return 0
    if line.version:
        print(command_line.version("xmprun"))
        return 0
    elsewhere = line.has_option(*ELSEWHERE)
    for part in line.parts:
        if not part.program:
            raise Failure("no program given: xmprun -n N program [arguments]")
        if not elsewhere:
            part.program[0] = find_program(part.program[0])
    launcher = choose_launcher(line.launcher)
    if line.nodes is None and launcher != "srun":
        raise Failure(f"on how many nodes? Give -n: xmprun -n 4 {' '.join(line.parts[0].program)}")
    family = choose_family(line)
    if line.io:
        os.environ["KUMIHIMO_IO"] = line.rules or os.environ.get("KUMIHIMO_IO") or preload.ALL_FILES
    if line.collective_rules:
        os.environ["KUMIHIMO_COLL_TUNE"] = line.collective_rules
    if sys.stderr.isatty():  # launchers put a pipe between: programs cannot see it
        os.environ.setdefault("KUMIHIMO_TERMINAL", "1")
    if line.nodes is not None and line.nodes > 1 and not line.show:
        warn_of_copies(line)
    if line.continues and launcher == "mpiexec":
        keep_going(line, family)
    supervised = None
    if launcher == "mpiexec" and not (line.show or line.verbose or line.has_option(*THROUGH_THE_LAUNCHER)):
        supervised = supervision.make(OWN_STREAMS[family], patience() > 0 and not line.continues)
    if supervised:
        for part in line.parts:
            part.program = [*supervised.words(), *part.program]
    command, settings = (srun_command if launcher == "srun" else mpiexec_command)(line, family)
    if line.show:
        launching.show(command, settings)
        return 0
    if line.verbose:
        print(f"xmprun: {launching.shown(command, settings)}", file=sys.stderr)
    try:
        if supervised:
            return conclude(supervised, *supervised.run(command, settings), line.nodes)
        launching.become(command, settings)
    except OSError as error:
        raise Failure(f"cannot run the launcher {command[0]}: {error.strerror}", 127) from None


# Open MPI's --enable-recovery will not do: mpiexec then hears of one failure only from each machine, waits for the others for
# ever, drops what they wrote last, and lets the job go on after MPI_Abort. MPICH over UCX aborts where a process dies in the
# midst of the handshake that long messages begin with: so none has one.
KEEPING = {
    "openmpi": {"OMPI_MCA_orte_allowed_exit_without_sync": "1", "PRTE_MCA_prte_allowed_exit_without_sync": "1"},
    "mpich": {"UCX_RNDV_THRESH": "inf"},
}


def keep_going(line, family):
    """The launcher lets the other processes go on when one dies, since it does not come to know."""
    line.parts[0].options[:0] = ["-disable-auto-cleanup"] if family == "mpich" else []
    for part in line.parts:
        part.program = [os.path.join(configuration.LIBRARIES, "kumihimo-keeper"), *part.program]  # keeper.c


def conclude(supervised, code, handed_on, nodes):
    """The exit code, after a line about what ended. What the launcher said is shown where it may be the only explanation."""
    if supervised.given_up:
        print("xmprun: the launcher was ended: it waited for a machine that does not answer", file=sys.stderr)
        return 1
    if code < 0:  # as the launcher itself ended
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    ranks = supervised.ranks()
    told = launcher_text.ending(supervised.kept(), ranks)
    if code == 0 or not (told or len(ranks) == nodes):
        print(supervised.kept(), end="", file=sys.stderr)
    failure = supervised.failure
    if failure is not None:
        if failure.errno != errno.EPIPE:
            print(f"xmprun: write error: {failure.strerror}", file=sys.stderr)
        return code or (141 if failure.errno == errno.EPIPE else 1)
    if code != 0 and ranks and handed_on is None:
        own_line = "" if supervised.last == b"\n" else "\n"
        print(f"{own_line}xmprun: {launcher_text.statement(told, code)}", file=sys.stderr)
    return code


def find_program(name):
    """The program as the launcher finds it too, with exit codes as in a shell."""
    if os.sep not in name:
        found = shutil.which(name)
        if found:
            return found
        if not os.path.exists(name):
            raise Failure(f"program not found: {name} (neither in PATH nor in this directory)", 127)
        name = os.path.join(os.curdir, name)
    if not os.path.exists(name):
        raise Failure(f"program not found: {name}", 127)
    if os.path.isdir(name):
        raise Failure(f"{name} is a directory, not a program", 126)
    if not os.access(name, os.X_OK):
        raise Failure(f"{name} may not be executed (chmod +x, or is it a source file? compile it with xmpcc)", 126)
    return name


# ---- The MPI family ----


def choose_family(line):
    """The programs' own family. An explicit wish for another one is refused: the program would run as N copies of node 0."""
    wish, source = (line.family, "--mpi") if line.family else (os.environ.get("KUMIHIMO_MPI") or None, "KUMIHIMO_MPI")
    if wish is not None and wish not in configuration.FAMILIES:
        raise Failure(f"{source}: this installation knows no MPI family '{wish}'; it has: {', '.join(configuration.FAMILIES)}")
    chosen, origin = wish, source
    for part in line.parts:
        family, evidence, program = family_of_words(part.program)
        if family is None:
            continue
        if family not in configuration.FAMILIES:
            raise Failure(
                f"{program} was built for {family} ({evidence}); this installation has {', '.join(configuration.FAMILIES)}.\n"
                f"  {ADVICE_INSTALL}, or compile the program again with xmpcc."
            )
        if chosen is not None and family != chosen:
            raise Failure(
                f"{program} was built for {family} ({evidence}), but {origin} is for {chosen}: "
                "started by the wrong MPI, it would run as separate copies of node 0.\n"
                f"  Run it with --mpi={family}, or compile it again: xmpcc --mpi={chosen}"
            )
        chosen, origin = family, program
    return chosen or configuration.DEFAULT_FAMILY


def family_of_words(words):
    """Of the program itself, or of the first program among its arguments (valgrind ./a.out, env X=1 ./a.out)."""
    for word in words:
        if os.path.isfile(word):
            family, evidence = elf.family_of(word, configuration.FAMILIES)
            if family:
                return family, evidence, word
    return None, None, None


def warn_of_copies(line):
    """A program compiled without MPI runs, but its processes do not know of each other. Commands of the system are meant so."""
    for part in line.parts:
        program = part.program[0]
        system = os.path.dirname(os.path.realpath(program)) in SYSTEM_DIRECTORIES
        if not system and family_of_words(part.program)[0] is None and elf.surely_without_mpi(program):
            print(
                f"xmprun: warning: {program} uses no MPI library: its {part.nodes} copies run each by itself\n"
                "  Was it compiled by another compiler than xmpcc, or has it no directives?",
                file=sys.stderr,
            )


# ---- The launcher ----


def choose_launcher(wish):
    wish = wish or os.environ.get("KUMIHIMO_LAUNCHER") or "auto"
    if wish not in ("auto", "mpiexec", "srun"):
        raise Failure(f"unknown launcher '{wish}': mpiexec, srun or auto")
    if wish == "auto":
        return "srun" if os.environ.get("SLURM_JOB_ID") and shutil.which("srun") else "mpiexec"
    return wish


def preloaded(line, family):
    """LD_PRELOAD of the ranks; None where the user asks for no library of ours."""
    names = [preload.IO] * line.io + [preload.COLLECTIVES] * line.collectives
    return preload.value(family, os.environ.get("LD_PRELOAD"), names) if names else None


def mpiexec_command(line, family):
    """(command, environment): the environment rather than options, so that what the user gives wins."""
    launcher = configuration.FAMILIES[family]["mpiexec"] or "mpiexec"
    crowded = line.nodes > len(os.sched_getaffinity(0))
    settings = {}
    text = preloaded(line, family)
    if family == "openmpi":
        settings = {**OPEN_MPI_ENVIRONMENT, **(OPEN_MPI_CROWDED if crowded else {}), **open_mpi_patience()}
    settings.update(KEEPING.get(family, {}) if line.continues else {})
    settings = {name: value for name, value in settings.items() if name not in os.environ}
    command = [launcher]
    for number, part in enumerate(line.parts):
        command += [":"] if number else []
        command += ["-n", str(part.nodes), *part.options]
        command += preload.mpiexec_options(family, text, [*line.parts[0].options, *part.options])  # global options stand first
        command += part.program
    return command, settings


def srun_command(line, family):
    if len(line.parts) > 1:
        raise Failure("several programs with `:` need --launcher=mpiexec; srun takes --multi-prog instead")
    part = line.parts[0]
    command = ["srun"]
    interface = srun_interface(family)
    command += [f"--mpi={interface}"] if interface else []
    if part.nodes is not None:
        command += ["-n", str(part.nodes)]
        if part.nodes > int(os.environ.get("SLURM_NTASKS") or part.nodes):
            command.append("--overcommit")
    command += ["--no-kill", "--kill-on-bad-exit=0"] if line.continues else []
    options = preload.srun_options(part.options, preloaded(line, family))
    return command + options + part.program, {}


def srun_interface(family):
    """Which of srun's process-management interfaces this MPI speaks, if srun has it."""
    import subprocess

    listing = subprocess.run(["srun", "--mpi=list"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    offered = listing.stdout.decode(errors="replace").replace(",", " ").split()
    wanted = ("pmix", "pmi2") if family == "openmpi" else ("pmi2", "pmix")
    return next((name for name in wanted if name in offered), None)
