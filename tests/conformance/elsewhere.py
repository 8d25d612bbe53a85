#!/usr/bin/env python3
"""Conformance of files on another machine: programs of other projects, unmodified, on files named stampi://HOST/path.

    python3 tests/conformance/elsewhere.py mpich DIRECTORY       MPICH's sources: test/mpi/io, test/mpi/errors/io, ROMIO's tests
    python3 tests/conformance/elsewhere.py pnetcdf DIRECTORY     PnetCDF's: test/testcases, test/nonblocking, test/C
    python3 tests/conformance/elsewhere.py hdf5 DIRECTORY        HDF5's: testpar
    python3 tests/conformance/elsewhere.py npb DIRECTORY         NPB 3.3-MPI: BT-IO, full and simple
    python3 tests/conformance/elsewhere.py ior DIRECTORY         IOR

DIRECTORY is the user's copy of the sources, in which nothing is written. The programs run on one host of namespaces, and their
files are on another one, behind its sshd (tests/cluster/hosts.py; takes root). A program passes if it ends with 0, prints what
its suite prints then, and the report says that the engine stampi served its files. Results: docs/reference/conformance.md.
"""

import argparse
import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from file_suites import REPOSITORY, SUITES

sys.path[:0] = [str(REPOSITORY / "tests" / "cluster"), str(REPOSITORY / "tests" / "mpiio")]
from hosts import NETWORK, Hosts  # noqa: E402
from sshd import HOST, Sshd  # noqa: E402

NAMES = Path(__file__).with_suffix(".c")
YIELDS = REPOSITORY / "tests" / "yielding_wait.c"
SERVER = "host1"
MISTAKE = re.compile(r".*(?:incorrect data|UNSUCCESSFUL|Found \d+ errors|\*FAILED\*|fail to write).*", re.IGNORECASE)
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}


class Place:
    """A host for the programs, and one for their files."""

    def __init__(self, options, work):
        self.family, self.build, self.alone = options.family, options.build.resolve(), options.alone
        self.limit, self.work = options.timeout, work

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self.hosts = stack.enter_context(Hosts([1]))
            keys = Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/tmp")))  # a socket's name must be short
            self.sshd = stack.enter_context(Sshd(keys, f"{NETWORK}.1", lambda words: self.hosts.words(*words, host=SERVER)))
            with open(keys / "ssh_config", "a") as config:  # as docs/how-to/remote-files.md says for many files
                config.write(f"  ControlMaster auto\n  ControlPath {keys}/%C\n  ControlPersist 60\n")
            self.names, self.yields = (self.library(source, keys) for source in (NAMES, YIELDS))
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def library(self, source, folder):
        made = folder / f"{source.stem}.so"
        subprocess.run([f"mpicc.{self.family}", "-w", "-shared", "-fPIC", "-O1", source, "-o", made, "-ldl"], check=True)
        return made

    def settings(self, report, own_name):
        yields = [str(self.yields)] * (self.family == "mpich")
        if self.alone:
            return {"LD_PRELOAD": ":".join(yields)}
        iod = str(self.build / "lib" / "kumihimo-iod")
        library = str(self.build / "lib" / self.family / "libkumihimo_io.so")
        return {
            "LD_PRELOAD": ":".join([str(self.names)] * own_name + [library] + yields),
            "KUMIHIMO_IOD": iod,
            "KUMIHIMO_STAMPI_IOD": iod,
            "KUMIHIMO_STAMPI_SSH": self.sshd.ssh,
            "KUMIHIMO_IO_REPORT": str(report),
        }

    def run(self, program, ranks):
        """Exit code, output, and the entries of the report."""
        files, report = self.work / "files", self.work / "report"
        shutil.rmtree(files, ignore_errors=True)
        files.mkdir(parents=True)
        report.unlink(missing_ok=True)
        name = f"{files}/file.nc" if self.alone else f"stampi://{HOST}{files}/file.nc"
        first, *rest = shlex.split(program.words.replace("{file}", name))
        pairs = [f"{key}={value}" for key, value in self.settings(report, program.own_name).items()]
        start = ["-launcher", "fork", "-hosts", "localhost"] if self.family == "mpich" else []
        words = ["timeout", "-k", 5, self.limit, f"mpiexec.{self.family}", *start, "-n", ranks, "env", *pairs]
        words = self.hosts.words("env", f"--chdir={files}", *words, (program.folder / first).resolve(), *rest)
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", env=ENVIRONMENT)
        entries = [json.loads(line) for line in report.read_text().splitlines()] if report.exists() else []
        return done.returncode, done.stdout + done.stderr, [entry for entry in entries if "engine" in entry]

    def judge(self, program, code, output, entries):
        """Why it does not pass; empty: it does."""
        wrong = MISTAKE.search(output)
        if code != 0 or wrong or program.says not in output:
            ended = "does not end" if code in (124, 137) else f"exit code {code}"
            return f"{ended}: {wrong[0] if wrong else output.strip()[-600:]}"
        others = {entry["engine"] for entry in entries} - {"stampi"}
        if not self.alone and (others or not entries):
            return f"its files were served by {', '.join(sorted(others)) or 'nobody'}"
        return ""


