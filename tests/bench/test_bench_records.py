"""kumihimo bench record, list and compare: what is kept, what may be compared, and the exit codes."""

import json
import re
import sqlite3

import jsonschema
import pytest
from bench_support import made_up_result
from kumihimo.bench.suite import database, records, switches
from test_bench_run import SCHEMA


@pytest.fixture
def results(bench):
    """results(name, ...): a campaign's directory with a made-up result."""

    def make(name, **options):
        (bench.directory / name).mkdir()
        result = made_up_result(name, **options)
        jsonschema.validate(result, SCHEMA)
        (bench.directory / name / "result.json").write_text(json.dumps(result))
        return result

    return make


def test_a_record_comes_back_as_it_was(bench, results):
    result = results("monday", launches=12)
    assert "recorded: monday: Open MPI 4.1.4, 4 ranks as 2x2 on made up, 12 launches" in bench.run("record", "monday")
    with database.Database(bench.directory / "bench.sqlite") as stored:
        found = stored.get("monday")
    assert found.cells == result["variants"][0]["cells"]
    assert found.key == records.of_variant(result, result["variants"][0], "monday").key
    assert "monday: Open MPI 4.1.4, 4 ranks as 2x2 on made up; 12 launches, 2026-11-21" in bench.run("list")


def test_records_are_never_changed(bench, results):
    results("monday")
    bench.run("record", "monday")
    bench.run("record", "monday", code=2)
    assert "there is a record 'monday' already" in bench.errors


def test_wrong_data_is_no_reference(bench, results):
    result = results("monday")
    result["variants"][0]["cells"][0]["wrong"] = 1
    (bench.directory / "monday" / "result.json").write_text(json.dumps(result))
    bench.run("record", "monday", code=2)
    assert "wrong data" in bench.errors


def test_a_slower_operation_is_named_and_fails_a_build(bench, results):
    results("a", launches=20)
    results("b", launches=20, seed=1, slower={"Bcast": 1.05, "Allreduce": 0.9})
    bench.run("record", "a", "--name", "reference")
    text = bench.run("compare", "reference", "b", code=1)
    told = dict(re.findall(r"^(\w+) +(SLOWER|faster|no change) +[+-]", text, re.M))
    assert told == {"PingPong": "no change", "Bcast": "SLOWER", "Allreduce": "faster"} and "undecided" not in text.lower()
    assert "1 slower and 1 faster of 3 operations" in text
    told = json.loads(bench.run("compare", "reference", "b", "--json", code=1))
    bcast = {one["operation"]: one for one in told["operations"]}["Bcast"]
    assert bcast["whole"]["low_percent"] < 5 < bcast["whole"]["high_percent"] and told["slower"]
    bench.run("compare", "b", "b")
    assert "0 slower and 0 faster" in bench.run("compare", "reference", "b", "--tolerance", "20")


def test_only_what_was_measured_alike_is_compared(bench, results):
    results("a")
    results("b", start="loop")
    bench.run("compare", "a", "b", code=2)
    assert "not measured alike: start window and loop" in bench.errors
    bench.run("compare", "a", "b", "--anyway")
    bench.run("compare", "a", "nowhere", code=2)
    assert "no record or campaign 'nowhere'" in bench.errors


def test_the_papers_numbers_are_there_and_marked(bench):
    listed = [line for line in bench.run("list").splitlines() if line.startswith("  k-computer")]
    assert len(listed) == 12 and all("published" in line for line in listed)
    with database.Database(bench.directory / "bench.sqlite") as stored:
        three = [stored.get(f"k-computer/{shape}") for shape in ("8x6x8", "16x6x32", "48x12x32")]
    assert [one.key["ranks"] for one in three] == [384, 3072, 18432]
    assert [one.points["Bcast"][1 << 20] for one in three] == [3.6, 2.2, 1.5]
    assert all(one.published and one.launches == 0 for one in three)
    text = bench.run("compare", "k-computer/8x6x8", "k-computer/64x6", "--anyway")
    assert "shown, not tested" in text and "Sendrecv 256 MiB: A 4.5 GiB/s, B 4.5 GiB/s" in text


SIMULATION = {
    "format": "kumihimo-simulation",
    "version": 1,
    "machine": "mine.toml",
    "shape": "2x2",
    "nodes": "",
    "calls": 1,
    "root": "first",
    "sharing": "reservation",
    "settings": {"segment": "8192 B"},
    "cells": [
        {
            "operation": "Bcast",
            "algorithm": algorithm,
            "bytes": 1024,
            "time_us": 1024 / 1073.741824 / rate,
            "throughput_gib_s": rate,
            "messages": 3,
            "bounds_us": {"link": 0.1, "node": 0.1, "processor": 0.1},
            "binding": "link",
            "where": "",
            "share": 0.5,
            "links": [],
        }
        for algorithm, rate in (("chain", 0.5), ("tree2", 0.75))
    ],
}


