"""Machines as large as the K computer: what they send, in how much memory, and above which bounds. Long vectors, in part and
whole. A long test."""

import json
import os
import re
import subprocess

import pytest
from kumihimo import configuration
from kumihimo.simulator.suite.engine import machine_path
from long_form import LONG_FORM

pytestmark = pytest.mark.skipif(not LONG_FORM, reason="takes minutes: KUMIHIMO_TEST_LONG=1")

GIB, MIB = 1 << 30, 1 << 20
MEDIUM, ALL = ("48x12x32", "24x4x16"), ("48x54x32", "24x18x16")
TREES, PIECES = 3, 22  # a third of 1 MiB, in pieces of 16 KiB
ROUNDS = 17  # two to this power are more than 82,944


def _ask(operation, algorithm, where, size, **more):
    """The answer, and the most memory that the engine had."""
    answer, memory = _asked(operation, algorithm, where, size, **more)
    assert "error" not in answer
    assert all(bound["time_us"] <= answer["time_us"] for bound in answer["bounds"].values())
    return answer, memory


def _asked(operation, algorithm, where, size, **more):
    shape, nodes = where
    question = {"ask": "run", "machine": machine_path("k-computer"), "operation": operation, "algorithm": algorithm}
    question.update({"shape": shape, "nodes": nodes, "bytes": size, **more})
    engine = subprocess.Popen(
        [os.path.join(configuration.LIBRARIES, "kumihimo-simulate")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    engine.stdin.write(json.dumps(question) + "\n")
    engine.stdin.close()
    answer = json.loads(engine.stdout.read())
    _, status, used = os.wait4(engine.pid, 0)
    engine.returncode = os.waitstatus_to_exitcode(status)
    assert engine.returncode == 0
    return answer, used.ru_maxrss * 1024


def _estimate(*question, **more):
    """Bytes that the engine says it would take."""
    answer, _ = _asked(*question, memory=1, **more)
    return int(re.search(r"takes about (\d+) MiB", answer["error"])[1]) * MIB


SEGMENTS = {"segment": "16 KiB", "work_space": "6 MiB"}


def test_a_broadcast_sends_each_piece_to_each_rank():
    answer, memory = _ask("Bcast", "tree3", MEDIUM, MIB, set=SEGMENTS)
    assert answer["messages"] == (18432 - 1) * TREES * PIECES
    assert memory < 256 * MIB
    assert memory / 1.5 < _estimate("Bcast", "tree3", MEDIUM, MIB, set=SEGMENTS) < memory * 1.5


def test_the_fitted_machine_broadcasts_as_measured():
    answer, _ = _ask("Bcast", "tree3", MEDIUM, MIB)
    assert MIB / GIB / (answer["time_us"] / 1e6) == pytest.approx(1.5, rel=0.05)


def test_a_barrier_of_all_nodes():
    answer, _ = _ask("Barrier", "dissemination", ALL, 0)
    assert answer["messages"] == ROUNDS * 82944


@pytest.mark.parametrize("size, pieces", [(8, 2), (MIB, TREES * PIECES)])
def test_an_allreduce_of_all_nodes_sends_up_and_down(size, pieces):
    answer, memory = _ask("Allreduce", "tree3", ALL, size, set=SEGMENTS)
    assert answer["messages"] == 2 * (82944 - 1) * pieces
    assert memory < 4 * GIB
    assert memory / 1.5 < _estimate("Allreduce", "tree3", ALL, size, set=SEGMENTS) < memory * 1.5


def test_part_of_an_exchange_stands_for_all_of_it():
    answer, _ = _ask("Alltoall", "torus", MEDIUM, 64 << 10)
    assert answer["messages"] == 18432 * 18431
    assert answer["simulated"] < 0.2
    assert answer["interval_us"] < 0.05 * answer["time_us"]


LONG = [
    ("Bcast", "tree1", "8x6x8", 1),
    ("Bcast", "tree1", "384", 1),
    ("Bcast", "tree1", "6x64", 1),
    ("Bcast", "tree2", "6x64", 2),
    ("Bcast", "tree3", "8x6x8", 3),
    ("Reduce", "tree2", "8x6x8", 2),
    ("Reduce", "tree2", "384", 2),
    ("Reduce", "tree3", "8x6x8", 3),
    ("Reduce", "tree3", "6x64", 3),
    ("Allreduce", "tree3", "8x6x8", 3),
]


@pytest.mark.parametrize("operation, algorithm, shape, trees", LONG)
def test_the_rest_of_a_long_vector_follows_from_its_beginning(operation, algorithm, shape, trees):
    long = {"set": {"segment": "16 KiB", "work_space": "600 MiB"}}
    size = 2048 * trees * (16 << 10)
    where = (shape, "1x2x16" if shape == "6x64" else "4x2x4")
    part, _ = _ask(operation, algorithm, where, size, **long)
    whole, _ = _ask(operation, algorithm, where, size, shorten="never", **long)
    assert part["time_us"] == pytest.approx(whole["time_us"], rel=0.005)
    assert part["messages"] == pytest.approx(whole["messages"], rel=0.002)
    assert part["interval_us"] < 0.03 * part["time_us"]
