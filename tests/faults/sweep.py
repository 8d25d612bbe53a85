#!/usr/bin/env python3
"""Fails the k-th call, for all k, in every pattern of access, and counts what becomes of it.

sweep.py --library ours --ranks 4                     all cases
sweep.py --library ompio --most 40 --sample 500       at most the first 40 calls of a kind; a sample of the cases
sweep.py --library ours --only 'write interleaved' --fault write:error=EIO --show
sweep.py --library stampi --sample 500                the calls of the service on the other machine fail"""

import argparse
import collections
import dataclasses
import json
import os
import pathlib
import random
import shlex
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cases as all_cases
import judge
import launch

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Sweep:
    def __init__(self, library, build, ranks, directory, limit=8.0, log=None):
        self.library, self.build, self.ranks, self.limit = library, build, ranks, limit
        self.directory = pathlib.Path(directory)
        self.log = log or open(os.devnull, "w")
        self.patterns = all_cases.PATTERNS
        self.broken = []

    def path(self, case):
        return self.directory / f"case-{case.number}.dat"

    def run(self, cases):
        """Yields (case, verdict, reason, injected, results)."""
        for block in range(0, len(cases), 500):  # so many files at a time
            yield from self.run_block(cases[block : block + 500])

    def run_block(self, cases):
        for case in cases:
            if case.pattern[0] == "read":
                self.path(case).write_bytes(judge.content(self.ranks))
        named = self.begin(cases)
        told = launch.run_cases(self.library, self.build, self.ranks, cases, self.directory, self.limit, self.log, named)
        for outcome in told:
            case = outcome.case
            verdict, reason = judge.judge(case, outcome, self.path(case))
            yield case, verdict, reason, outcome.end != "finished" or self.injected(outcome), outcome.results
            for left in self.directory.glob(f"*case-{case.number}.dat*"):
                left.unlink()

    def begin(self, cases):
        """How ranks call the directory of the files."""
        return self.directory

    def injected(self, outcome):
        return any(result["injected"] for result in outcome.results)

    def count(self):
        """Runs every pattern without a fault. How many calls of each kind each rank makes; patterns that fail are left out."""
        counts = {}
        for case, verdict, reason, _, results in self.run(all_cases.fault_free(self.patterns)):
            if verdict == "handled" and not reason:
                counts[case.pattern] = [result["counts"] for result in results]
            else:
                self.broken.append(f"{' '.join(case.pattern)}: {verdict} without a fault {reason}")
        report = self.directory / "report"
        if self.library.preload and not (report.exists() and "case-0.dat" in report.read_text()):
            raise RuntimeError(f"{self.library.preload[0]} did not serve the files: see {self.directory}/log")
        return counts

    def cases(self, most=None, sample=None, seed=1, only="", fault=""):
        found = all_cases.sweep(self.count(), most)
        found = [case for case in found if only in case.line and fault in f"{case.kind}:{case.fault}"]
        if sample and sample < len(found):
            found = sorted(random.Random(seed).sample(found, sample), key=lambda case: case.number)
        return found


class Elsewhere(Sweep):
    """The calls that fail are those of the service on the other machine, one process for each file. It knows the case by the
    name of the file, so that the rules of all cases are armed at once. Nobody counts its calls: cases are guessed, and its log
    says which had the call."""

    CALLS = {"open": 4, "read": 16, "write": 16, "sync": 2, "close": 4, "truncate": 1, "allocate": 1, "size": 6}

    def begin(self, cases):
        rules = ";".join(
            f"path=*/case-{case.number}.dat,call={case.kind},k={case.k},{case.fault}" for case in cases if case.kind
        )
        armed = f"LD_PRELOAD={self.build}/lib/libkumihimo_faults.so KUMIHIMO_FAULTS={shlex.quote(rules)}"
        served = f"env {armed} {self.build}/lib/kumihimo-iod --stdio 2>>{self.directory}/injected"
        (self.directory / "service").write_text(f"#!/bin/sh\nexec {served}\n")
        (self.directory / "service").chmod(0o755)
        (self.directory / "injected").touch()
        settings = {"KUMIHIMO_STAMPI_COMMAND": f"{self.directory}/service", "KUMIHIMO_IOD": f"{self.build}/lib/kumihimo-iod"}
        self.library = dataclasses.replace(self.library, environment={**self.library.environment, **settings})
        return f"stampi://elsewhere{self.directory}"

    def injected(self, outcome):
        return f"case-{outcome.case.number}.dat" in (self.directory / "injected").read_text()

    def count(self):
        """The patterns that work without a fault."""
        sound = super().count()
        return {pattern: [self.CALLS] for pattern in sound}


def sweep_of(name, *arguments, **options):
    return (Elsewhere if name.startswith("stampi") else Sweep)(launch.LIBRARIES[name], *arguments, **options)


def table(verdicts):
    """Lines of a Markdown table: one for each kind of call and fault."""
    rows = sorted({key[:2] for key in verdicts})
    lines = ["| call | fault | cases | " + " | ".join(judge.VERDICTS) + " |", "|---" * (3 + len(judge.VERDICTS)) + "|"]
    for row in [*rows, ("all", "")]:
        numbers = [
            sum(n for key, n in verdicts.items() if key[2] == verdict and row in (key[:2], ("all", "")))
            for verdict in judge.VERDICTS
        ]
        lines.append(f"| {row[0]} | {row[1]} | {sum(numbers)} | " + " | ".join(map(str, numbers)) + " |")
    return lines


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", choices=launch.LIBRARIES, default="ours")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--build", default=os.environ.get("KUMIHIMO_BUILD") or ROOT / "build")
    parser.add_argument("--limit", type=float, default=8.0, help="seconds without news that make a hang")
    parser.add_argument("--most", type=int, help="only the first so many calls of each kind")
    parser.add_argument("--sample", type=int, help="only so many cases, chosen by --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only cases whose line contains this")
    parser.add_argument("--fault", default="", help="only faults that contain this, such as write:error=EIO")
    parser.add_argument("--show", action="store_true", help="print each case and what each rank was told")
    parser.add_argument("--directory", help="where the files are made (default: a new one under TMPDIR)")
    return parser.parse_args()


def main():
    options = arguments()
    directory = pathlib.Path(tempfile.mkdtemp(prefix="kumihimo-faults-", dir=options.directory))
    verdicts, missed = collections.Counter(), 0
    with open(directory / "log", "w") as log:
        sweep = sweep_of(options.library, options.build, options.ranks, directory, options.limit, log)
        cases = sweep.cases(options.most, options.sample, options.seed, options.only, options.fault)
        for case, verdict, reason, injected, results in sweep.run(cases):
            missed += not injected
            verdicts[case.kind, case.fault, verdict] += injected
            if options.show or verdict != "handled":
                print(f"{verdict}: {case.line}: {reason}", flush=True)
            if options.show:
                print(json.dumps(results))
    print("\n".join([*sweep.broken, *table(verdicts)]))
    print(f"{options.library}, {options.ranks} ranks: {len(cases)} cases, {missed} of them without the call that should fail")
    shutil.rmtree(directory)
    return bool(sweep.broken) or any(key[2] != "handled" for key, number in verdicts.items() if number)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as problem:
        sys.exit(f"sweep.py: {problem}")
