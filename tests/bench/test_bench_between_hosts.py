"""bench/between_hosts.py: what its overview says of times that are made up."""

import re
import sys
import types
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
SIZES = [8, 512, 4096, 16384, 32768, 131072]
LAUNCHES = 12


@pytest.fixture
def between_hosts(build, monkeypatch):
    monkeypatch.setenv("KUMIHIMO_BUILD", str(build))
    monkeypatch.syspath_prepend(str(BENCH))
    import between_hosts

    yield between_hosts
    for name in ("between_hosts", "developers"):
        sys.modules.pop(name, None)


class Found:
    """shares: of the library's time that libkumihimo_coll takes for an operation. In each launch sizes take once or twice as
    long, every other one with the one library and the rest with the other."""

    def __init__(self, **shares):
        self.shares = shares

    def cases(self):
        return [(operation, size) for operation in self.shares for size in [0, *SIZES]]

    def times(self, variant, case):
        if case[1] == 0:
            return {launch: 1.0 for launch in range(LAUNCHES)}
        share = self.shares[case[0]] if variant == "ours" else 1.0
        slow = lambda launch: (launch + SIZES.index(case[1])) % 2 == (variant == "native")  # noqa: E731
        return {launch: 10.0 * share * (2.0 if slow(launch) else 1.0) for launch in range(LAUNCHES)}


def test_an_operation_is_told_from_noise_that_hides_each_of_its_sizes(between_hosts):
    options = types.SimpleNamespace(sizes=SIZES)
    text = between_hosts.overview(Found(Bcast=0.6, Reduce=1.6), options)
    lines = {line.split("|")[1].strip(): line for line in text.splitlines() if line.startswith("|")}
    assert lines[""].endswith("| 131,072 | mean |")
    assert re.search(r"\| \*\*1\.\d\d\*\* \|$", lines["Bcast"]) and re.search(r"\| \*\*0\.\d\d\*\* \|$", lines["Reduce"])
    assert "Below 64 KiB, of 10, beyond their interval: ours: 0 faster, 0 slower" in text, text
    assert "of 2 operations: 1 faster, 1 slower. native again: 0 faster" in text
