"""What a simulation of the K computer is compared with (simulator/evidence.toml), and what each row may be used for."""

import math
import os

import tomllib  # Python 3.11: only developers' programs read evidence

from ...bench.suite import sizes

PATH = os.path.join(os.path.dirname(__file__), os.pardir, "evidence.toml")
FITTED, EXPLAINED, HELD_OUT, SEEN, ASSUMED = USES = ("fitted", "explained", "held out", "seen", "assumed")
TABLES = ("throughput", "ratio", "switch", "order")


class Evidence:
    """table -> rows, in the file's order."""

    def __init__(self, data):
        self.measurement, self.shapes, self.fits = data["measurement"], data["shapes"], data["fit"]
        self.rows = {table: data[table] for table in TABLES}

    def shape(self, nodes, name):
        """(shape of the ranks, shape of the machine's x, y and z)."""
        one = self.shapes[str(nodes)][name]
        return one["ranks"], one["physical"]

    def calls(self, size):
        """How many calls IMB times together."""
        most = self.measurement["calls_at_most"]
        return most if size == 0 else max(1, min(most, self.measurement["volume"] // size))

    def fitted(self, fit):
        """All that a fit may see: the rows it names, no other."""
        return [one for one in self.rows["throughput"] if one["name"] in fit["rows"]]

    def counts(self):
        """{use: number of rows}."""
        uses = [one["use"] for rows in self.rows.values() for one in rows]
        return {use: uses.count(use) for use in USES}


def load(path=PATH):
    with open(path, "rb") as file:
        return Evidence(tomllib.load(file))


# ---- What a simulation says of each row ----


class Verdict:
    """One row beside what was simulated, all as text. held: whether the goal is met; None where nothing was simulated."""

    def __init__(self, table, row, published, simulated, miss, held):
        self.table, self.row, self.published, self.simulated, self.miss, self.held = (
            table,
            row,
            published,
            simulated,
            miss,
            held,
        )


def judge(table, row, found):
    """found: as _JUDGES' function of the table takes it; None where the cell could not be simulated."""
    if found is None:
        return Verdict(table, row, _published(table, row), None, "not simulated", None)
    return _JUDGES[table](row, found)


def _throughput(row, rate):
    miss = rate / row["published"] - 1
    told = f"{miss:+.1%}".replace("%", " %")
    return Verdict("throughput", row, _published("throughput", row), f"{rate:.2f} GiB/s", told, abs(miss) <= row["goal"])


def _ratio(row, times_faster):
    outside = _outside(times_faster, *row["published"])
    told = "inside" if outside == 1 else f"{outside:.1f} times outside"
    return Verdict("ratio", row, _published("ratio", row), f"{times_faster:.1f}", told, outside <= 1.25)


def _switch(row, found):
    """found: {nodes: size, or None where no size switches}; the worst of them counts."""
    outside = max(math.inf if size is None else _outside(size, *row["published"]) for size in found.values())
    told = "inside" if outside == 1 else "never" if math.isinf(outside) else f"{outside:.1f} times outside"
    simulated = ", ".join("never" if size is None else _about(size) for size in found.values())
    return Verdict("switch", row, _published("switch", row), simulated, told, outside <= 2)


def _order(row, rates):
    """rates: of the row's cases, which should rise."""
    held = all(low < high for low, high in zip(rates, rates[1:]))
    return Verdict("order", row, _published("order", row), " < ".join(f"{rate:.2f}" for rate in rates), "", held)


_JUDGES = {"throughput": _throughput, "ratio": _ratio, "switch": _switch, "order": _order}


def _published(table, row):
    if table == "throughput":
        return f"{'about ' if row['about'] else ''}{row['published']} GiB/s"
    if table == "order":
        return " < ".join(row.get("ascending") or map(sizes.text, row["work"]))
    low, high = row["published"]
    show = sizes.text if table == "switch" else "{:g}".format
    return show(low) if low == high else f"{show(low)} to {show(high)}"


def _outside(value, low, high):
    """1 inside, else by how many times it lies below or above."""
    return max(1.0, low / value, value / high)


def _about(size):
    return f"{size:.3g} B" if size < 1024 else f"{size / 1024:.3g} KiB"


def crossing(slower, faster):
    """{size: time} of two: the size from which `faster` is, between two sizes on logarithmic axes; None if it never is."""
    common = sorted(set(slower) & set(faster))
    leads = [math.log(slower[size] / faster[size]) for size in common]  # above 0: it is faster
    first = next((i for i in range(len(common)) if all(lead > 0 for lead in leads[i:])), None)
    if first is None or first == 0:
        return None if first is None else float(common[0])
    share = -leads[first - 1] / (leads[first] - leads[first - 1])
    return math.exp(math.log(common[first - 1]) * (1 - share) + math.log(common[first]) * share)
