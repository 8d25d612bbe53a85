"""Unmodified MPI programs with libkumihimo_coll preloaded, on both MPIs: every algorithm gives what MPI must."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from long_form import LONG_FORM
from made_once import made_once

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faults"))
from launch import OPEN_MPI

SOURCES = pathlib.Path(__file__).parent
FOREIGN = ("KUMIHIMO_", "OMPI_COMM_", "PMI_", "LD_PRELOAD")
CLEAN = {**{name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}, **OPEN_MPI}


def run(*words, **settings):
    words = [str(word) for word in words]
    return subprocess.run(words, env={**CLEAN, **settings}, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def information(build):
    return json.loads(run(build / "bin" / "kumihimo", "info", "--json").stdout)


@pytest.fixture(scope="module", params=["openmpi", "mpich"])
def start(request, build, information, tmp_path_factory):
    """start(ranks, settings...): a program with the library preloaded."""
    family = request.param
    if family not in information["families"]:
        pytest.skip(f"this build has no {family}")
    found = information["families"][family]

    def make(programs):
        programs.mkdir()
        for name in ("plain", "threads"):
            done = run(found["c_wrapper"], "-O1", "-pthread", SOURCES / f"{name}.c", "-o", programs / name)
            assert done.returncode == 0, done.stderr

    programs = made_once(tmp_path_factory, f"preload-{family}", make)
    library = build / "lib" / family / "libkumihimo_coll.so"

    def started(*ranks, rules_of_first=None, program="plain", arguments=(), **settings):
        """ranks: of each part of the job, all but the first without the rules of the first."""
        logs = tmp_path_factory.mktemp("logs")  # one of each rank: mpiexec mixes what they say, not always at ends of lines
        words = []
        for part, count in enumerate(ranks):
            own = [f"KUMIHIMO_COLL_TUNE={rules_of_first}"] if part == 0 and rules_of_first else []
            logged = ["sh", "-c", 'exec env "$@" 2> "$0/$$"', logs]
            words += [":"] * (part > 0) + ["-n", count, *logged, f"LD_PRELOAD={library}", *own, programs / program, *arguments]
        done = run(found["mpiexec"], *words, KUMIHIMO_LOG="info", KUMIHIMO_COLL_SEGMENT="256", **settings)
        done.stderr += "".join(log.read_text() for log in logs.iterdir())
        return done

    started.family, started.mpiexec = family, found["mpiexec"]
    return started


def rules(information, number):
    """For each operation its algorithm of a number, beginning again after the last."""
    names = {}
    for entry in information["collectives"]:
        names.setdefault(entry["operation"], []).append(entry["name"])
    return {operation: choices[number % len(choices)] for operation, choices in names.items()}


def in_turn(start, number):
    """Families take turns."""
    if not LONG_FORM and number % 2 != (start.family == "mpich"):
        pytest.skip("the other MPI family has this one; in the long form both have")


def served(done):
    """What the log says was done by which algorithm, as (operation, algorithm)."""
    return set(re.findall(r"(\w+) on \d+ ranks by (\w+)", done.stderr))


def only(rules):
    """Settings for these rules, without those that are built in."""
    return {"KUMIHIMO_COLL_TUNE": rules, "KUMIHIMO_COLL_TABLE": "none"}


@pytest.mark.parametrize("number", range(9))
def test_every_algorithm(start, information, number):
    in_turn(start, number // 2)
    chosen = rules(information, number)
    text = ",".join(f"{operation}:@{name}" for operation, name in chosen.items())
    ranks, shape = (4, "2x2") if number % 2 else (3, "3")
    done = start(ranks, **only(text), KUMIHIMO_COLL_SHAPE=shape)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.endswith(" checks\n")
    used = served(done)
    assert used <= set(chosen.items())
    everywhere = {"linear", "binomial", "chain", "ring", "recursive_doubling", "pairwise", "dissemination", "rings1", "tree1"}
    for operation, name in chosen.items():
        if name in everywhere and (operation, name) != ("allgather", "recursive_doubling"):
            assert (operation, name) in used


@pytest.mark.parametrize("number", range(5))
def test_two_levels(start, information, number):
    """Hosts of two ranks each, the last one of one rank at times."""
    in_turn(start, number)
    in_levels = [entry for entry in information["collectives"] if entry["name"].startswith("hosts")]
    chosen = rules({"collectives": in_levels}, number)
    text = ",".join(f"{operation}:0-inf:2-8/2:@{name}" for operation, name in chosen.items())
    done = start(4 if number % 2 else 3, **only(text), KUMIHIMO_NODES_PER_MACHINE="2")
    assert done.returncode == 0 and done.stdout.endswith(" checks\n"), done.stderr[-2000:]
    equal_only = {("allgather", "hosts_doubling")} if number % 2 == 0 else set()
    of_all_sizes = set(chosen.items()) - {("alltoall", "hosts")} - equal_only
    assert of_all_sizes <= served(done) <= set(chosen.items())


def test_without_rules_everything_is_native(start):
    done = start(3, KUMIHIMO_COLL_TABLE="none")
    assert done.returncode == 0 and served(done) == set() and done.stdout.endswith(" checks\n"), done.stderr


@pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="the rules for one node are for ranks with processors of their own"
)
def test_on_one_node_there_are_rules_without_any(start):
    done = start(2)
    assert done.returncode == 0 and done.stdout.endswith(" checks\n"), done.stderr[-2000:]
    assert served(done) >= {("bcast", "binomial"), ("allreduce", "recursive_doubling"), ("barrier", "dissemination")}
    assert ("bcast", "linear") in served(start(2, KUMIHIMO_COLL_TUNE="bcast:@linear")), "what the user says counts"


@pytest.mark.skipif(os.cpu_count() >= 4, reason="4 ranks do not outnumber the processors here")
def test_ranks_that_take_turns_have_rules_without_any(start):
    done = start(4)
    assert done.returncode == 0 and done.stdout.endswith(" checks\n"), done.stderr[-2000:]
    assert served(done) >= {("gather", "linear"), ("scatter", "linear")}


@pytest.mark.parametrize("setting", ["KUMIHIMO_SHM=off", "KUMIHIMO_NODES_PER_MACHINE=2", "KUMIHIMO_COLL_ONE_COPY=1G"])
def test_ways_of_messages(start, setting):
    """By MPI only, inside and between machines, and without reading each other's memory."""
    chosen = ["bcast:@binomial", "reduce:@binomial", "allreduce:@ring", "allgather:@ring", "alltoall:@linear"]
    chosen += ["gather:@linear", "scatter:@linear", "barrier:@dissemination"]
    done = start(4, **only(",".join(chosen)), **dict([setting.split("=")]))
    assert done.returncode == 0 and done.stdout.endswith(" checks\n"), done.stderr[-2000:]
    assert {f"{operation}:@{name}" for operation, name in served(done)} == set(chosen)


