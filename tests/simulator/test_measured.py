"""`kumihimo simulate fit`: what messages take, by point-to-point cells of a record; collective operations stay out of it."""

import copy
import json
import pathlib
import random
import re
import subprocess

import pytest
from kumihimo.bench.suite import schema
from kumihimo.simulator.suite import engine, libraries, measured

SUITE = pathlib.Path(measured.__file__).parent

SIZES = (0, 64, 4096, 65536, 1 << 20)
FACTS = {0: (0.05, 0.05, 0.08), 64: (0.05, 0.06, 0.08), 4096: (0.05, 0.3, 0.1), 65536: (0.05, 4, 1.5), 1 << 20: (0.05, 48, 20)}
START = 0.04  # of each call besides


def cell(operation, size, times):
    quantiles = ("minimum", "q25", "median", "q75", "q95", "maximum")
    launches = [
        {"launch": i + 1, "samples": 9, "late": 0, "start": "window", "wrong": 0, **dict.fromkeys(quantiles, time)}
        for i, time in enumerate(times)
    ]
    ordered = sorted(times)
    middle, low, high = (ordered[int(share * (len(times) - 1))] for share in (0.5, 0.1, 0.9))
    head = {"operation": operation, "bytes": size, "median_us": middle, "q10_us": low, "q90_us": high}
    return {
        **head,
        "throughput_gib_s": size / middle / 1073.741824 if size else None,
        "overlap_percent": None,
        "wrong": 0,
        "launches": launches,
    }


def result(cells, launches):
    variant = {"name": "made", "family": "mpich", "library": "MPICH 4.0", "ranks": 2, "shape": [2], "machines": 1}
    variant.update(crowded=False, settings={}, launches=launches, cells=cells, skipped=[])
    machine = {"name": 'made "up"', "host": "h", "processor": "p", "processors": 2, "memory_bytes": 1 << 30, "system": "s"}
    head = {"format": "kumihimo-bench", "version": 1, "created": "2026-11-24T10:00:00+00:00", "machine": machine}
    return {**head, "quick": False, "planned_launches": launches, "start": "window", "failures": [], "variants": [variant]}


def made_up(sizes=SIZES, launches=11, without=(), unit=1):
    """As the formulas have it, every launch a little off, one of them far off. unit: of times, in microseconds."""
    chance = random.Random(1)
    cells = []
    for operation in ("PingPong", "PingPing", "Sendrecv", "Exchange", "Bcast", "Allgather"):
        for size in sizes if operation not in without else ():
            send, receive, latency = FACTS[size]
            once = send + latency + receive
            exchange = send + max(send, latency) + 2 * receive  # the second message has come when the first one is taken
            time = {"PingPong": once + START / 2, "Exchange": exchange + START}.get(operation, once + START)
            times = [unit * time * chance.uniform(0.999, 1.001) for _ in range(launches - 1)]
            cells.append(cell(operation, size, [*times, 100 * unit * time]))
    return result(cells, launches)


@pytest.fixture
def fit(simulate, tmp_path):
    def fitting(record, *words, code=0, local=True):
        (tmp_path / "result.json").write_text(json.dumps(record))
        (tmp_path / "local.json").write_text(json.dumps([{"bytes": size, **times} for size, times in alone(*SIZES).items()]))
        words = (*words, *(("--local", tmp_path / "local.json") if local else ()))
        return simulate("fit", tmp_path / "result.json", "-o", tmp_path / "mine.toml", *words, code=code)

    return fitting


def alone(*sizes):
    """What processors take for copies, reductions, and messages of what was just computed."""
    return {
        size: {
            "step_us": 0,
            "copy_us": 0.02 + size / 1e4,
            "reduction_us": 0.02 + size / 4e4,
            "rewrite_us": size / 1e4,
            "fresh_us": size / 2e4,
            "library_reduction_us": 0.2 + size / 1e4,
            "library_rewrite_us": size / 1e4,
        }
        for size in sizes
    }


def test_formulas_are_the_engine_s(simulate, tmp_path):
    chance = random.Random(2)
    for _ in range(2):
        message = measured.Message(*(round(chance.uniform(0.1, 9), 3) for _ in range(3)))
        record = measured.Fit(_Record(), {64: message, 128: message}, 0)
        (tmp_path / "m.toml").write_text(measured.machine_text(record, alone(64, 128)))
        words = ("--machine", tmp_path / "m.toml", "--shape", "2", "--sizes", "64,100", "--json")
        for one in json.loads(simulate("run", *measured.FITTED, *words))["cells"]:
            assert one["time_us"] == pytest.approx(message.times()[one["operation"]], abs=1e-4), one["operation"]


