"""What bench/simulate_k.py leaves to be computed, and what it continues: with an engine whose times are formulas."""

import pathlib
import sys

import pytest
from kumihimo.simulator.suite import evidence

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOUND = evidence.load()
OVERHEAD = 1.0  # us


class Formulas:
    """An engine. time(question): microseconds."""

    def __init__(self, time):
        self.time, self.asked = time, []

    def ask(self, what, **question):
        if what == "show":
            return {"constants": [{"name": "message_overhead", "value": str(OVERHEAD)}]}
        if what == "place":
            return {"nodes": []}
        self.asked.append(question)
        return {"time_us": self.time(question)}

    def algorithms(self):
        return [one["algorithm"] for one in self.asked]


@pytest.fixture
def scripts(build, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bench")
    import simulate_k
    import simulate_k_segments

    return simulate_k, simulate_k_segments


@pytest.fixture
def cells(scripts, monkeypatch):
    def make(time, quick=False):
        engine = Formulas(time)
        monkeypatch.setattr(scripts[0], "Engine", lambda: engine)
        return scripts[0].Cells(FOUND, None, quick=quick), engine

    return make


@pytest.mark.parametrize("quick, longest", [(False, 16 << 20), (True, 8 << 20)])
def test_long_vectors_are_continued(cells, quick, longest):
    found, engine = cells(lambda question: 7 + question["bytes"] / 1000, quick)
    assert found.time("Bcast", "tree3", 384, "3-D", 256 << 20) == pytest.approx(7 + (256 << 20) / 1000)
    assert max(one["bytes"] for one in engine.asked) == longest
    assert found.time("Bcast", "tree3", 384, "3-D", 256 << 20, whole=True) == pytest.approx(7 + (256 << 20) / 1000)
    assert max(one["bytes"] for one in engine.asked) == 256 << 20


def test_quick_rows_of_many_nodes_fill_their_pipelines(cells):
    found, engine = cells(lambda question: 7 + question["bytes"] / 1000, quick=True)
    for nodes, longest in ((3072, 8 << 20), (18432, 12 << 20)):
        assert found.time("Reduce", "tree3", nodes, "3-D", 256 << 20, 600 << 20) == pytest.approx(7 + (256 << 20) / 1000)
        assert max(one["bytes"] for one in engine.asked) == longest


def test_quickly_nobody_waits_for_copies_of_all_blocks(cells, scripts):
    """Where blocks do not fit into work space the engine says so at once."""
    script, _ = scripts
    found, engine = cells(lambda question: 1.0, quick=True)
    with pytest.raises(script.TooLong):
        found.time("Alltoall", "bruck", 3072, "3-D", 1024)
    assert not engine.asked
    assert found.time("Alltoall", "bruck", 3072, "3-D", 4096) == 1.0 and found.time("Alltoall", "bruck", 384, "3-D", 8) == 1.0


def test_a_switch_of_which_nothing_was_simulated_is_not_said_to_be_never(cells, scripts):
    script, _ = scripts
    row = next(one for one in FOUND.rows["switch"] if one["name"] == "Alltoall, 18432")
    found, _ = cells(lambda question: 1.0, quick=True)
    with pytest.raises(script.TooLong):
        script.switch(found, row, 18432)
    (verdict,) = script.verdicts(FOUND, found, 18432, ["switch"], ["Alltoall, 18432"])
    assert (verdict.simulated, verdict.miss) == (None, "not simulated")


def test_rings_are_continued_from_fewer_nodes(cells):
    ranks = {"8x6x8": 384, "16x6x32": 3072}
    found, engine = cells(lambda question: 5.0 * (ranks[question["shape"]] - 1))
    for operation in ("Allgather", "Allgatherv"):
        assert found.time(operation, "rings3", 18432, "3-D", 1024) == pytest.approx(5 * 18431)
    assert {one["shape"] for one in engine.asked} == {"16x6x32"}


def test_other_exchanges_are_not(cells, scripts):
    found, _ = cells(lambda question: 1.0)
    with pytest.raises(scripts[0].TooLong):
        found.time("Reduce_scatter", "ring", 18432, "3-D", 1 << 20)


def test_what_processors_alone_make_slow_is_left_out(cells):
    names = ["chain", "scatter_allgather", "binomial"]
    found, engine = cells(lambda question: 1000.0)
    assert found.best("Bcast", names, 18432, "3-D", 1 << 20) == 1000
    assert engine.algorithms() == ["binomial"]
    found, engine = cells(lambda question: {"binomial": 1e9}.get(question["algorithm"], 1e8))
    assert found.best("Bcast", ["chain", "binomial"], 18432, "3-D", 1 << 20) == 1e8
    found, engine = cells(lambda question: 1e9)
    found.best("Allreduce", ["rabenseifner", "ring"], 18432, "3-D", 1 << 20, beyond=100.0)
    assert engine.algorithms() == ["rabenseifner"]


def test_a_switch_is_sought_from_the_published_size_on(cells, scripts):
    """Trees lead from 64 KiB on: halfway between 32 and 128 KiB on logarithmic axes."""
    row = next(one for one in FOUND.rows["switch"] if one["name"] == "Reduce, 384")
    found, engine = cells(lambda question: 100.0 if question["algorithm"] == "tree3" else question["bytes"] * 100 / 65536)
    assert scripts[0].switch(found, row, 384) == pytest.approx(65536, rel=1e-6)
    assert {one["bytes"] for one in engine.asked} == {1 << n for n in range(13, 18)}


def test_the_fastest_segment_is_found(cells, scripts):
    _, segments = scripts

    def time(question):
        segment = float(question["set"]["segment"].split()[0])
        return segment + 2**30 / segment  # least at 32 KiB

    found, engine = cells(time)
    fastest = segments.Fastest(found, {})
    cell = {"operation": "Bcast", "algorithm": "tree3", "nodes": 384, "shape": "3-D", "size": 1 << 20}
    least, segment = fastest.time(cell)
    assert segment == 32 << 10 and least == time({"set": {"segment": "32768 B"}})
    assert len({one["set"]["segment"] for one in engine.asked}) < len(segments.SEGMENTS)


def test_stages_and_rounds_add_up(scripts):
    _, segments = scripts
    cell = {"operation": "Allreduce", "size": 256 << 20}
    takes = {None: 50.0, "Reduce": 40.0, "Bcast": 20.0}

    def time(operation, size):
        return takes[operation] * (size or cell["size"]) / cell["size"], 4096

    found = {way: microseconds for way, microseconds, _ in segments.ways(cell, time)}
    assert list(found.values()) == pytest.approx([50, 60, 60])
    assert [way for way, _, _ in segments.ways({"operation": "Bcast", "size": 1}, time)] == [""]


def test_without_matplotlib_nothing_is_computed(cells, scripts, monkeypatch, tmp_path):
    script, _ = scripts
    asked = []
    monkeypatch.setattr(script, "verdicts", lambda *_: asked.append("rows") or [])
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # cannot be imported
    cells(lambda question: 1.0)
    words = ["simulate_k.py", "--quick", "--output", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        script.main()
    assert not asked and "figures take Matplotlib" in ended.value.code and ".venv/bin/python" in ended.value.code
    monkeypatch.setattr(sys, "argv", [*words, "--figures"])
    assert script.main() == 0 and asked == ["rows"]


def test_predictions_name_what_takes_more_work_space(cells, scripts):
    script, _ = scripts

    def time(question):
        if question["bytes"] == 1024:
            raise script.Refused("Gather by axes takes more work space than 6 MiB")
        return 100.0

    found, _ = cells(time)
    *others, last = script.predictions(found)
    assert last == "| Gather `axes`, 1 KiB | more work space | - | more work space | - |"
    assert len(others) == 8 and all("| 100.0 |" in line for line in others[1:])
