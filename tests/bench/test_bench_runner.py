"""The runner of developers' programs: launches in turn, records, tables, and what becomes of launches that fail."""

import json
import math
import random
import re
import subprocess
import sys
import types

import jsonschema
import pytest
from kumihimo.bench.suite import runner, significance
from test_bench_run import ROOT, SCHEMA

PRINTS = "import json, sys; [print(json.dumps(line)) for line in json.loads(sys.argv[1])]"
END = {"kind": "end"}


def cell(operation="copy", times=(2.0,), **more):
    return {"kind": "cell", "operation": operation, "bytes": 8, "slowest_us": list(times), **more}


class Printing(runner.Start):
    """A serial program that prints records; these are told launch by launch."""

    def __init__(self, name, *launches, **more):
        super().__init__(name, [sys.executable, "-c", PRINTS], family=None, ranks=1, **more)
        self.launches = list(launches)

    def run(self, path, limit):
        super().run(path, limit, json.dumps(self.launches.pop(0)))


@pytest.fixture
def measurement(tmp_path):
    def make(launches):
        options = types.SimpleNamespace(launches=launches, limit=60, keep=str(tmp_path / "kept"), quick=True)
        return runner.Measurement("test", 1, options)

    return make


def test_ratios_are_those_of_rounds(measurement):
    one = measurement(3)
    fast = Printing("fast", *([cell(times=(time, time, 99.0)), END] for time in (1.0, 2.0, 4.0)))
    slow = Printing("slow", *([cell(times=(time,)), END] for time in (3.0, 4.0, 20.0)))
    one.take_turns([fast, slow])
    columns = [runner.Time("slow"), runner.Ratio("slow", "fast"), runner.Ratio("none", "fast")]
    lines = runner.table(one.found(), columns).splitlines()
    assert lines[0] == "| operation | bytes | slow, us | slow / fast |"
    assert lines[2:] == ["| copy | 8 | 4.00 | 3.00 (2.00 .. 5.00) |"]


def test_calls_on_files_stand_beside_times(measurement):
    one = measurement(2)
    counted = {"file_reads": [3.0, 5.0, 3.0], "file_writes": [1200.0] * 3, "file_bytes_read": [0.0] * 3}
    counted["file_bytes_written"] = [8e6, 8e6, 9e6]
    one.take_turns([Printing("a", *([cell(times=(1.0, 2.0, 3.0), **counted), END] for _ in range(2)))])
    one.take_turns([Printing("b", [cell(), END], [cell(), END])])
    jsonschema.validate(one.result(), SCHEMA)
    lines = runner.table(one.found(), [runner.FileCalls("a"), runner.FileCalls("b"), runner.FileCalls("c")]).splitlines()
    assert lines[0] == "| operation | bytes | a: reads, writes |"
    assert lines[2:] == ["| copy | 8 | 3 (0.0 MB), 1,200 (8.0 MB) |"]


def test_the_result_is_one_of_the_suite_and_grows(measurement, bench):
    for _ in range(2):
        one = measurement(8)
        subject = [[cell(variant="a"), cell(times=(4.0,), variant="b"), END] for _ in range(8)]
        one.take_turns([Printing("both", *subject, subject="x")])
    result = one.result()
    jsonschema.validate(result, SCHEMA)
    assert [(found["name"], found["launches"]) for found in result["variants"]] == [("a", 16), ("b", 16)]
    (bench.directory / "r.json").write_text(json.dumps(result))
    assert re.search(r"^x copy +SLOWER +\+100\.0 %", bench.run("compare", "r.json:a", "r.json:b", code=1), re.M)
    assert "x copy" in bench.run("show", "r.json")
    bench.run("show", "r.json", "--format", "imb", code=2)
    assert "imb has no table for x copy" in bench.errors


def test_a_launch_that_fails_is_told_and_left_out(measurement):
    one = measurement(2)
    good = Printing("good", [cell(), {"kind": "check", "value": 7}, END], [cell(), {"kind": "check", "value": 7}, END])
    bad = Printing("bad", [cell()], [cell(), {"kind": "check", "value": 8}, END])
    one.take_turns([good, bad])
    first, second = one.failures
    assert first.startswith("bad, launch 1: left no complete ") and second == "bad, launch 2: computed 8, not 7 as the others"
    assert list(one.found().records) == ["good"]


def test_the_interval_of_paired_ratios_holds_the_median():
    chance = random.Random(8)
    inside = 0
    for _ in range(400):
        middle, low, high = significance.paired([chance.expovariate(1) for _ in range(15)])
        assert low <= middle <= high
        inside += low <= math.log(2) <= high
    assert 0.94 <= inside / 400 <= 0.99  # the sign test's level for 15 values is 0.965
    assert significance.paired([3, 1, 2]) == (2, 1, 3)
    assert runner.interval([2.0]) == "2.00" and runner.interval([]) == "-"


def test_a_script_builds_measures_and_writes(build, tmp_path):
    command = [sys.executable, ROOT / "bench" / "reflect.py", "--build", build, "--launches", "1", "--seconds", "0.0001"]
    done = subprocess.run([*command, "--output", tmp_path], capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "building bench_reflect_" in done.stderr
    table = (tmp_path / "reflect.md").read_text()
    assert re.search(r"^\| row, double \| 8 \| [\d.]+ \| [\d.]+ \| - \| [\d.]+ \| - \| [\d.]+ \|$", table, re.M)
    assert "| MPI | " in table and "| load | " in table and table.count("\n| ") >= 24
    jsonschema.validate(json.loads((tmp_path / "reflect-2.json").read_text()), SCHEMA)
    missing = subprocess.run([*command[:3], tmp_path / "none"], capture_output=True, text=True, timeout=60)
    assert missing.returncode == 1 and "holds no build: run make build" in missing.stderr


SCRIPTS = sorted(path.stem for path in (ROOT / "bench").glob("*.py") if "__main__" in path.read_text())  # others serve them
WITHOUT_LAUNCHES = {"contention", "simulate", "simulate_k", "simulate_k_segments"}  # of one MPI program, again and again


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_explains_itself(build, script):
    command = [sys.executable, ROOT / "bench" / f"{script}.py", "--build", build, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and f"python3 bench/{script}.py" in done.stdout
    assert ("--launches" in done.stdout) == (script not in WITHOUT_LAUNCHES)
