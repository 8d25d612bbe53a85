#!/usr/bin/env python3
"""Conformance: compiles and runs each C or Fortran program of a directory of XMP programs, and says by folder which pass.

It was written for the peer's test suite, `tests/XMP` of Omni XcalableMP, which is not part of this repository: DIRECTORY is
the user's copy. Nothing is written there. A folder's Makefile says how its programs are compiled and on how many nodes they
run (`make -n`); where there is none, the program's own `nodes` directives say it. The reasons for what does not pass stand in
docs/reference/conformance.md.
"""

import argparse
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
REASONS = REPOSITORY / "docs/reference/conformance.md"

# What the peer's Makefiles ask of its compiler, in the words of ours.
COMPILER = """#!/bin/sh
for word; do
    shift
    case $word in
    --show-env) echo 'OMNI_MPICC_CMD="mpicc"'; echo 'OMNI_MPIFC_CMD="mpif90"'; exit;;
    -omp) set -- "$@" -fopenmp;;
    --profile | tlog) ;;
    *) set -- "$@" "$word";;
    esac
done
exec {compiler} "$@"
"""
LAUNCHER = """#!/bin/sh
exec {xmprun} "$@"
"""

# Programs say PASS or ERROR, or OK or NG, and some of them end with 0 in both cases.
MISTAKE = re.compile(r"\b(?:(?:error|fail)|NG\d*$)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Language:
    """compiler: ours; wrapper: MPI's; variable: what the Makefiles call it. main, nodes, number: patterns that find a main
    program, the shape of a node array, and a named constant."""

    compiler: str
    wrapper: str
    variable: str
    suffixes: tuple
    main: re.Pattern
    nodes: re.Pattern
    number: re.Pattern


_SHAPE = r"nodes[ \t]+\w+[ \t]*(\([^)]*\)|(?:\[[^]]*\][ \t]*)+)[ \t]*$"
LANGUAGES = {
    "c": Language(
        "xmpcc",
        "mpicc",
        "XCC",
        (".c",),
        re.compile(r"\bmain\s*\("),
        re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+xmp[ \t]+" + _SHAPE, re.MULTILINE),
        re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\d+)", re.MULTILINE),
    ),
    "fortran": Language(
        "xmpf90",
        "mpif90",
        "XFC",
        (".f90", ".F90", ".f", ".F"),
        re.compile(r"^[ \t]*program\b", re.MULTILINE | re.IGNORECASE),
        re.compile(r"^[ \t]*[!cC*]\$xmp[ \t]+" + _SHAPE, re.MULTILINE | re.IGNORECASE),
        re.compile(r"\bparameter\b[^!\n]*?(\w+)[ \t]*=[ \t]*(\d+)", re.IGNORECASE),
    ),
}


@dataclass
class Program:
    """One program of a folder. commands: what builds it, in order; runs: command lines that must all succeed."""

    name: str
    folder: Path
    commands: list
    runs: list
    status: str = ""
    detail: str = ""
    codes: list = field(default_factory=list)


def main():
    arguments = command_line()
    directory = arguments.directory.resolve()
    with tempfile.TemporaryDirectory(prefix="conformance-") as scratch:
        copy = Path(scratch) / "programs"
        shutil.copytree(directory, copy, symlinks=True)
        environment = with_commands(Path(scratch) / "bin", arguments.build)
        language = LANGUAGES[arguments.language]
        programs = sorted(find_programs(copy, language, arguments.nodes, environment), key=lambda program: program.name)
        if arguments.only:
            programs = [program for program in programs if re.search(arguments.only, program.name)]
        builder = Builder(environment, arguments.timeout)
        with ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(lambda program: examine(program, builder), programs))
    report(programs, known_reasons(), arguments.json)
    return any(program.status != "pass" and program.name not in known_reasons() for program in programs)


