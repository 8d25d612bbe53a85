#!/usr/bin/env python3
"""Takes one reflect, or one width of a reflect, out of each of many right programs, and counts how many of them
`xmpcc --check` finds when they run, with the line of the read and of the write. Or one reduction clause: then xmpcc
tells at the loop that its sum is each node's own (XMP-W165), and of no other loop.

tests/compiler/random/missing_reflects.py --count 100 --seed 7
tests/compiler/random/missing_reflects.py --widths --count 100 --seed 7
tests/compiler/random/missing_reflects.py --reductions --count 100 --seed 7"""

import argparse
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

from mistakes import mistakes_of, narrowed_of, program_of, unreduced_of
from trials import ROOT, output_of


def seeded(make, seed, count, nodes):
    """Mistakes of cases 0, 1, ... that make a difference on so many nodes."""
    found, number = [], 0
    while len(found) < count:
        found += [mistake for mistake in make(seed, number) if mistake.findings(nodes, 1)]
        number += 1
    return found[:count]


def compiled(build, directory, mistakes):
    """(the program, where each case begins in it)"""
    text, first = program_of([mistake.case for mistake in mistakes])
    (directory / "mistakes.c").write_text(text)
    output_of([build / "bin" / "xmpcc", "--check", "-O0", "-o", "mistakes", "mistakes.c"], directory)
    return directory / "mistakes", first


def run_case(program, number, nodes):
    command = [ROOT / "cmake" / "mpirun-test", "openmpi", nodes, program, number]
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=program.parent, capture_output=True, text=True, timeout=300, check=False)


def told(program, number, nodes):
    """What the running program says of a mistake: (line of the read, line of the write or None), else its output."""
    done = run_case(program, number, nodes)
    read = re.search(r"^  at mistakes.c:(\d+): ", done.stderr, re.M)
    write = re.search(r"^    written at mistakes.c:(\d+): ", done.stderr, re.M)
    if read is None or (write is None and "lies beyond the end" not in done.stderr):
        return done.stderr[:500] or "no finding"
    return int(read.group(1)), write and int(write.group(1))


def missed(build, directory, seed, count, nodes, make=mistakes_of):
    """Descriptions of the mistakes that are not found, or found elsewhere."""
    mistakes = seeded(make, seed, count, nodes)
    program, first = compiled(build, directory, mistakes)
    wrong = []
    for number, mistake in enumerate(mistakes):
        expected, found = mistake.findings(nodes, first[number]), told(program, number, nodes)
        right = found in expected or (found[1] is None and any(found[0] == read for read, _ in expected))
        if not right:
            wrong.append(f"mistake {number}: {found} instead of one of {sorted(expected)}")
    return wrong


def untold(build, directory, seed, count):
    """Descriptions of missing reduction clauses that xmpcc says nothing of, and of right loops that it warns of."""
    mistakes = list(itertools.islice((m for number in itertools.count() for m in unreduced_of(seed, number)), count))
    text, first = program_of([mistake.case for mistake in mistakes])
    (directory / "unreduced.c").write_text(text)
    command = [str(build / "bin" / "xmpcc"), "-O0", "-c", "unreduced.c"]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=300, check=True)
    told = {int(line) for line in re.findall(r"^unreduced.c:(\d+):.*\[XMP-W165\]", done.stderr, re.M)}
    wrong, right = [], set()
    for number, (mistake, line) in enumerate(zip(mistakes, first)):
        begin, end = mistake.lines(line)
        found = {line for line in told if begin <= line <= end}
        right |= found
        if not found:
            wrong.append(f"mistake {number}: nothing is told of lines {begin} to {end}")
    return wrong + [f"line {line}: a warning of a right loop" for line in sorted(told - right)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--widths", action="store_true", help="leave out widths, not whole reflects")
    parser.add_argument("--reductions", action="store_true", help="leave out reduction clauses")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--keep", type=pathlib.Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        directory = given.keep or pathlib.Path(temporary)
        if given.reductions:
            wrong = untold(given.build.resolve(), directory, given.seed, given.count)
        else:
            make = narrowed_of if given.widths else mistakes_of
            wrong = missed(given.build.resolve(), directory, given.seed, given.count, given.nodes, make)
    print("\n".join([*wrong, f"seed {given.seed}, {given.nodes} nodes: {given.count - len(wrong)} of {given.count} found"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
