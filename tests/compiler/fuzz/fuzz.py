#!/usr/bin/env python3
"""Translates mutated programs in this process and reports all that is no translation and no diagnostic.

tests/compiler/fuzz/fuzz.py --count 100000 --seed 7 --keep /tmp/found
tests/compiler/fuzz/fuzz.py --seed 7 --only 4711 --keep /tmp/found      (that one again)"""

import argparse
import collections
import pathlib
import random
import sys
import tempfile
import time
import types

if "kumihimo" not in sys.modules:  # started by hand: the rooms of this checkout are the package
    package = types.ModuleType("kumihimo")
    package.__path__ = [str(pathlib.Path(__file__).resolve().parents[3])]
    sys.modules["kumihimo"] = package
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from mutations import Corpus
from translation import ROOT, sources, wrong_with

FORTRAN_SHARE = 0.5  # of the mutations: each is translated ten times as fast


class Fuzzer:
    """Mutation `number` of a seed is the same text whatever was tried before it."""

    def __init__(self, seed, directory, seconds=10, share=FORTRAN_SHARE):
        c, fortran = sources()
        self.corpora = Corpus(fortran, "!$xmp "), Corpus(c, "#pragma xmp ")
        self.seed, self.directory, self.seconds, self.share = seed, pathlib.Path(directory), seconds, share
        self.slowest = (0, "")

    def mutate(self, number):
        """(path of the mutated file, the source that it comes from, what was done to it)."""
        draw = random.Random(f"{self.seed} {number}")
        corpus = self.corpora[draw.random() >= self.share]
        name, mutations, data = corpus.mutated(draw)
        path = self.directory / f"mutation-{number}{pathlib.Path(name).suffix}"
        path.write_bytes(data)
        return path, name, mutations

    def attempt(self, number):
        """None, or (kind of mistake, everything about it); the file stays only then."""
        path, name, mutations = self.mutate(number)
        begin = time.process_time()
        wrong = wrong_with(path, self.seconds, (ROOT / name).parent)
        self.slowest = max(self.slowest, (time.process_time() - begin, f"{number}: {name}, {' '.join(mutations)}"))
        if wrong is None:
            path.unlink()
            return None
        return wrong[0], f"--seed {self.seed} --only {number}: {name}, {' '.join(mutations)}: {wrong[0]}\n{wrong[1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutation")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--only", type=int, help="one number")
    parser.add_argument("--keep", help="directory for the files that fail")
    parser.add_argument("--seconds", type=float, default=10, help="processor time for one file")
    parser.add_argument("--fortran", type=float, default=FORTRAN_SHARE, help="share of Fortran in the mutations")
    given = parser.parse_args()
    directory = given.keep or tempfile.mkdtemp(prefix="xmp-fuzz-")
    pathlib.Path(directory).mkdir(parents=True, exist_ok=True)
    numbers = range(given.first, given.first + given.count) if given.only is None else [given.only]
    print(f"seed {given.seed}, files that fail: {directory}", flush=True)
    fuzzer, kinds, begin = Fuzzer(given.seed, directory, given.seconds, given.fortran), collections.Counter(), time.monotonic()
    for done, number in enumerate(numbers, 1):
        wrong = fuzzer.attempt(number)
        if wrong:
            kinds[wrong[0]] += 1
            if kinds[wrong[0]] == 1:
                print(wrong[1], flush=True)
        if done % 1000 == 0:
            print(f"{done} in {time.monotonic() - begin:.0f} s, {sum(kinds.values())} wrong", flush=True)
    print(f"{len(numbers)} mutations in {time.monotonic() - begin:.0f} s; the slowest: {fuzzer.slowest}")
    for kind, count in kinds.most_common():
        print(f"{count:6} {kind}")
    return bool(kinds)


if __name__ == "__main__":
    sys.exit(main())
