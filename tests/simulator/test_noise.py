"""`--noise RECORD`: interruptions of processors as the largest samples of a record show them."""

import json
import random

import pytest
from kumihimo.simulator.suite import noise
from test_measured import result

CALLS_US = {8: 0.5, 4096: 2.0, 65536: 12.0, 1 << 20: 50.0}


class Record:
    name = "made up"

    def __init__(self, cells, start="window"):
        self.cells, self.key = cells, {"ranks": 2, "start": start}

    def curve(self, operation):
        return {one["bytes"]: one for one in self.cells if one["operation"] == operation}


def interrupted(chance, busy, length, interval):
    """What interruptions add to a call that keeps two ranks busy for so long in all."""
    added, at = 0.0, chance.expovariate(1 / interval)
    while at < busy:
        added += chance.expovariate(1 / length)
        at += chance.expovariate(1 / interval)
    return added


def launch(chance, number, call, disturbed, samples=300):
    times = sorted(
        call * chance.uniform(1, 1.05) + (interrupted(chance, 2 * call, *disturbed) if disturbed else 0) for _ in range(samples)
    )
    shares = {"minimum": 0, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95, "maximum": 1}
    quantiles = {name: times[round(share * (samples - 1))] for name, share in shares.items()}
    return {"launch": number, "samples": samples, "late": 0, "start": "window", "wrong": 0, **quantiles}


def cells(disturbed, launches=12):
    chance = random.Random(3)
    found = []
    for operation in noise.MEASUREMENTS:
        for size, call in CALLS_US.items():
            all_launches = [launch(chance, number + 1, call, disturbed) for number in range(launches)]
            head = {"operation": operation, "bytes": size, "median_us": call, "q10_us": call, "q90_us": call}
            found.append({**head, "throughput_gib_s": 1.0, "overlap_percent": None, "wrong": 0, "launches": all_launches})
    return found


@pytest.mark.parametrize("disturbed", [(25, 1000), (5, 4000), (100, 20000)])
def test_what_was_drawn_is_found(disturbed):
    for found, drawn in zip(noise.of(Record(cells(disturbed))), disturbed):
        assert drawn / 1.7 < found < drawn * 1.7


def test_a_record_is_a_noise(simulate, tmp_path):
    (tmp_path / "result.json").write_text(json.dumps(result(cells((25, 1000)), 12)))
    words = ("run", "Barrier", "--machine", "fat-tree", "--shape", "9", "--algorithm", "dissemination", "--seeds", 3, "--json")
    answer = json.loads(simulate(*words, "--noise", tmp_path / "result.json"))
    given = answer["settings"]["noise"]
    assert given.count("us") == 2 and answer["cells"][0]["low_us"] <= answer["cells"][0]["high_us"]
    assert json.loads(simulate(*words, "--noise", given)) == answer


@pytest.mark.parametrize(
    "record, told",
    [
        (Record(cells(None)), "made up shows no interruptions"),
        (Record(cells((25, 1000), 9)), "made up has 9 of 10 launches of PingPing Sendrecv Exchange that tell of noise"),
        (
            Record([], "loop"),
            "made up has means over loops of calls, which hide interruptions: kumihimo bench run --start window",
        ),
    ],
)
def test_a_record_that_does_not_tell(record, told):
    with pytest.raises(noise.NoNoise, match=told):
        noise.of(record)
