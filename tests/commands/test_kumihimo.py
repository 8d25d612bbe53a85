"""kumihimo info and doctor, for people and as JSON."""

import json
import re

import pytest
from command_support import run, succeed


@pytest.fixture
def kumihimo(build):
    return build / "bin" / "kumihimo"


def test_info_tells_value_source_and_help_of_every_setting(kumihimo):
    report = json.loads(succeed(kumihimo, "info", "--json", env={"KUMIHIMO_LOG": "2"}).out)
    settings = {entry["name"]: entry for entry in report["settings"]}
    assert {"KUMIHIMO_MPI", "KUMIHIMO_CC", "KUMIHIMO_LAUNCHER", "KUMIHIMO_LOG", "KUMIHIMO_SHM"} <= set(settings)
    assert (settings["KUMIHIMO_LOG"]["value"], settings["KUMIHIMO_LOG"]["source"]) == ("2", "environment")
    assert settings["KUMIHIMO_SHM"]["source"] == "default" and all(entry["help"] for entry in settings.values())
    assert report["schema"] == 1 and report["version"].count(".") == 2 and report["families"]


def test_info_says_why_xmpnc_is_missing(kumihimo):
    report = json.loads(succeed(kumihimo, "info", "--json").out)
    for family in report["families"].values():
        assert family["xmpnc"] is ("libkumihimo_nc.so" in family["libraries"])
        assert family["xmpnc"] or family["xmpnc_missing"]


def test_info_lists_transports_with_reasons(kumihimo):
    report = json.loads(succeed(kumihimo, "info", "--json").out)
    for family in report["families"].values():
        missing = {entry["name"]: entry["missing"] for entry in family["transports"]}
        assert missing["mpi"] is None and "faulty" in missing
        assert not any(name.startswith("kumihimo_transport_") for name in family["libraries"])
        assert missing["armci"]  # never a module: found or not, there is something to say
    assert "  transports     mpi" in succeed(kumihimo, "info").out


def test_info_lists_file_engines(kumihimo):
    engines = {entry["name"]: entry["help"] for entry in json.loads(succeed(kumihimo, "info", "--json").out)["engines"]}
    assert engines["direct"]
    assert f"  direct         {engines['direct']}" in succeed(kumihimo, "info").out


def test_info_for_people_has_no_colours_in_a_file_and_names_unknown_settings(kumihimo):
    text = succeed(kumihimo, "info", env={"KUMIHIMO_LGO": "2", "TERM": "xterm"}).out
    assert "\033[" not in text and "KUMIHIMO_LGO is set, but there is no such setting" in text


def test_info_hides_settings_for_experts_that_are_not_set(kumihimo):
    shown = succeed(kumihimo, "info", env={"KUMIHIMO_COLL_AHEAD": "80"}).out
    assert "KUMIHIMO_SHM=" in shown and "KUMIHIMO_SPIN=" not in shown and "kumihimo info --all" in shown
    assert "KUMIHIMO_COLL_AHEAD=80  (environment)" in shown
    everything = succeed(kumihimo, "info", "--all").out
    assert "KUMIHIMO_SPIN=" in everything and "for experts" not in everything


def test_doctor_finds_a_healthy_build(kumihimo):
    done = run(kumihimo, "doctor", "--json")
    report = json.loads(done.out)
    assert (done.code, report["healthy"]) == (0, True), report
    programs = [check for check in report["checks"] if check["name"].startswith("a program on 2 nodes")]
    assert programs and all(check["found"] == "nodes 2 sum 9702" for check in programs)
    assert all(check["advice"] for check in report["checks"] if check["status"] != "ok")


def test_doctor_counts_and_says_what_is_next(kumihimo):
    """Warnings apart; the next command depends on what was found."""
    report = json.loads(run(kumihimo, "doctor", "--json", "--mpi", "openmpi", env={"KUMIHIMO_LGO": "2"}).out)
    statuses = [check["status"] for check in report["checks"]]
    assert report["counts"] == {status: statuses.count(status) for status in ("ok", "warning", "failed")}
    assert report["counts"]["warning"] >= 1 and report["next"] == "kumihimo info"
    told = run(kumihimo, "doctor", "--mpi=openmpi").out.splitlines()
    passed, warnings = (sum(line.startswith(mark) for line in told) for mark in ("ok", "warn"))
    plural = "" if warnings == 1 else "s"
    assert told[-2] == f"{passed} passed" + (f", {warnings} warning{plural}" if warnings else "")
    assert warnings or told[-1] == "next: xmpcc program.c -o program && xmprun -n 4 ./program"


def test_doctor_fails_where_the_compiler_is_broken(kumihimo):
    done = run(kumihimo, "doctor", env={"KUMIHIMO_CC": "/no/such/compiler"})
    assert done.code == 1 and "FAIL" in done.out and "cannot run the compiler /no/such/compiler" in done.out
    *_, counts, following = done.out.splitlines()
    assert re.fullmatch(r"\d+ passed(, \d+ warnings?)?, \d+ failed", counts) and following.startswith("next: ")
    assert "xmprun" not in following


def test_command_line(kumihimo):
    assert "doctor" in succeed(kumihimo, "--help").out
    assert succeed(kumihimo, "--version").out.startswith("kumihimo ")
    assert "usage: kumihimo info" in succeed(kumihimo, "info", "--help").out
    for words in (["nonsense"], ["info", "nonsense"], ["doctor", "nonsense"], []):
        assert run(kumihimo, *words).code == 2