class _Record:
    name, created, key = "r", "2026-11-24", {"ranks": 2, "library": "L", "machine": "m"}


def test_a_fit_finds_what_made_the_record(fit, simulate, tmp_path):
    text = fit(made_up())
    told = json.loads(fit(made_up(), "--json"))
    assert schema.mistake(told, json.loads((SUITE / "fit.schema.json").read_text())) is None
    assert {one["operation"] for one in told["held_out"]} == {"Bcast", "Allgather"} and told["median_error"] >= 0
    assert "Exchange" in text and "written: " in text
    words = ("--machine", tmp_path / "mine.toml", "--shape", "2", "--json", "--sizes", ",".join(map(str, SIZES)))
    for one in json.loads(simulate("run", "PingPong", *words))["cells"]:
        assert one["time_us"] == pytest.approx(sum(FACTS[one["bytes"]]), rel=0.1), one["bytes"]
    summary = {line.split()[0]: line.split()[1] for line in text.splitlines() if line.endswith("%") and len(line.split()) == 3}
    assert float(summary["Bcast"]) < 15 and "Allgather" in summary


def test_processors_are_measured_where_nobody_tells_them(fit, tmp_path):
    """By two ranks of the MPI library, again while messages are slower than the record's: of a slow machine seldom."""
    fit(made_up(unit=1e6), local=False)
    times = {
        name: [float(time) for time in re.findall(rf"{name} = ([0-9.e+-]+)", (tmp_path / "mine.toml").read_text())]
        for name in ("copy_us", "reduction_us", "rewrite_us", "fresh_us")
    }
    assert all(len(all_) == len(SIZES) and min(all_) >= 0 for all_ in times.values())
    assert min(times["reduction_us"]) > 0 and times["copy_us"][-1] > times["copy_us"][0]


@pytest.mark.parametrize(
    "text, told",
    [
        ("[{", "cannot read"),
        ('[{"bytes": 64, "copy_us": -1}]', "is not what kumihimo-local prints"),
        ("[3]", "cannot read"),
        ("[]", "says nothing of 0 B, 64 B, 4 KiB, 64 KiB, 1 MiB"),
    ],
)
def test_a_damaged_file_of_processors(fit, simulate, tmp_path, text, told):
    fit(made_up())
    (tmp_path / "bad.json").write_text(text)
    words = ("fit", tmp_path / "result.json", "-o", tmp_path / "mine.toml", "--local", tmp_path / "bad.json")
    assert told in simulate(*words, code=2)


def test_mpich_says_which_algorithm_it_takes():
    known = ["linear", "binomial", "scatter_allgather", "recursive_doubling", "rabenseifner", "ring", "tree3"]

    def first(family, operation, size, ranks=8):
        return next(filter(None, libraries.candidates(family, operation, size, ranks, known)))

    assert first("mpich", "Bcast", 12287) == ["binomial"] and first("mpich", "Bcast", 12288) == ["scatter_allgather"]
    assert first("mpich", "Bcast", 1 << 20, ranks=7) == ["binomial"]
    assert first("mpich", "Allreduce", 2048) == ["recursive_doubling"] and first("mpich", "Allreduce", 2049) == ["rabenseifner"]
    assert first("mpich", "Allgatherv", 65535) == ["recursive_doubling"] and first("mpich", "Allgather", 65536) == ["ring"]
    for family, operation in (("openmpi", "Bcast"), ("mpich", "Scatter"), ("mpich", "Alltoall")):
        fastest = first(family, operation, 1 << 16)  # pairwise is not among those that are known here
        assert fastest == known[:-1], "what knows no network"


def test_a_library_is_simulated_by_what_it_says(fit):
    """2 ranks, where MPICH takes binomial trees however long the message is, and rules say more than it."""
    record = made_up()
    cells = json.loads(fit(record, "--json"))["held_out"]
    assert {one["algorithm"] for one in cells if one["operation"] == "Bcast"} == {"binomial"}
    record["variants"][0]["settings"] = {"KUMIHIMO_COLL_TUNE": "bcast:@linear,allgather:@ring"}
    cells = json.loads(fit(record, "--json"))["held_out"]
    assert {one["algorithm"] for one in cells if one["operation"] == "Bcast"} == {"linear"}


