#!/usr/bin/env python3
"""Takes one synchronisation of all images out of each of many right programs of coarrays, and counts how many races
`xmpcc --check` finds when they run, with the lines of both uses.

tests/compiler/random/missing_barriers.py --count 100 --seed 7"""

import argparse
import pathlib
import re
import sys
import tempfile

from missing_reflects import run_case
from phases import PhasedCase, program_of
from trials import ROOT, output_of


def seeded(seed, count):
    found, number = [], 0
    while len(found) < count:
        found += [(PhasedCase(seed, number), which) for which in PhasedCase(seed, number).mistakes()]
        number += 1
    return found[:count]


def compiled(build, directory, cases):
    text, first = program_of(cases)
    (directory / "phases.c").write_text(text)
    output_of([build / "bin" / "xmpcc", "--check", "-O0", "-o", "phases", "phases.c"], directory)
    return directory / "phases", first


def missed(build, directory, seed, count, nodes):
    """Descriptions of the mistakes that are not found, or found elsewhere."""
    mistakes = seeded(seed, count)
    program, first = compiled(build, directory, mistakes)
    wrong = []
    for number, (case, without) in enumerate(mistakes):
        errors = run_case(program, number, nodes).stderr
        told = frozenset(int(line) for line in re.findall(r"^    (?:read|written) by image .*?:(\d+): ", errors, re.M))
        if told not in case.findings(without, first[number]):
            wrong.append(f"mistake {number}: {errors[:500] or 'no finding'}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        wrong = missed(given.build.resolve(), pathlib.Path(directory), given.seed, given.count, given.nodes)
    print("\n".join([*wrong, f"seed {given.seed}, {given.nodes} nodes: {given.count - len(wrong)} of {given.count} found"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
