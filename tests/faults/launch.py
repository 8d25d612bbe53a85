"""Runs cases in as few launches of the workload as possible: a case that hangs or crashes ends its launch, and the next launch
goes on behind it."""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from marked import kill


@dataclasses.dataclass
class Library:
    """An MPI-IO implementation under test."""

    name: str
    family: str
    environment: dict = dataclasses.field(default_factory=dict)
    preload: tuple = ()  # relative to the build directory


LIBRARIES = {
    "ours": Library("ours", "openmpi", {"KUMIHIMO_IO": "**.dat=direct"}, ("lib/openmpi/libkumihimo_io.so",)),
    "ours-mpich": Library("ours-mpich", "mpich", {"KUMIHIMO_IO": "**.dat=direct"}, ("lib/mpich/libkumihimo_io.so",)),
    "stampi": Library("stampi", "openmpi", {}, ("lib/openmpi/libkumihimo_io.so",)),
    "stampi-mpich": Library("stampi-mpich", "mpich", {}, ("lib/mpich/libkumihimo_io.so",)),
    "ompio": Library("ompio", "openmpi", {"OMPI_MCA_io": "ompio"}),
    "romio321": Library("romio321", "openmpi", {"OMPI_MCA_io": "romio321"}),
    "mpich": Library("mpich", "mpich"),
}

OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}


def environment(library):
    return {**os.environ, **(OPEN_MPI if library.family == "openmpi" else {}), **library.environment}


def command(library, build, ranks, program, *arguments, injector=True, **settings):
    """The words that run `program` on `ranks` ranks: the injector and the library are preloaded by the ranks only. Settings go
    by `env`: a launcher may take none to another host."""
    build = pathlib.Path(build)
    preload = [str(build / path) for path in library.preload] + (
        [str(build / "lib" / "libkumihimo_faults.so")] if injector else []
    )
    variables = {**library.environment, **({"LD_PRELOAD": ":".join(preload)} if preload else {}), **settings}
    pairs = [f"{name}={value}" for name, value in variables.items()]
    return [f"mpiexec.{library.family}", "-n", str(ranks), "env", *pairs, str(program), *map(str, arguments)]


@dataclasses.dataclass
class Outcome:
    case: object
    end: str  # "finished", "hang", "crash"
    results: list  # for each rank what it was told, None where it told nothing


class Launch:
    """One mpiexec and what its ranks have written so far."""

    def __init__(self, library, build, ranks, cases, directory, log, files=None):
        self.ranks, self.directory = ranks, directory
        self.results = [{} for _ in range(ranks)]
        self.processes = []
        self.read_to = [0] * ranks
        for old in directory.glob("results.*"):
            old.unlink()
        (directory / "cases").write_text("".join(case.line + "\n" for case in cases))
        program = pathlib.Path(build) / "tests" / "faults" / f"faults_workload_{library.family}"
        if not program.exists():
            raise RuntimeError(f"{program} is not there: cmake --build {build} --target {program.name}")
        report = {"KUMIHIMO_IO_REPORT": str(directory / "report")} if library.preload else {}
        words = command(
            library, build, ranks, program, directory / "cases", directory / "results", files or directory, **report
        )
        self.process = subprocess.Popen(words, env=environment(library), stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def read(self):
        """Takes up new lines; whether there were any."""
        news = False
        for rank in range(self.ranks):
            path = self.directory / f"results.{rank}"
            text = path.read_bytes()[self.read_to[rank] :] if path.exists() else b""
            complete = text[: text.rfind(b"\n") + 1]
            self.read_to[rank] += len(complete)
            for line in complete.splitlines():
                self.take(rank, json.loads(line))
            news = news or bool(complete)
        return news

    def take(self, rank, record):
        if "process" in record:
            self.processes.append(record["process"])
        else:
            self.results[rank][record["case"]] = record

    def of(self, case):
        return [results.get(case.number) for results in self.results]

    def end(self):
        """Ends the launcher, and the ranks that it leaves behind."""
        self.process.terminate()
        try:
            self.process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for process in self.processes:
            if b"faults_workload" in command_line(process):
                kill(process)


def command_line(process):
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def run_cases(library, build, ranks, cases, directory, limit, log=subprocess.DEVNULL, files=None):
    """Yields the Outcome of each case. `limit`: seconds without news from any rank that make a hang."""
    left = list(cases)
    while left:
        launch = Launch(library, build, ranks, left, directory, log, files)
        last_news = time.monotonic()
        end = None
        try:
            while left and end is None:
                ended = launch.process.poll() is not None
                if launch.read():
                    last_news = time.monotonic()
                while left and all(launch.of(left[0])):
                    yield Outcome(left[0], "finished", launch.of(left.pop(0)))
                if ended:
                    end = "crash"
                elif time.monotonic() - last_news > limit:
                    end = "hang"
                time.sleep(0.01)
        finally:
            if not left and end is None:  # nothing is left to do but MPI_Finalize
                wait(launch.process, limit)
            launch.end()
        if left:
            yield Outcome(left[0], end, launch.of(left.pop(0)))


def wait(process, limit):
    try:
        process.wait(timeout=limit)
    except subprocess.TimeoutExpired:
        pass
