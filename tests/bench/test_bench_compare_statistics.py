"""What compare promises, checked by drawing from launches that were recorded, 40 of five operations on 2 ranks: on a machine
with seven other jobs (launches_busy.json), and on one with no others (launches_idle.json). At most one false alarm in 1,000
comparisons; 95 % of what it can find is found; on the idle machine that is a slowdown of 5 % with 60 launches."""

import json
import math
import pathlib
import random

import pytest
from kumihimo.bench.suite import compare, records, significance
from long_form import LONG_FORM

RECORDED = {
    machine: json.loads((pathlib.Path(__file__).parent / f"launches_{machine}.json").read_text())
    for machine in ("busy", "idle")
}
pytestmark = pytest.mark.timeout(1200 if LONG_FORM else 300)
OPERATIONS = tuple(RECORDED["idle"])
SOME = OPERATIONS if LONG_FORM else ("Bcast", "Alltoall")


def drawn(chance, launches, operations=OPERATIONS, slower=None, quieter=1.0, machine="busy"):
    """A record of whole launches drawn from those that were recorded. slower: {operation: factor}; quieter: power of what
    launches differ by, as on a machine with less noise."""
    recorded = len(RECORDED[machine]["Bcast"]["8"])
    chosen = [chance.randrange(recorded) for _ in range(launches)]
    cells = []
    for name in operations:
        factor = (slower or {}).get(name, 1)
        for size, times in RECORDED[machine][name].items():
            middle = sorted(times)[recorded // 2]
            kept = [factor * middle * (times[i] / middle) ** quieter * chance.uniform(0.9999, 1.0001) for i in chosen]
            cells.append({"operation": name, "bytes": int(size), "launches": _launches(kept)})
    key = {"machine": "m", "ranks": 2, "shape": [2], "start": "window", "family": "openmpi", "library": "l", "settings": {}}
    return records.Record("drawn", key, cells)


def _launches(times):
    return [{"launch": number, "median": time} for number, time in enumerate(times)]


@pytest.mark.parametrize("launches", [10] + [20] * LONG_FORM)
def test_at_most_one_false_alarm_in_a_thousand(launches):
    chance = random.Random(launches)
    comparisons = 100_000 // launches if LONG_FORM else 1000
    alarms = 0
    for number in range(comparisons):
        pair = [drawn(chance, launches, machine=("busy", "idle")[number % 2]) for _ in range(2)]
        done = compare.Comparison(*pair, tolerance=0)
        alarms += any(operation.verdict != compare.UNCHANGED for operation in done.operations)
    assert alarms <= comparisons / 1000


# How much the recorded noise is reduced, and the launches.
@pytest.mark.parametrize(
    "machine, launches, quieter", [("busy", 10, 0.2), ("idle", 20, 1)] + [("busy", 20, 0.1), ("busy", 20, 0.02)] * LONG_FORM
)
def test_what_it_says_it_can_find_is_found(machine, launches, quieter):
    chance = random.Random(launches)
    trials = 75 if LONG_FORM else 6

    def one(**slower):
        return drawn(chance, launches, SOME, slower, quieter, machine)

    found = claimed = 0
    for _ in range(trials):
        before = compare.Comparison(one(), one())
        before.find_detectable()
        change = of(before, "Bcast").detectable
        if change is not None:
            after = compare.Comparison(one(), one(Bcast=1 + change))
            claimed += 1
            found += of(after, "Bcast").verdict == compare.SLOWER
    assert claimed > trials / 2
    assert found >= 0.95 * claimed - 1.64 * math.sqrt(0.05 * 0.95 * claimed)


def test_a_slowdown_of_five_per_cent_is_found_on_an_idle_machine():
    chance = random.Random(3)
    trials = 100 if LONG_FORM else len(OPERATIONS)
    found = alone = 0
    for number in range(trials):
        name = OPERATIONS[number % len(OPERATIONS)]
        pair = [drawn(chance, 60, slower=slower, machine="idle") for slower in ({}, {name: 1.05})]
        done = compare.Comparison(*pair)
        found += of(done, name).verdict == compare.SLOWER
        alone += all(one.verdict == compare.UNCHANGED for one in done.operations if one.name != name)
    assert found >= 0.95 * trials and alone >= 0.99 * trials


def test_on_a_noisy_machine_it_says_that_it_cannot_find_five_per_cent():
    chance = random.Random(4)
    done = compare.Comparison(drawn(chance, 10), drawn(chance, 10, slower={"Bcast": 1.05}))
    done.find_detectable()
    assert {one.verdict for one in done.operations} <= {compare.UNCHANGED, compare.UNDECIDED}
    assert all(one.detectable is None or one.detectable > 0.5 for one in done.operations)


def test_too_few_launches_find_nothing_and_say_so():
    def compared(launches):
        chance = random.Random(5)
        done = compare.Comparison(*(drawn(chance, launches, quieter=0.01, slower=slower) for slower in ({}, {"Bcast": 10})))
        done.find_detectable()
        return done

    least = compared(2).least_launches
    for launches in (2, 4):
        done = compared(launches)
        assert {(one.verdict, one.detectable, one.enough) for one in done.operations} == {(compare.UNDECIDED, None, False)}
    done = compared(least)
    assert done.slower and all(one.enough and one.detectable is not None for one in done.operations)


def of(comparison, name):
    (found,) = [one for one in comparison.operations if one.name == name]
    return found


# ---- The parts ----


def test_the_deal_is_exact_where_there_are_few():
    """Against all deals of 3 + 5 values, counted by hand with the same statistic."""
    import itertools

    values = [[0.3, 0.1, 0.7, 1.5, 1.1, 0.9, 2.0, 0.2], [5, 4, 1, 1, 2, 9, 7, 3]]
    scores = [significance.standard_scores(column) for column in values]

    def statistic(chosen):
        return [abs(sum(column[i] for i in chosen)) for column in scores]

    observed = statistic(range(3, 8))
    deals = [max(statistic(chosen)) for chosen in itertools.combinations(range(8), 5)]
    expected = [sum(deal >= one - 1e-9 for deal in deals) / len(deals) for one in observed]
    assert significance.Test(values, 3).p_values(alpha=1) == pytest.approx(expected)


def test_shifts_are_estimated_with_their_interval():
    chance = random.Random(6)
    inside = 0
    for _ in range(400):
        a = [chance.gauss(0, 1) for _ in range(12)]
        b = [chance.gauss(0.7, 1) for _ in range(15)]
        estimate, low, high = significance.shift(a, b)
        assert low <= estimate <= high
        inside += low <= 0.7 <= high
    assert 0.92 <= inside / 400 <= 0.98


def test_normal_scores_do_not_mind_outliers():
    tame, wild = [1, 2, 3, 4, 5], [1, 2, 3, 4, 1e9]
    assert significance.standard_scores(tame) == significance.standard_scores(wild)
    assert significance.standard_scores([7, 7, 7]) == [0, 0, 0]
