"""One case that stands alone, started and ended by a test, and what the two laws of I/O say of it."""

import dataclasses
import subprocess

import cases
import judge
import launch
import pytest
from waiting import wait_for


class Job:
    """One case that stands alone. `host`: the machine of its files, as names of files begin."""

    def __init__(self, library, build, tmp_path, ranks=4, files=None, host="", **environment):
        self.library = dataclasses.replace(library, environment={**library.environment, **environment})
        self.build, self.ranks, self.files, self.host = build, ranks, files or tmp_path, host
        self.directory = tmp_path / "job"
        self.directory.mkdir()
        self.log = self.directory / "log"
        self.path = self.files / "case-0.dat"

    def start(self, direction, pattern, rules="-"):
        self.case = cases.Case(0, (direction, *pattern), fault=rules)
        with open(self.log, "w") as log:
            only = LineCase(self.case, rules)
            self.launch = launch.Launch(
                self.library, self.build, self.ranks, [only], self.directory, log, f"{self.host}{self.files}"
            )
        return self

    def end(self, seconds=60):
        """Waits for the end of the job. Its exit code; fails if a rank of it lives on."""
        try:
            code = self.launch.process.wait(timeout=seconds)
            self.launch.read()
            wait_for(lambda: not self.left())
            assert not self.left(), "ranks outlive their job"
            return code
        except subprocess.TimeoutExpired:
            pytest.fail(f"the job did not end within {seconds} s\n{self.log.read_text()}")
        finally:
            self.launch.read()
            self.launch.end()

    def left(self):
        return [process for process in self.launch.processes if b"faults_workload" in launch.command_line(process)]

    def results(self):
        results = self.launch.of(self.case)
        assert all(results), f"a rank told nothing\n{self.log.read_text()}"
        return results

    def classes(self, name):
        """Error classes that the ranks were told by calls of that name."""
        return {call[1] for result in self.results() for call in result["calls"] if call[0] == name}


@dataclasses.dataclass
class LineCase:
    case: object
    rules: str

    @property
    def line(self):
        return " ".join([str(self.case.number), *self.case.pattern, self.rules])


def laws(job):
    """Asserts both laws of an ended job; what the first failures were."""
    verdict, reason = judge.judge(job.case, launch.Outcome(job.case, "finished", job.results()), job.path)
    assert verdict == "handled", f"{verdict}: {reason}\n{job.log.read_text()}"
    return reason
