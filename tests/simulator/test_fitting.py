"""Fits on a machine whose answers are a formula: they find its constants, and see nothing but their own rows."""

import copy

import pytest
from kumihimo.simulator.suite import evidence, fitting

HOPS = {384: 24, 3072: 56, 18432: 94}


def _rate(row, constants):
    """A pipeline of 1 MiB through so many hops."""
    segment, overhead = constants["segment"], constants["message_overhead_us"]
    pieces = (1 << 20) / 3 / segment
    time = (pieces + HOPS[row["cell"]["nodes"]]) * (segment / 4900 + 2 * overhead)
    return (1 << 20) / time / 1074


def _evidence(segment=12288, overhead=0.7):
    """With the rows of the fit as that machine has them."""
    found = evidence.load()
    for row in found.rows["throughput"]:
        if row["name"].startswith("Bcast, "):
            row["published"] = _rate(row, {"segment": segment, "message_overhead_us": overhead})
    return found


def _constants(found):
    return fitting.pipeline(found, found.fits[0], _rate)[0].constants


@pytest.mark.parametrize("segment, overhead", [(8192, 0.5), (12288, 0.7), (32768, 1.5)])
def test_finds_what_made_the_rows(segment, overhead):
    constants = _constants(_evidence(segment, overhead))
    assert constants["segment"] == segment
    assert constants["message_overhead_us"] == pytest.approx(overhead, rel=0.02)


def test_held_out_rows_change_nothing():
    honest, corrupted = _evidence(), _evidence()
    named = {row for fit in corrupted.fits for row in fit["rows"]}
    for table, rows in corrupted.rows.items():
        for row in rows:
            if row["name"] not in named and "published" in row:
                row["published"] = [1, 2] if table in ("switch", "ratio") else 123.0
    assert _constants(honest) == _constants(corrupted)


def test_fitted_rows_do():
    found = _evidence()
    other = copy.deepcopy(found)
    other.fitted(other.fits[0])[0]["published"] *= 0.7
    assert _constants(found) != _constants(other)


def test_overhead_for_a_row():
    found = _evidence(segment=12288, overhead=0.7)
    row = found.fitted(found.fits[0])[0]
    overhead = fitting.overhead(found.fits[0], row, lambda value: _rate(row, {"segment": 12288, "message_overhead_us": value}))
    assert overhead == pytest.approx(0.7, rel=0.02)


def test_rate_of_reduction():
    found = evidence.load()

    def rate(row, constants):
        return 1 / (1 / 12 + 1 / constants["reduction_rate_gib"])

    done = fitting.reduction_rate(found, found.fits[1], rate)
    assert done.constants["reduction_rate_gib"] == pytest.approx(6, rel=0.02)
    assert done.rates == {"Reduce, 384": pytest.approx(4, rel=0.02)}