def make(program, family):
    """What the compiler says, if it fails."""
    for command in program.build:
        told = command.replace("{cc}", f"mpicc.{family}").replace("{fc}", f"mpif90.{family}")
        done = subprocess.run(["sh", "-c", told], cwd=program.folder, capture_output=True, text=True, env=ENVIRONMENT)
        if done.returncode != 0:
            return (done.stdout + done.stderr).strip()[-600:]
    return ""


def examine(program, place):
    """A row for each number of ranks."""
    broken = make(program, place.family)
    for ranks in program.ranks:
        begin = time.monotonic()
        code, output, entries = (1, broken, []) if broken else place.run(program, ranks)
        why = broken or place.judge(program, code, output, entries)
        yield {
            "family": place.family,
            "program": program.name,
            "ranks": ranks,
            "verdict": "not built" if broken else "fails" if why else "pass",
            "files": len(entries),
            "seconds": round(time.monotonic() - begin, 1),
            "last": ranks == program.ranks[-1],
            "why": why,
        }


def there_already(options):
    """Names of programs that the output has on all their numbers of ranks."""
    text = Path(options.output).read_text() if options.output and Path(options.output).exists() else ""
    rows = [json.loads(line) for line in text.splitlines()]
    mine = {"suite": options.suite, "family": options.family, "alone": options.alone}
    return {row["program"] for row in rows if mine.items() <= row.items() and row["last"]}


def main():
    options = command_line()
    work = options.work.resolve() / options.family
    copy = work / options.suite
    if not copy.exists():
        shutil.copytree(options.directory, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    count, known = Counter(), there_already(options)
    programs = [one for one in SUITES[options.suite](copy, options.family) if re.search(options.only, one.name)]
    with Place(options, work) as place:
        for program in programs:
            if program.name in known:
                continue
            for row in examine(program, place):
                count[row["verdict"]] += 1
                print("{verdict:9} {program} on {ranks}: {files} files, {seconds} s {why}".format(**row), flush=True)
                if options.output:
                    with open(options.output, "a") as file:
                        print(json.dumps({"suite": options.suite, "alone": options.alone, **row}), file=file)
    print(", ".join(f"{number} {verdict}" for verdict, number in sorted(count.items())))
    return set(count) != {"pass"}


def command_line():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--family", choices=("openmpi", "mpich"), default="openmpi", help="(default: %(default)s)")
    parser.add_argument("--only", default="", metavar="REGEX", help="only programs whose name matches")
    parser.add_argument("--alone", action="store_true", help="by the MPI library alone, on files of this machine, to compare")
    parser.add_argument("--timeout", type=float, default=100, metavar="SECONDS", help="for one program (default: %(default)s)")
    parser.add_argument("--build", type=Path, default=Path(os.environ.get("KUMIHIMO_BUILD", REPOSITORY / "build")))
    parser.add_argument("--work", type=Path, default="/tmp/kumihimo-conformance", help="where programs are built, and stay")
    parser.add_argument("--output", help="a file to which results are added, a line of JSON each; what it has is left out")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
