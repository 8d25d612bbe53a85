"""Whether two groups of launches differ, for many curves at once, so that a comparison seldom cries wolf.

The launch is the unit: launches of the same program differ by more than the samples inside each of them tell. Values of both
groups are replaced by normal scores of their ranks (van der Waerden), which outliers cannot disturb. The test statistic is the
largest of all hypotheses; its distribution comes from dealing whole launches to the two groups again and again (Westfall and
Young), which is exact whatever the noise, also where operations of a launch are slow together."""

import itertools
import math
import random
from statistics import NormalDist

from . import quantiles

ALPHA = 0.0005  # of a false alarm in a comparison: half of what is promised
DEALS = 20000  # random ones, where there are more than that


class Test:
    """hypotheses: for each the values of all launches, those of group A (the first `a_count`) before those of B."""

    def __init__(self, hypotheses, a_count):
        self.a_count, self.count = a_count, len(hypotheses[0])
        columns = [standard_scores(values) for values in hypotheses]
        deviation = _deviation(a_count, self.count - a_count)
        self._rows = [tuple(column[i] / deviation for column in columns) for i in range(self.count)]
        self.observed = [sum(column) for column in zip(*self._rows[a_count:])]
        self._maxima = None

    def p_values(self, alpha=ALPHA):
        """Adjusted for all hypotheses. Where none can be as small as alpha any more, all are None, and time is saved."""
        largest = max(map(abs, self.observed))
        allowed = alpha * self._deal_count()
        maxima, exceeding = [], 0
        for maximum in self._deal():
            maxima.append(maximum)
            exceeding += maximum >= largest - 1e-9
            if exceeding > allowed:
                return [None] * len(self.observed)
        self._maxima = sorted(maxima)
        return [self._share(abs(value)) for value in self.observed]

    def critical(self, alpha=ALPHA):
        """The statistic from which on a hypothesis is rejected; None if no deal of so few launches is rare enough."""
        if self._maxima is None:
            self._maxima = sorted(self._deal())
        above = int(alpha * len(self._maxima))
        rare = self._maxima[-above:] if above else []
        return next((maximum for maximum in rare if self._share(maximum) <= alpha), None)

    def _share(self, value):
        return sum(maximum >= value - 1e-9 for maximum in self._maxima) / len(self._maxima)

    def _deal_count(self):
        return min(DEALS, math.comb(self.count, self.a_count))

    # The deal that was observed is one of them, else a p value could be 0.
    def _deal(self):
        yield max(map(abs, self.observed))
        everybody = range(self.count)
        if math.comb(self.count, self.a_count) <= DEALS:
            deals = itertools.islice(itertools.combinations(everybody, self.a_count), 1, None)
            others = (sorted(set(everybody) - set(deal)) for deal in deals)
        else:
            chance = random.Random(1)
            others = (chance.sample(everybody, self.count - self.a_count) for _ in range(DEALS - 1))
        for chosen in others:
            yield max(map(abs, map(sum, zip(*[self._rows[i] for i in chosen]))))


def _deviation(a_count, b_count):
    """Of the sum of B's standard scores over all deals."""
    return math.sqrt(a_count * b_count / (a_count + b_count - 1))


def least_launches(hypotheses, alpha=ALPHA):
    """Of each group, enough for any hypotheses: two deals part the groups entirely in each of them, and these must be rare."""
    return next(count for count in itertools.count(1) if 2 * hypotheses <= alpha * math.comb(2 * count, count))


def standard_scores(values):
    """Normal scores of the ranks, of mean 0 and mean square 1; equal values share their ranks (all 0 if all are equal)."""
    count = len(values)
    order = sorted(range(count), key=values.__getitem__)
    scores = [0.0] * count
    for _, group in itertools.groupby(enumerate(order), key=lambda pair: values[pair[1]]):
        pairs = list(group)
        rank = sum(position for position, _ in pairs) / len(pairs)
        for _, i in pairs:
            scores[i] = _normal_score(rank, count)
    mean = sum(scores) / count
    size = math.sqrt(sum((score - mean) ** 2 for score in scores) / count)
    return [(score - mean) / size if size > 1e-12 else 0.0 for score in scores]


def _normal_score(rank, count):
    return NormalDist().inv_cdf((rank + 0.5) / count)


# ---- How large a change is ----


def shift(a, b):
    """(estimate, low, high) of B's values minus A's: Hodges and Lehmann's, with the 95 % interval of Wilcoxon's test."""
    differences = sorted(y - x for x in a for y in b)
    pairs = len(differences)
    spread = 1.96 * math.sqrt(pairs * (len(a) + len(b) + 1) / 12)
    below = max(0, math.floor(pairs / 2 - spread))
    return quantiles.quantile(differences, 0.5), differences[below], differences[pairs - 1 - below]


def paired(values):
    """(median, low, high) of values of which each comes from one round: the median's 95 % interval by the sign test, which
    assumes nothing of the distribution. Of fewer than six values it is their range, and holds less."""
    ordered, count = sorted(values), len(values)
    tail, rank = 0.0, 0
    while rank < count // 2:
        tail += math.comb(count, rank) / 2**count
        if tail > 0.025:
            break
        rank += 1
    rank = max(rank - 1, 0)
    return quantiles.quantile(ordered, 0.5), ordered[rank], ordered[count - 1 - rank]


# ---- Which change would have been found ----

_DRAWS, _POWER, _LARGEST = 300, 0.95, math.log(4)


def detectable(a, b, critical):
    """The smallest shift of B that such launches find with 95 % probability; None if there is none up to fourfold.
    Launches are drawn again from what the groups' values differ from their medians."""
    if critical is None:
        return None
    chance = random.Random(2)
    noise = _residuals(a) + _residuals(b)
    table = _table(len(a), len(b))
    needed = []
    for _ in range(_DRAWS):
        first, second = chance.choices(noise, k=len(a)), chance.choices(noise, k=len(b))
        needed.append(_least_shift(first, second, table, critical))
    found = quantiles.quantile(sorted(needed), _POWER)
    return None if found >= _LARGEST else found


def _residuals(values):
    """Drawn from few values, noise would look smaller than it is."""
    middle, count = quantiles.median(values), len(values)
    widening = math.sqrt(count / (count - 2)) if count > 2 else 2.0
    return [(value - middle) * widening for value in values]


def _table(a_count, b_count):
    """What each rank adds to the statistic when B has it."""
    deviation = _deviation(a_count, b_count)
    return [score / deviation for score in standard_scores(list(range(a_count + b_count)))]


def _least_shift(a, b, table, critical):
    low, high = 0.0, _LARGEST
    for _ in range(10):
        middle = (low + high) / 2
        if _statistic(a, [value + middle for value in b], table) >= critical:
            high = middle
        else:
            low = middle
    return high


def _statistic(a, b, table):
    merged = sorted([(value, 0) for value in a] + [(value, 1) for value in b])
    return sum(score for score, (_, second) in zip(table, merged) if second)