def test_the_library_reduces_by_its_own_loops(fit):
    """The same algorithm, once by libkumihimo_coll and once by MPICH."""
    record = made_up()
    cells = record["variants"][0]["cells"]
    cells += [{**one, "operation": "Allreduce"} for one in cells if one["operation"] == "Bcast"]

    def simulated():
        held_out = json.loads(fit(record, "--json"))["held_out"]
        (one,) = (one for one in held_out if (one["operation"], one["bytes"]) == ("Allreduce", 64))
        assert one["algorithm"] == "recursive_doubling"
        return one["simulated_us"]

    by_library = simulated()
    record["variants"][0]["settings"] = {"KUMIHIMO_COLL_TUNE": "allreduce:@recursive_doubling"}
    times = alone(64)[64]
    assert by_library - simulated() == pytest.approx(times["library_reduction_us"] - times["reduction_us"], rel=0.01)


def test_what_was_just_computed_costs_more(fit, simulate, tmp_path):
    """Of Allreduce's two exchanges by a ring the second one sends what the first one brought; Alltoall's sends what has lain
    there."""
    fit(made_up())
    dear = (tmp_path / "mine.toml").read_text()
    (tmp_path / "free.toml").write_text(re.sub(r"(rewrite|fresh)_us = [0-9.e+]+", r"\1_us = 0", dear))

    def took(operation, algorithm, machine):
        words = ("--machine", tmp_path / machine, "--shape", "2", "--sizes", "128K", "--json")
        return json.loads(simulate("run", operation, "--algorithm", algorithm, *words))["cells"][0]["time_us"]

    assert took("Alltoall", "pairwise", "mine.toml") == took("Alltoall", "pairwise", "free.toml")
    of_half = alone(1 << 16)[1 << 16]
    more = took("Allreduce", "ring", "mine.toml") - took("Allreduce", "ring", "free.toml")
    assert more == pytest.approx(of_half["rewrite_us"] + of_half["fresh_us"], rel=0.01)


def test_steps_of_schedules_take_time(fit, simulate, tmp_path):
    """Of both sides, where libkumihimo_coll's schedules are simulated; the MPI library has none."""
    fitted = measured.Fit(_Record(), {64: measured.Message(1, 2, 3), 128: measured.Message(1, 2, 3)}, 0)
    with_steps = {size: {**times, "step_us": 0.25} for size, times in alone(64, 128).items()}

    def takes(text):
        (tmp_path / "m.toml").write_text(text)
        words = ("run", "Bcast", "--algorithm", "linear", "--machine", tmp_path / "m.toml", "--shape", "2", "--sizes", "64")
        return json.loads(simulate(*words, "--json"))["cells"][0]["time_us"]

    assert takes(measured.machine_text(fitted, with_steps)) == pytest.approx(6.5)
    assert takes(measured.machine_of_library(fitted, with_steps)) == pytest.approx(6)


def test_collective_cells_are_held_out(fit, tmp_path):
    record = made_up()
    fit(record)
    first = (tmp_path / "mine.toml").read_text()
    corrupted = copy.deepcopy(record)
    for one in corrupted["variants"][0]["cells"]:
        if one["operation"] in ("Bcast", "Allgather"):
            one["q10_us"] *= 7
    fit(corrupted)
    second = (tmp_path / "mine.toml").read_text()
    for a, b in zip(first.splitlines(), second.splitlines()):
        assert a == b


def test_launches_while_processors_were_far_apart_change_nothing(fit, tmp_path):
    """Six of 11 of some cells: medians would be those of another machine than of the other cells."""

    def messages(record):
        fit(record)
        text = (tmp_path / "mine.toml").read_text()
        times = [map(float, re.findall(rf"\b{name}_us = ([0-9.e+-]+)", text)) for name in ("send", "receive", "latency")]
        return [sum(of_size) for of_size in zip(*times)]

    record = made_up()
    for one in record["variants"][0]["cells"]:
        if one["operation"] in measured.FITTED[::2]:
            times = [launch["median"] * (3 if launch["launch"] <= 6 else 1) for launch in one["launches"]]
            one.update(cell(one["operation"], one["bytes"], times))
    assert messages(record) == pytest.approx(messages(made_up()), rel=0.02)