def test_simulated_records_are_marked_as_such(bench, results):
    results("a")
    (bench.directory / "model.json").write_text(json.dumps(SIMULATION))
    told = bench.run("record", "model.json", "--name", "model", "--note", "by hand")
    assert "recorded: model: simulated, 4 ranks as 2x2 on mine.toml segment=8192 B, simulated" in told
    (entry,) = [one for one in json.loads(bench.run("list", "--json"))["records"] if one["name"] == "model"]
    assert entry["kind"] == "simulated" and not entry["published"] and entry["note"] == "by hand"
    with database.Database(bench.directory / "bench.sqlite") as stored:
        found = stored.get("model")
    assert found.points == {"Bcast": {1024: 0.75}} and found.simulated  # the fastest way
    assert bench.run("compare", "model", "a") == bench.run("compare", "model.json", "a").replace("model.json", "model")


def test_a_database_of_before_learns_of_simulated_records(bench, results):
    results("a")
    bench.run("record", "a")
    with sqlite3.connect(bench.directory / "bench.sqlite") as connection:
        heads = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'record'").fetchone()[0]
        connection.execute(heads.replace("record", "older").replace(", 'simulated'", ""))
        connection.execute("INSERT INTO older SELECT * FROM record")
        connection.execute("DROP TABLE record")
        connection.execute("ALTER TABLE older RENAME TO record")
        connection.execute("PRAGMA user_version = 1")
    before = bench.run("list")
    (bench.directory / "model.json").write_text(json.dumps(SIMULATION))
    bench.run("record", "model.json")
    listed = bench.run("list").splitlines()
    assert set(before.splitlines()) < set(listed) and any("model.json: simulated" in line for line in listed)
    bench.run("compare", "a", "a")


def test_a_file_that_is_no_database_is_refused(bench, results):
    results("a")
    (bench.directory / "bench.sqlite").write_text("something else, and long enough to be taken for a file of its own kind" * 20)
    bench.run("record", "a", code=2)
    assert "cannot be used as a database of kumihimo bench" in bench.errors
    assert "no records:" in bench.run("list") and "Allgather" in bench.run("list")


def test_two_that_begin_at_once_make_one_database(bench):
    both = [bench.start("list") for _ in range(4)]
    assert [process.communicate(timeout=60)[0].count("k-computer/8x6x8:") for process in both] == [1] * 4


def test_a_database_that_may_only_be_read_is_enough_to_compare(bench, results):
    results("a")
    bench.run("record", "a", "--name", "reference")
    with sqlite3.connect(bench.directory / "bench.sqlite") as connection:
        connection.execute("BEGIN IMMEDIATE")  # somebody writes
        bench.run("compare", "reference", "a")


# ---- Switch points ----


def curve(switch_at=None, factor=1.0, launches=10):
    """Latency and throughput of a plain model; from a size on `factor` of it. Launches differ by 1 %."""
    times = {}
    for power in range(2, 24):
        size = 1 << power
        time = 0.5 + size / 8000
        time *= factor if switch_at and size >= switch_at else 1
        times[size] = [time * (1 + 0.01 * ((7 * launch + power) % 5 - 2) / 2) for launch in range(launches)]
    return times


@pytest.mark.parametrize("factor", [0.5, 2.0])
@pytest.mark.parametrize("size", [256, 16384, 1 << 20])
def test_a_step_is_a_switch_point(size, factor):
    assert switches.find(curve(size, factor)) == [size]


def test_a_smooth_curve_has_no_switch_points():
    assert switches.find(curve()) == []
    assert switches.find({8: [1.0, 1.1]}) == [] and switches.find({}) == []


def test_a_switch_that_moved_is_told(bench, results):
    for name, at in (("a", 16384), ("b", 65536)):
        result = results(name, sizes=tuple(curve()))
        for cell in result["variants"][0]["cells"]:
            for one, time in zip(cell["launches"], curve(at, 0.5)[cell["bytes"]]):
                one["median"] = time
        (bench.directory / name / "result.json").write_text(json.dumps(result))
    text = bench.run("compare", "a", "b", code=1)
    assert "switch points: A 16 KiB; B 64 KiB" in text and re.search(r"^  16 KiB\b.* SLOWER +\+", text, re.M)
    bench.run("report", "b", "--reference", "a", "-o", "page.html")
    assert "Switch points: reference 16 KiB; here 64 KiB." in (bench.directory / "page.html").read_text()
    for one in json.loads(bench.run("compare", "a", "b", "--json", code=1))["operations"]:
        slower = [section for section in one["sections"] if section["verdict"] == "slower"]
        assert sorted(size for section in slower for size in section["sizes"]) == [16384, 32768]
        assert all(section["change_percent"] == pytest.approx(100, abs=3) for section in slower)
