"""Constants of the K computer from the rows that the evidence allows for each, and from no other."""

import math

STEPS = 9  # of a bisection: a constant to 1 % of its range, on a logarithmic scale


class Fit:
    """What a fit found: constants, the rate it gives to each of its rows, the largest miss, and how many cells it took."""

    def __init__(self, constants, rates, miss):
        self.constants, self.rates, self.miss = constants, rates, miss


def pipeline(evidence, fit, rate):
    """Segment and overhead of a message: for each segment the overhead that hits the first row, then the segment whose other
    rows miss least. rate(row, constants): GiB/s. Also all that was tried."""
    first = evidence.fitted(fit)[0]
    tried = []
    for segment in fit["segments"]:

        def with_overhead(microseconds, segment=segment):
            return {"segment": segment, "message_overhead_us": microseconds}

        found = overhead(fit, first, lambda value, make=with_overhead: rate(first, make(value)))
        tried.append(_judged(evidence, fit, rate, with_overhead(found)))
    return min(tried, key=lambda one: one.miss), tried


def overhead(fit, row, rate):
    """The overhead of a message, in microseconds, that hits the row. rate(overhead): GiB/s."""
    return _solve(lambda value: rate(value) - row["published"], *fit["overheads_us"])


def reduction_rate(evidence, fit, rate):
    """The rate of reduction, in GiB/s, that hits the row."""
    row = evidence.fitted(fit)[0]
    low, high = fit["rates_gib"]
    found = _solve(lambda value: row["published"] - rate(row, {"reduction_rate_gib": value}), low, high)
    return _judged(evidence, fit, rate, {"reduction_rate_gib": found})


def _judged(evidence, fit, rate, constants):
    rows = evidence.fitted(fit)
    rates = {one["name"]: rate(one, constants) for one in rows}
    return Fit(constants, rates, max(abs(rates[one["name"]] / one["published"] - 1) for one in rows))


def _solve(falling, low, high):
    """Where a function that falls crosses zero, on a logarithmic scale; an end of the range where it does not."""
    low, high = math.log(low), math.log(high)
    for _ in range(STEPS):
        middle = (low + high) / 2
        if falling(math.exp(middle)) > 0:
            low = middle
        else:
            high = middle
    return float(f"{math.exp((low + high) / 2):.3g}")
