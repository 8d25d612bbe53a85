"""How fast and with how much memory the simulator's engine runs (docs/explanation/simulator-accuracy.md, "Speed and memory").

    python3 bench/simulate.py [--quick | --long | --longest] [--only OPERATION] [--study PROGRAM]

Each case is a process of its own: its seconds of processor time and the most memory that it had, beside the goal. Of what is
shortened or sampled only the messages that were simulated count.
--long: vectors of 256 MiB, which take minutes each, in place of the others. --longest: these on all 82,944 nodes, with
as little work space as the K computer's library has if nothing else is said.
--study: an engine that takes `OPERATION BYTES SEGMENT SHAPE OVERHEAD OVERHEAD`, and prints "[N msgs"; Bcast is run by it, too.
"""

import argparse
import json
import os
import re
import subprocess
import sys

import developers  # noqa: F401  (finds the package)
from kumihimo import configuration
from kumihimo.simulator.suite.engine import machine_path

# name, operation, algorithm, shape, nodes, bytes, seconds and MiB that it may take (None: reported only)
LARGE, MEDIUM, SMALL = ("48x54x32", "24x18x16"), ("48x12x32", "24x4x16"), ("16x6x32", "8x2x16")
CASES = (
    ("Allreduce of 8 B, 82,944 nodes", "Allreduce", "tree3", LARGE, 8, 60, 4096),
    ("Allreduce of 1 MiB, 82,944 nodes", "Allreduce", "tree3", LARGE, 1 << 20, 60, 4096),
    ("Barrier, 82,944 nodes", "Barrier", "dissemination", LARGE, 0, 10, None),
    ("Bcast of 1 MiB, 18,432 nodes", "Bcast", "tree3", MEDIUM, 1 << 20, 2, 256),
    ("Alltoall of 64 KiB, 3,072 nodes", "Alltoall", "torus", SMALL, 64 << 10, 30, None),
    ("Alltoall of 64 KiB, 18,432 nodes, sampled", "Alltoall", "torus", MEDIUM, 64 << 10, 120, None),
)
LONG = (
    ("Bcast of 256 MiB, 18,432 nodes", "Bcast", "tree3", MEDIUM, 256 << 20, 300, 4096),
    ("Reduce of 256 MiB, 18,432 nodes", "Reduce", "tree3", MEDIUM, 256 << 20, 300, 4096),
    ("Allreduce of 256 MiB, 18,432 nodes", "Allreduce", "tree3", MEDIUM, 256 << 20, 300, 4096),
)
LONGEST = tuple(
    (f"{operation} of 256 MiB, 82,944 nodes", operation, "tree3", LARGE, 256 << 20, None, None)
    for operation in ("Bcast", "Reduce", "Allreduce")
)
SETTINGS = {"segment": "16 KiB", "work_space": "6 MiB"}
LONG_SETTINGS = {"segment": "16 KiB", "work_space": "600 MiB"}


def timed(command, given):
    """What it prints, its seconds of processor time, and its peak of memory in MiB."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdin.write(given)
    process.stdin.close()
    printed = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]} ended with code {process.returncode}")
    return printed, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measured(operation, algorithm, where, size, settings):
    """Messages that were simulated, seconds, MiB."""
    shape, nodes = where
    question = {"ask": "run", "machine": machine_path("k-computer"), "operation": operation, "algorithm": algorithm}
    question.update({"shape": shape, "nodes": nodes, "bytes": size, "set": settings})
    program = os.path.join(configuration.LIBRARIES, "kumihimo-simulate")
    printed, seconds, memory = timed([program], json.dumps(question) + "\n")
    answer = json.loads(printed)
    return round(answer["messages"] * answer["simulated"]), seconds, memory


def cases_of(options):
    cases = LONGEST if options.longest else LONG if options.long else CASES
    return [case for case in cases if not (options.quick and case[3] == LARGE) and options.only in ("", case[1])]


def row(name, messages, seconds, memory, most_seconds, most_memory):
    goal = f"{most_seconds} s" + (f", {most_memory} MiB" if most_memory else "") if most_seconds else "-"
    return f"| {name} | {messages:,} | {seconds:.2f} | {memory:.0f} | {messages / seconds / 1e6:.2f} | {goal} |"


def study(program):
    """The throwaway engine of the first study, on the same Bcast."""
    printed, seconds, memory = timed([program, "bcast", str(1 << 20), str(16 << 10), MEDIUM[0], "1e-6", "1e-6"], "")
    return int(re.search(r"\[(\d+) msgs", printed)[1]), seconds, memory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cases = parser.add_mutually_exclusive_group()
    cases.add_argument("--quick", action="store_true", help="no more than 18,432 nodes")
    cases.add_argument("--long", action="store_true", help="vectors of 256 MiB instead")
    cases.add_argument("--longest", action="store_true", help="these on all nodes")
    parser.add_argument("--only", metavar="OPERATION", default="", help="cases of one operation")
    parser.add_argument("--study", metavar="PROGRAM", help="another engine, beside ours")
    parser.add_argument("--build", help="the build directory; default KUMIHIMO_BUILD, else build")
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}\n")
    print("| what | messages | s | MiB | million messages a second | goal |\n|---|---|---|---|---|---|")
    missed = False
    settings = LONG_SETTINGS if options.long else SETTINGS
    for name, operation, algorithm, where, size, most_seconds, most_memory in cases_of(options):
        messages, seconds, memory = measured(operation, algorithm, where, size, settings)
        missed |= bool(most_seconds and seconds > most_seconds or most_memory and memory > most_memory)
        print(row(name, messages, seconds, memory, most_seconds, most_memory), flush=True)
    if options.study:
        print(row("Bcast by the study's engine", *study(options.study), None, None))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