@pytest.mark.parametrize("ranks", [2, 3])
def test_threads(start, ranks):
    """Through shared memory and between machines at once: 3 ranks on machines of 2."""
    chosen = ["allreduce:@recursive_doubling", "allgather:@ring", "bcast:@binomial", "barrier:@dissemination"]
    done = start(ranks, program="threads", **only(",".join(chosen)), KUMIHIMO_NODES_PER_MACHINE="2")
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout in ("225 rounds\n", "no MPI_THREAD_MULTIPLE\n")
    assert done.stdout.startswith("no") or {f"{operation}:@{name}" for operation, name in served(done)} == set(chosen)


def test_a_rank_that_dies_ends_the_job(start):
    def left():
        return {name for name in os.listdir("/dev/shm") if name.startswith("kumihimo")}

    before = left()
    done = start(3, arguments=["die"], KUMIHIMO_COLL_TUNE="barrier:@dissemination")
    assert done.returncode != 0 and ("barrier", "dissemination") in served(done)
    assert left() <= before


def test_wrong_rules_are_told_and_do_no_harm(start):
    done = start(2, KUMIHIMO_COLL_TUNE="bcast:@tree5")
    assert done.returncode == 0 and served(done) == set()
    assert done.stderr.count("there is no such algorithm") == 1 and "tree3" in done.stderr


