"""The evidence agrees with itself, with the paper's reference record, and with the network it speaks of."""

import json
import math
from pathlib import Path

import pytest
from kumihimo.simulator.suite import evidence

ROOT = Path(__file__).resolve().parents[2]
FOUND = evidence.load()


def _numbers(shape):
    return [int(one) for one in shape.split("x")]


def test_shapes_have_their_nodes():
    for nodes, shapes in FOUND.shapes.items():
        for one in shapes.values():
            assert math.prod(_numbers(one["ranks"])) == int(nodes)
            assert 12 * math.prod(_numbers(one["physical"])) == int(nodes)


def test_names_are_unique_and_uses_known():
    for rows in FOUND.rows.values():
        names = [one["name"] for one in rows]
        assert len(names) == len(set(names))
        assert all(one["use"] in evidence.USES for one in rows)


def test_fitted_rows_are_those_that_a_fit_names():
    named = {row for fit in FOUND.fits for row in fit["rows"]}
    fitted = {one["name"] for one in FOUND.rows["throughput"] if one["use"] == evidence.FITTED}
    assert named == fitted == {"Bcast, 384", "Bcast, 3072", "Reduce, 384"}
    assert all(one["use"] != evidence.FITTED for table in ("ratio", "switch", "order") for one in FOUND.rows[table])


def test_a_fit_sees_no_other_row():
    for fit in FOUND.fits:
        assert [one["name"] for one in FOUND.fitted(fit)] == fit["rows"]


def test_fourteen_switches_are_judged():
    judged = [one for one in FOUND.rows["switch"] if one["use"] in (evidence.HELD_OUT, evidence.SEEN)]
    assert len(judged) == 14
    assert all(one["published"][0] <= one["published"][1] for one in judged)


@pytest.mark.parametrize("size, calls", [(0, 1000), (4, 1000), (65536, 640), (1 << 20, 40), (1 << 28, 1)])
def test_calls_as_in_imb(size, calls):
    assert FOUND.calls(size) == calls


def test_agrees_with_the_reference_record():
    """bench/suite/published.json has the same paper in the form of `kumihimo bench`."""
    published = json.loads((ROOT / "bench/suite/published.json").read_text())
    known = {}
    for record in published["records"]:
        for operation, points in record["points"].items():
            for size, rate in points.items():
                known["x".join(map(str, record["shape"])), operation, int(size)] = rate
    for one in FOUND.rows["throughput"]:
        cell = one["cell"]
        ranks, _ = FOUND.shape(cell["nodes"], cell["shape"])
        assert known[ranks, cell["operation"], cell["size"]] == one["published"], one["name"]
    for one in FOUND.rows["switch"]:
        for nodes in one["cell"]["nodes"]:
            ranks, _ = FOUND.shape(nodes, one["cell"]["shape"])
            record = next(record for record in published["records"] if "x".join(map(str, record["shape"])) == ranks)
            switches = record["switches"].get(one["cell"]["operation"], [])
            low, high = one["published"]
            # The first size of a record that is past the switch: Gather's has none, since 100 is no size of IMB's.
            assert not switches or any(low <= size <= 2 * high for size in switches), one["name"]


# ---- Verdicts ----


def _row(table, name):
    return next(one for one in FOUND.rows[table] if one["name"] == name)


@pytest.mark.parametrize("rate, told, held", [(1.5, "+0.0 %", True), (1.56, "+4.0 %", True), (1.40, "-6.7 %", False)])
def test_throughput(rate, told, held):
    verdict = evidence.judge("throughput", _row("throughput", "Bcast, 18432"), rate)
    assert (verdict.published, verdict.miss, verdict.held) == ("1.5 GiB/s", told, held)


def test_what_was_not_simulated_is_neither_right_nor_wrong():
    verdict = evidence.judge("throughput", _row("throughput", "Bcast, 18432"), None)
    assert (verdict.simulated, verdict.miss, verdict.held) == (None, "not simulated", None)


@pytest.mark.parametrize(
    "found, told, held",
    [
        ({384: 20000.0}, "inside", True),
        ({384: 9000.0}, "1.8 times outside", True),
        ({384: 80000.0}, "2.4 times outside", False),
        ({384: 20000.0, 3072: None}, "never", False),
    ],
)
def test_switches(found, told, held):
    verdict = evidence.judge("switch", _row("switch", "Bcast, 384"), found)
    assert (verdict.published, verdict.miss, verdict.held) == ("16 KiB to 32 KiB", told, held)


def test_orders():
    row = _row("order", "Alltoall, 3072, 3-D and 2-D")
    assert evidence.judge("order", row, [1.1, 2.2]).held
    assert not evidence.judge("order", row, [1.1, 1.1]).held


def test_ratios():
    row = _row("ratio", "Bcast: Tofu / older, 55296")
    assert evidence.judge("ratio", row, 7.0).miss == "inside"
    assert evidence.judge("ratio", row, 2.0).miss == "2.0 times outside"


def test_crossing_lies_where_two_curves_meet():
    sizes = [1 << n for n in range(4, 20)]
    steady, steep = {size: 10.0 for size in sizes}, {size: size / 100 for size in sizes}
    assert math.isclose(evidence.crossing(steep, steady), 1000, rel_tol=1e-9)
    assert evidence.crossing(steady, steady) is None
    assert evidence.crossing({4: 2.0, 8: 2.0}, {4: 1.0, 8: 1.0}) == 4
