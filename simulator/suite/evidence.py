"""What a simulation of the K computer is compared with (simulator/evidence.toml), and what each row may be used for."""

import os

import tomllib  # Python 3.11: only developers' programs read evidence

PATH = os.path.join(os.path.dirname(__file__), os.pardir, "evidence.toml")
FITTED, EXPLAINED, HELD_OUT, ASSUMED = USES = ("fitted", "explained", "held out", "assumed")
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
