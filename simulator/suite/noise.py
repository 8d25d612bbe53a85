"""Interruptions of processors from a record of `kumihimo bench`: how long and how far apart they are, on average.

What an interruption adds shows in the largest sample of a launch. The model (simulator/noise.hpp) interrupts each of the ranks
that take part, on average every `interval`, for a time that is exponentially distributed: so a call of `median` is hit with
probability p = 1 - exp(-ranks median / interval), and the largest of n samples exceeds the median by no more than x with
probability (1 - p exp(-x / length))^n. Length and interval are those which make the largest samples of all launches likeliest.
What lies within three times the quartiles' distance is no interruption, but how a call varies (Tukey's outer fence)."""

import math

MEASUREMENTS = ("PingPing", "Sendrecv", "Exchange")  # all who take part begin and end together
LEAST_LAUNCHES = 10
FENCE = 3
LENGTHS_US, INTERVALS_US = (0.05, 1e5), (1.0, 1e9)
STEPS, ROUNDS = 16, 4  # of the search, which becomes finer


class NoNoise(Exception):
    pass


class Largest:
    """Of one launch's samples: how much longer than the median, in microseconds."""

    def __init__(self, launch, ranks):
        self.busy_us = ranks * launch["median"]
        self.samples = launch["samples"]
        self.excess = launch["maximum"] - launch["median"]
        self.usual = launch["q75"] + FENCE * (launch["q75"] - launch["q25"]) - launch["median"]

    def log_likelihood(self, length, interval):
        hit = -math.expm1(-self.busy_us / interval)
        seen = self.excess > self.usual
        least = self.excess if seen else self.usual
        longer = hit * math.exp(-least / length)
        below = (self.samples - seen) * math.log1p(-min(longer, 1 - 1e-12))
        return below + (math.log(max(self.samples * longer / length, 1e-300)) if seen else 0)


def of(record):
    """(length, interval) in microseconds. Throws NoNoise where the record does not tell."""
    if record.key["start"].startswith("loop"):
        raise NoNoise(
            f"{record.name} has means over loops of calls, which hide interruptions: kumihimo bench run --start window"
        )
    found = []
    for name in MEASUREMENTS:
        for cell in record.curve(name).values():
            ranks = 2 if name == "PingPing" else record.key["ranks"]
            found += [Largest(one, ranks) for one in cell["launches"] if one["median"] > 0]
    launches = len({one["launch"] for name in MEASUREMENTS for cell in record.curve(name).values() for one in cell["launches"]})
    if launches < LEAST_LAUNCHES:
        raise NoNoise(
            f"{record.name} has {launches} of {LEAST_LAUNCHES} launches of {' '.join(MEASUREMENTS)} that tell of noise"
        )
    if not any(one.excess > one.usual for one in found):
        raise NoNoise(f"{record.name} shows no interruptions")
    return _likeliest(found)


def _likeliest(found):
    (low_length, high_length), (low_interval, high_interval) = LENGTHS_US, INTERVALS_US
    best = None
    for _ in range(ROUNDS):
        lengths, intervals = _between(low_length, high_length), _between(low_interval, high_interval)
        tried = ((length, interval) for length in lengths for interval in intervals)
        best = max(tried, key=lambda one: sum(largest.log_likelihood(*one) for largest in found))
        width_length, width_interval = lengths[1] / lengths[0], intervals[1] / intervals[0]
        low_length, high_length = best[0] / width_length, best[0] * width_length
        low_interval, high_interval = best[1] / width_interval, best[1] * width_interval
    return best


def _between(low, high):
    return [low * (high / low) ** (step / (STEPS - 1)) for step in range(STEPS)]
