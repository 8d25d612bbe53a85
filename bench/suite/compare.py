"""B against A: for each operation whether it became slower or faster, in which sizes and by how much, and which change could
have been found. A curve is cut where launches of either have switches: one that has moved makes a section of its own."""

import math

from . import quantiles, records, significance, switches

SLOWER, FASTER, UNCHANGED, UNDECIDED = "slower", "faster", "unchanged", "undecided"


class Incomparable(Exception):
    pass


class Section:
    """Sizes without a switch between them, or the whole curve."""

    def __init__(self, sizes, a, b):
        self.sizes = sizes
        self.a, self.b = (_means([side[size] for size in sizes]) for side in (a, b))  # one value for each launch
        self.shift, self.low, self.high = significance.shift(self.a, self.b)
        self.p = None
        self.verdict = UNCHANGED

    def decide(self, p, alpha, tolerance):
        self.p = p
        if p is not None and p <= alpha and abs(self.shift) >= math.log1p(tolerance):
            self.verdict = SLOWER if self.shift > 0 else FASTER


class Operation:
    """One operation that both have measured. whole: its curve as one section, which finds small changes of all sizes."""

    def __init__(self, name, a, b):
        self.name = name
        common = sorted(set(a) & set(b))
        a, b = ({size: side[size] for size in common} for side in (a, b))
        self.switches = [switches.find(a), switches.find(b)]
        logarithms = [{size: [math.log(max(time, 1e-4)) for time in side[size]] for size in common} for side in (a, b)]
        cuts = switches.cuts({size: a[size] + b[size] for size in common})  # who is A and who is B plays no part
        parts = switches.sections(common, cuts)
        self.whole = Section(common, *logarithms)
        self.sections = [Section(part, *logarithms) for part in parts] if len(parts) > 1 else []
        self.detectable = None  # share by which the whole curve would have to change
        self.enough = True  # launches, for any change to be told from chance
        self.undecided = False

    def all(self):
        return [self.whole, *self.sections]

    @property
    def verdict(self):
        verdicts = {section.verdict for section in self.all()}
        return next((one for one in (SLOWER, FASTER) if one in verdicts), UNDECIDED if self.undecided else UNCHANGED)

    def find_detectable(self, critical, tolerance):
        """A difference half as large as what could be found is neither a change nor none."""
        self.enough = critical is not None
        found = significance.detectable(self.whole.a, self.whole.b, critical)
        self.detectable = None if found is None else max(math.expm1(found), tolerance)
        self.undecided = found is None or abs(self.whole.shift) >= max(found / 2, math.log1p(tolerance))


class Comparison:
    def __init__(self, a, b, tolerance=0.01, anyway=False):
        self.a, self.b, self.tolerance = a, b, tolerance
        self.differences = _differences(a, b)
        if not anyway:
            _refuse(self.differences, a, b)
        self.operations = [Operation(name, a.times(name), b.times(name)) for name in a.operations() if _both(a, b, name)]
        if not self.operations and not (a.published or b.published):
            raise Incomparable(f"{a.name} and {b.name} have no operation and size in common")
        self.missing = [name for name in a.operations() if name not in b.operations()]
        groups = _groups(self.operations)
        self._alpha = significance.ALPHA / max(1, len(groups))
        self._tests = [(self._test(operations), operations) for operations in groups]

    @property
    def slower(self):
        return any(operation.verdict == SLOWER for operation in self.operations)

    @property
    def least_launches(self):
        """Of each side, enough for a change to be found."""
        return max(significance.least_launches(len(test.observed), self._alpha) for test, _ in self._tests)

    def _test(self, operations):
        """One test for all operations with the same launches."""
        sections = [section for operation in operations for section in operation.all()]
        test = significance.Test([section.a + section.b for section in sections], len(sections[0].a))
        for section, p in zip(sections, test.p_values(self._alpha)):
            section.decide(p, self._alpha, self.tolerance)
        return test

    def find_detectable(self):
        """Takes a second or two."""
        for test, operations in self._tests:
            critical = test.critical(self._alpha)
            for operation in operations:
                operation.find_detectable(critical, self.tolerance)


def _means(rows):
    """Of each launch over the sizes."""
    return [sum(values) / len(values) for values in zip(*rows)]


def _both(a, b, name):
    return bool(set(a.times(name)) & set(b.times(name)))


def _groups(operations):
    """By the numbers of launches, which are the same for all operations of a campaign."""
    groups = {}
    for operation in operations:
        groups.setdefault((len(operation.whole.a), len(operation.whole.b)), []).append(operation)
    return list(groups.values())


def _differences(a, b):
    """{part of the key: (A's, B's)}."""
    return {name: (a.key[name], b.key[name]) for name in records.KEY + records.SUBJECT if a.key[name] != b.key[name]}


def _refuse(differences, a, b):
    # A model has another name than its machine, and no start of calls.
    alike = ("ranks", "shape") if a.simulated or b.simulated else records.KEY
    serious = [name for name in alike if name in differences]
    if serious:
        told = "; ".join(f"{name} {differences[name][0]} and {differences[name][1]}" for name in serious)
        raise Incomparable(f"{a.name} and {b.name} were not measured alike: {told} (--anyway compares them all the same)")


def points(a, b):
    """[(operation, size, A's GiB/s, B's)] where one side is published: shown, not tested, since nobody told its launches."""
    found = []
    for name in dict.fromkeys([*a.points, *b.points]):
        sides = [_rates(one, name) for one in (a, b)]
        found += [(name, size, sides[0][size], sides[1][size]) for size in sorted(set(sides[0]) & set(sides[1]))]
    return found


def _rates(record, name):
    measured = {size: cell["throughput_gib_s"] for size, cell in record.curve(name).items() if cell["throughput_gib_s"]}
    return {**measured, **record.points.get(name, {})}


def typical_noise(record, operation):
    """Half of the range that holds 80 % of the launches, as a share of the median: the median over the sizes. None where one
    launch has nothing to differ from."""
    shares = []
    for times in record.times(operation).values():
        ordered = sorted(times)
        middle = quantiles.quantile(ordered, 0.5)
        if middle > 0 and len(ordered) > 1:
            shares.append((quantiles.quantile(ordered, 0.9) - quantiles.quantile(ordered, 0.1)) / 2 / middle)
    return quantiles.median(shares) if shares else None
