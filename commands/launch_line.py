"""The command line of xmprun: mpiexec's. Finds the program and the number of nodes; what else is before it is passed on."""

import re

# Options of mpiexec (both families) and srun that take following words; every other option is taken to be complete.
_ONE = """-x -host --host -H -hosts -f -hostfile --hostfile -machinefile --machinefile -wdir --wdir -wd -path --path
-map-by --map-by -bind-to --bind-to -rank-by --rank-by -ppn -N -npernode --npernode -npersocket --npersocket -envlist -genvlist
-launcher -launcher-exec -iface -membind -rmk -demux -topolib -outfile-pattern -errfile-pattern -prepend-pattern
-output-filename --output-filename -timeout --timeout -stdin --stdin -prefix --prefix -rankfile --rankfile -rf -am
-tune --tune -cpu-set --cpu-set -cpu-list --cpu-list -p --partition -A --account -t --time -w --nodelist
--tasks-per-node""".split()
_TWO = "-mca --mca -gmca --gmca -genv -env -pmca --pmca".split()
OPERANDS = {**dict.fromkeys(_ONE, 1), **dict.fromkeys(_TWO, 2)}
_COUNT = ("-n", "-np", "--n", "--np", "-c", "--ntasks")


class UsageError(Exception):
    pass


class Part:
    """One program of the job (several with `:`)."""

    def __init__(self):
        self.nodes = None
        self.options = []  # for the launcher
        self.program = []  # and its arguments


class LaunchLine:
    def __init__(self):
        self.parts = []
        self.family = None
        self.launcher = None
        self.rules = self.collective_rules = None
        self.io = self.collectives = self.continues = self.show = self.verbose = self.help = self.version = False

    @property
    def nodes(self):
        """All nodes of the job; None where the launcher is left to decide."""
        counts = [part.nodes for part in self.parts]
        return None if None in counts else sum(counts)

    def has_option(self, *names):
        return any(option.split("=")[0] in names for part in self.parts for option in part.options)


def parse(arguments):
    line = LaunchLine()
    for words in _parts(arguments):
        part = Part()
        line.parts.append(part)
        _parse_part(line, part, words)
    return line


def _parts(arguments):
    start = 0
    for position, word in enumerate(arguments):
        if word == ":":
            yield arguments[start:position]
            start = position + 1
    yield arguments[start:]


def _parse_part(line, part, words):
    position = 0

    def operand():
        nonlocal position
        position += 1
        if position >= len(words):
            raise UsageError(f"missing operand after '{words[position - 1]}'")
        return words[position]

    while position < len(words) and words[position].startswith("-"):
        word = words[position]
        if word in _COUNT:
            part.nodes = _node_count(word, operand())
        elif re.fullmatch(r"-n[0-9]+", word):  # as srun has it
            part.nodes = _node_count("-n", word[2:])
        elif word.startswith("--ntasks="):
            part.nodes = _node_count("--ntasks", word.split("=", 1)[1])
        elif word in ("--mpi", "--launcher"):
            setattr(line, "family" if word == "--mpi" else "launcher", operand())
        elif word.startswith("--mpi="):
            line.family = word.split("=", 1)[1]
        elif word.startswith("--launcher="):
            line.launcher = word.split("=", 1)[1]
        elif word == "--io" or word.startswith("--io="):
            line.io, line.rules = True, word[len("--io=") :] or line.rules
        elif word == "--coll" or word.startswith("--coll="):
            line.collectives, line.collective_rules = True, word[len("--coll=") :] or line.collective_rules
        elif word == "--continue-after-failure":
            line.continues = True
        elif word in ("-show", "--show"):
            line.show = True
        elif word in ("-v", "--verbose"):
            line.verbose = True
        elif word in ("-h", "--help"):
            line.help = True
        elif word in ("-V", "--version"):
            line.version = True
        elif word == "--":
            position += 1
            break
        else:
            part.options.append(word)
            part.options += [operand() for _ in range(OPERANDS.get(word, 0))]
        position += 1
    part.program = words[position:]


def _node_count(option, text):
    if not re.fullmatch(r"[0-9]{1,18}", text) or int(text) == 0:
        raise UsageError(f"{option} {text}: the number of nodes must be a positive whole number")
    return int(text)