def test_a_second_record_stands_beside(fit, tmp_path):
    again = made_up()
    for one in again["variants"][0]["cells"]:
        one["q10_us"] *= 1.5
    (tmp_path / "again.json").write_text(json.dumps(again))
    text = fit(made_up(), "--control", tmp_path / "again.json")
    assert "2nd record" in text and text.count("+50.0 %") == 2 * len(SIZES)


@pytest.mark.parametrize(
    "record, told",
    [
        (made_up(launches=9), "has 9 of 10 launches that a fit takes of PingPong, 0 B"),
        (made_up(sizes=SIZES[:3]), "has 3 sizes of PingPong PingPing Sendrecv Exchange, 5 are needed: 0 B, 64 B, 4 KiB"),
        (made_up(without=("Exchange",)), "has no Exchange: kumihimo bench run PingPong"),
    ],
)
def test_what_is_too_little(fit, tmp_path, record, told):
    assert told in fit(record, code=2)
    assert not (tmp_path / "mine.toml").exists()


def test_mistakes_in_messages(simulate, tmp_path):
    good = measured.machine_text(
        measured.Fit(_Record(), {size: measured.Message(*facts) for size, facts in FACTS.items()}, 0),
        alone(*FACTS),
    )
    for old, new, told in (
        ("bytes = 64,", "bytes = 0,", "sizes of messages ascend"),
        ("receive_us = 48,", "receive_us = -1,", "'receive_us' is missing, or no number from 0 to 1e9"),
        ("fresh_us", "frsh_us", "unknown key 'frsh_us'; did you mean 'fresh_us'?"),
        ("copy_us = 0.02,", "copy_us = -1,", "'copy_us' is missing, or no number from 0 to 1e9"),
    ):
        assert old in good
        (tmp_path / "bad.toml").write_text(good.replace(old, new, 1))
        assert told in simulate("show", tmp_path / "bad.toml", code=2)
    (tmp_path / "good.toml").write_text(good)
    assert "messages of 5 sizes: record r" in simulate("show", tmp_path / "good.toml")


def test_constants_of_a_fitted_machine_can_be_changed(simulate, tmp_path):
    """Though its sizes say what copies take."""
    messages = {size: measured.Message(*facts) for size, facts in FACTS.items()}
    (tmp_path / "m.toml").write_text(measured.machine_text(measured.Fit(_Record(), messages, 0), alone(*FACTS)))
    words = (
        "run",
        "Allgather",
        "--algorithm",
        "ring",
        "--machine",
        tmp_path / "m.toml",
        "--shape",
        "2",
        "--sizes",
        "1M",
        "--json",
    )
    slow, fast = (json.loads(simulate(*words, "--set", f"copy_rate={rate} GB/s"))["cells"][0]["time_us"] for rate in (1, 1000))
    assert slow > fast + 500


def test_rates_of_this_processor(build):
    with engine.Engine() as one:
        rates = one.ask("rates")
    assert set(rates) == {"copy_gb_s", "reduction_gb_s"} and all(0.01 < rate < 10000 for rate in rates.values())


def test_a_machine_beside_its_model(fit, simulate, build, tmp_path):
    """kumihimo bench compare: what was measured, and what the fitted machine gives."""
    fit(made_up())
    words = ("--machine", tmp_path / "mine.toml", "--shape", "2", "--algorithm", "all", "--sizes", "4K,1M", "--json")
    (tmp_path / "model.json").write_text(simulate("run", "PingPong", "Bcast", *words))
    command = [str(build / "bin/kumihimo"), "bench", "compare", str(tmp_path / "result.json"), str(tmp_path / "model.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "simulated numbers, without launches: shown, not tested" in done.stdout
    model = next(one for one in json.loads((tmp_path / "model.json").read_text())["cells"] if one["bytes"] == 1 << 20)
    assert model["time_us"] == pytest.approx(sum(FACTS[1 << 20]), rel=0.1)
    line = next(line for line in done.stdout.splitlines() if line.startswith("  PingPong 1 MiB: A "))
    assert f"B {model['throughput_gib_s']:.3g} GiB/s" in line
    (tmp_path / "model.json").write_text((tmp_path / "model.json").read_text().replace('"shape": "2"', '"shape": "4"'))
    told = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert told.returncode == 2 and "were not measured alike: ranks 2 and 4" in told.stderr