def command_line():
    parser = argparse.ArgumentParser(description="Compiles and runs every program below a directory of XMP programs.")
    parser.add_argument("directory", type=Path, help="for example tests/XMP of the peer's sources")
    parser.add_argument("--language", choices=LANGUAGES, default="c", help="(default: %(default)s)")
    parser.add_argument("--nodes", type=int, default=4, metavar="N", help="where any number will do (default: %(default)s)")
    parser.add_argument("--only", metavar="REGEX", help="only programs whose path matches")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="programs at a time")
    parser.add_argument("--timeout", type=float, default=120, metavar="SECONDS", help="for one command (default: %(default)s)")
    parser.add_argument("--build", type=Path, default=Path(os.environ.get("KUMIHIMO_BUILD", REPOSITORY / "build")))
    parser.add_argument("--json", action="store_true", help="everything about each program, as JSON")
    return parser.parse_args()


def with_commands(directory, build):
    """The environment in which the compilers and `mpiexec`, as Makefiles name them, are Kumihimo's."""
    directory.mkdir()
    names = {name: language.compiler for language in LANGUAGES.values() for name in (language.compiler, language.wrapper)}
    texts = {name: COMPILER.replace("{compiler}", quoted(build, compiler)) for name, compiler in names.items()}
    texts.update({name: LAUNCHER.replace("{xmprun}", quoted(build, "xmprun")) for name in ("mpiexec", "mpirun")})
    for name, text in texts.items():
        script = directory / name
        script.write_text(text)
        script.chmod(0o755)
    return {**os.environ, "PATH": f"{directory}:{os.environ['PATH']}"}


def quoted(build, command):
    return shlex.quote(str(build.resolve() / "bin" / command))


# What there is to do


def find_programs(root, language, nodes, environment):
    """The programs of all folders. A source below a folder with a Makefile belongs to that folder, if its Makefile names it."""
    used = set()
    for makefile in sorted(root.rglob("Makefile")):
        steps, runs = recipes(makefile.parent, language, environment)
        for product, closure in products(steps):
            sources = [source for step in closure for source in step.sources]
            used.update((makefile.parent / source).resolve() for source in sources)
            main_source = next((source for source in sources if Path(source).stem == Path(product).stem), sources[0])
            yield Program(
                name=str((makefile.parent / main_source).relative_to(root)),
                folder=makefile.parent,
                commands=[step.text for step in closure],
                runs=runs.get(Path(product).name, []),
            )
    for source in sorted(path for path in root.rglob("*") if path.suffix in language.suffixes):
        if source.resolve() not in used:
            yield program_of(source, root, language, nodes)


def program_of(source, root, language, nodes):
    """A source that no Makefile names."""
    text = source.read_text(errors="replace")
    name, program, complete = shlex.quote(source.name), shlex.quote(source.stem + ".x"), language.main.search(text)
    return Program(
        name=str(source.relative_to(root)),
        folder=source.parent,
        commands=[f"{language.compiler} {name} -o {program}" if complete else f"{language.compiler} -c {name}"],
        runs=[f"mpiexec -n {nodes_of(text, language, nodes)} ./{program}"] if complete else [],
    )


@dataclass
class Step:
    """One command of a Makefile that compiles or links."""

    text: str
    product: str
    sources: list
    objects: list


def recipes(folder, language, environment):
    """What `make all run` would do: the steps that compile the language, and the command lines that run each program."""
    command = ["make", "-n", "-B", "-k", f"{language.variable}={language.compiler}", "XRUN=mpiexec", "all", "run"]
    printed = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True).stdout
    steps, runs = [], {}
    for line in printed.replace("\\\n", " ").splitlines():
        try:
            words = shlex.split(line)
        except ValueError:
            continue
        executed = [Path(word.rstrip(";")).name for word in words if word.startswith("./")]
        if {"mpiexec", "mpirun"} & set(words) and executed:
            runs.setdefault(executed[0], []).append(line)
        elif words and words[0] in (language.compiler, language.wrapper):
            step = step_of(line, words, language)
            if all((folder / source).exists() for source in step.sources):  # else it is of a folder below
                steps.append(step)
    return steps, runs


def step_of(line, words, language):
    sources = [word for word in words if word.endswith(language.suffixes)]
    objects = [os.path.normpath(word) for word in words if word.endswith(".o")]
    if "-o" in words:
        product = os.path.normpath(words[words.index("-o") + 1])
    else:
        product = Path(sources[0]).stem + ".o" if "-c" in words else "a.out"
    return Step(line, product, sources, [name for name in objects if name != product])