def test_ranks_with_different_rules_stay_native(start):
    done = start(1, 2, rules_of_first="bcast:@linear", KUMIHIMO_COLL_TABLE="none")
    assert done.returncode == 0 and served(done) == set(), done.stderr
    assert (
        done.stderr.count("ranks have different settings") == 1
        and "KUMIHIMO_COLL_TUNE: 'bcast:@linear' on rank 0" in done.stderr
    )


def test_work_space_and_what_its_limit_costs_are_told(start):
    done = start(4, KUMIHIMO_COLL_TUNE="alltoall:@bruck,allreduce:@ring", KUMIHIMO_COLL_WORK="64")
    assert done.returncode == 0 and done.stdout.endswith(" checks\n"), done.stderr[-2000:]
    refused = re.findall(
        r"alltoall on 4 ranks not by bruck, which needs (\d+) bytes of work space: KUMIHIMO_COLL_WORK is 64", done.stderr
    )
    assert refused and all(int(needed) > 64 for needed in refused)
    smaller = re.findall(r"allreduce on 4 ranks by ring, with (\d+) bytes of work space \((\d+) but for", done.stderr)
    assert smaller and all(int(taken) <= 64 < int(wanted) for taken, wanted in smaller)


def test_tables_are_read(start, tmp_path):
    table = tmp_path / "table"
    table.write_text("# measured\nbcast:0-inf:@chain=120\nallreduce:0-inf:@ring=90\n")
    done = start(2, KUMIHIMO_COLL_TABLE=str(table))
    assert done.returncode == 0 and served(done) == {("bcast", "chain")}, done.stderr


@pytest.mark.parametrize("shape, ranks", [("", "2-2/1-1"), ("1x2", "1x2")])
def test_tuned_tables_are_rules(start, build, tmp_path, shape, ranks):
    """What the tuner prints for this machine is taken by the library, which is all that can be said whatever the timings."""
    tuned = run(start.mpiexec, "-n", 2, build / "lib" / start.family / "kumihimo-coll-tune", 512, 4, KUMIHIMO_COLL_SHAPE=shape)
    assert tuned.returncode == 0 and tuned.stdout.startswith(f"# kumihimo-coll-tune: {start.family}, 2 ranks"), tuned.stderr
    assert all(re.fullmatch(rf"\w+:\d+-\d+:{ranks}:@\w+=\d+", line) for line in tuned.stdout.splitlines()[1:]), tuned.stdout
    table = tmp_path / "table"
    table.write_text(tuned.stdout)
    done = start(2, KUMIHIMO_COLL_TABLE=str(table), KUMIHIMO_COLL_SHAPE=shape)
    assert done.returncode == 0 and "error" not in done.stderr, done.stderr


def test_information(build, information):
    text = run(build / "bin" / "kumihimo", "info", "--collectives").stdout
    assert "Trinaryx3" in text and "KUMIHIMO_COLL_TUNE" in text and "native" in text
    work = {(entry["operation"], entry["name"]): entry["example_work_bytes"] for entry in information["collectives"]}
    assert work[("bcast", "chain")] == 0 and work[("gather", "binomial")] == 64 * 16384 and "1024 KiB binomial tree" in text
    assert {entry["operation"] for entry in information["collectives"]} >= {"bcast", "alltoall", "barrier"}


def test_images_help_while_they_wait_in_this_library(start, build, tmp_path):
    """It is preloaded and has a wait of its own, which must find what the program's library registered to be polled."""
    program = tmp_path / "helped"
    done = run(build / "bin" / "xmpcc", f"--mpi={start.family}", SOURCES / "helped.c", "-o", program)
    assert done.returncode == 0, done.stderr
    messages = {"KUMIHIMO_SHM": "off", "KUMIHIMO_TRANSPORT": "messages", "KUMIHIMO_PROGRESS_THREAD": "off"}
    done = start(2, program=program, KUMIHIMO_COLL_TUNE="allreduce:@ring", **messages)
    assert done.returncode == 0 and done.stdout == "3 of 2\n", done.stderr[-2000:]
    assert ("allreduce", "ring") in served(done)
