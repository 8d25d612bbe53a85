#!/usr/bin/env python3
"""Compiles and runs random programs on several numbers of nodes and compares them with their serial meaning.

tests/compiler/random/random_programs.py --count 10000 --seed 7 --keep /tmp/random
tests/compiler/random/random_programs.py --seed 7 --only 4711 --keep /tmp/random      (that one again)
tests/compiler/random/random_programs.py --language fortran --form fixed --count 1000 --keep /tmp/random"""

import argparse
import pathlib
import shutil
import sys
import tempfile

from trials import ROOT, FortranTrial, Trial, differences_of


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", type=int, help="this case alone")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--batch", type=int, default=100, help="cases in one program")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 2, 3, 4, 7, 8])
    parser.add_argument("--language", choices=("c", "fortran"), default="c")
    parser.add_argument("--form", choices=("free", "fixed"), default="free", help="of Fortran's parallel programs")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--options", default="", help="of the compiler: --options=-O0")
    parser.add_argument("--check", action="store_true", help="with --check: there must be no finding")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--keep", type=pathlib.Path, help="where programs that fail stay")
    given = parser.parse_args()
    batches = [[given.only]] if given.only is not None else batches_of(given.first, given.count, given.batch)
    failed = 0
    for numbers in batches:
        wrong = wrong_with(given, numbers)
        failed += bool(wrong)
        print(f"seed {given.seed}, cases {numbers[0]} to {numbers[-1]}: {'wrong' if wrong else 'right'}", flush=True)
        print("".join(f"  {line}\n" for line in wrong[:10]), end="", flush=True)
    return 1 if failed else 0


def batches_of(first, count, size):
    return [range(start, min(start + size, first + count)) for start in range(first, first + count, size)]


def wrong_with(given, numbers):
    """What is wrong with some cases; their directory stays only then."""
    directory = pathlib.Path(given.keep or tempfile.gettempdir()) / f"random-{given.seed}-{numbers[0]}"
    options, build = [*given.options.split(), *(["--check"] if given.check else [])], given.build.resolve()

    def trial_of(some):
        about = (build, directory / f"{some[0]}-{some[-1]}", given.seed, some, options, given.mpi)
        return Trial(*about) if given.language == "c" else FortranTrial(*about, form=given.form)

    wrong = differences_of(trial_of, numbers, given.nodes)
    if not wrong or not given.keep:
        shutil.rmtree(directory)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