def products(steps):
    """Each product that no other step takes, with all steps that it needs, in order."""
    taken = {name for step in steps for name in step.objects}
    for last in steps:
        if last.product not in taken:
            closure = [step for step in steps if step.product in last.objects] + [last]
            if any(step.sources for step in closure):
                yield last.product, closure


def nodes_of(text, language, wanted):
    """How many nodes a program's node arrays ask for. Where one size is `*`: `wanted`, or the next multiple of the others."""
    numbers = dict(language.number.findall(text))
    asked = []
    for shape in language.nodes.findall(text):
        sizes = [numbers.get(size, size) for size in re.findall(r"[\w*]+", shape)]
        known = math.prod(int(size) for size in sizes if size.isdigit())
        free = not all(size.isdigit() for size in sizes)
        asked.append(-(-wanted // known) * known if free else known)
    return max(asked, default=wanted)


# Doing it


class Builder:
    """Runs commands with a time-out; a step that several programs of a folder share is done once."""

    def __init__(self, environment, timeout):
        self.environment, self.timeout = environment, timeout
        self.done, self.guard = {}, threading.Lock()

    def run(self, command, folder):
        """Exit code, and all that was printed. 124 as of timeout(1)."""
        process = subprocess.Popen(
            ["sh", "-c", command],
            cwd=folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            printed, _ = process.communicate(timeout=self.timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 15)
            printed, _ = process.communicate()
            return 124, printed.decode(errors="replace")
        return process.returncode, printed.decode(errors="replace")

    def build(self, command, folder):
        with self.guard:
            lock, results = self.done.setdefault((command, folder), (threading.Lock(), []))
        with lock:
            if not results:
                results.append(self.run(command, folder))
            return results[0]


def examine(program, builder):
    """Fills in status: pass, compile, run or time-out."""
    for command in program.commands:
        code, printed = builder.build(command, program.folder)
        if code:
            program.codes = sorted(set(re.findall(r"XMP-E\d+", printed)))
            program.status = "time-out" if code == 124 else "compile"
            program.detail = first_mistake(printed)
            return
    for command in program.runs:
        code, printed = builder.run(command, program.folder)
        if code or MISTAKE.search(printed):
            program.status = "time-out" if code == 124 else "run"
            program.detail = f"{command}: {first_mistake(printed)} (exit code {code})"
            return
    program.status = "pass"


def first_mistake(printed):
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return next((line for line in lines if MISTAKE.search(line)), lines[-1] if lines else "")


# What is said


def known_reasons():
    """Program -> why it does not pass: rows `| \\`program\\` | reason |` of the page."""
    if not REASONS.exists():
        return {}
    return dict(re.findall(r"^\| `([^`]+\.(?:c|[fF](?:90)?))` \| (.+) \|$", REASONS.read_text(), re.MULTILINE))


def report(programs, reasons, as_json):
    if as_json:
        facts = [{**asdict(program), "folder": str(Path(program.name).parent)} for program in programs]
        json.dump(facts, sys.stdout, indent=1)
        print()
        return
    for program in programs:
        if program.status != "pass":
            print(f"{program.name}: {program.status}: {program.detail}")
            print(f"    {reasons.get(program.name, 'NO REASON KNOWN')}")
        elif program.name in reasons:
            print(f"{program.name}: passes, although the page has a reason why not: {reasons[program.name]}")
    folders = Counter(str(Path(program.name).parent) for program in programs)
    width = max(map(len, [*folders, "folder"]))
    print(f"{'folder':{width}}  programs  pass  compile  run  time-out")
    for folder in [*sorted(folders), ""]:
        of_folder = [program for program in programs if folder in ("", str(Path(program.name).parent))]
        count = Counter(program.status for program in of_folder)
        figures = f"{len(of_folder):8}  {count['pass']:4}  {count['compile']:7}  {count['run']:3}  {count['time-out']:8}"
        print(f"{folder or 'all':{width}}  {figures}")


if __name__ == "__main__":
    sys.exit(main())
