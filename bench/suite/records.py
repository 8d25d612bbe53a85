"""What is compared and reported: one variant's curves and the key they were measured under, from a campaign or the database."""

import math

KEY = ("machine", "ranks", "shape", "start")  # what must be equal for a comparison to mean anything
SUBJECT = ("family", "library", "settings")  # what may differ: it is what one compares


class Record:
    """cells: those of a result (result.schema.json). points: {operation: {size: GiB/s}} and switches: {operation: [size, ...]}
    of published records, which have no launches."""

    def __init__(self, name, key, cells, *, created="", quick=False, note="", points=None, switches=None, simulated=False):
        self.name, self.key, self.cells = name, key, cells
        self.created, self.quick, self.note = created, quick, note
        self.points, self.switches = points or {}, switches or {}
        self.simulated = simulated

    @property
    def published(self):
        return bool(self.points or self.switches)

    @property
    def kind(self):
        return "simulated" if self.simulated else "published" if self.published else "measured"

    @property
    def launches(self):
        return max((len(cell["launches"]) for cell in self.cells), default=0)

    @property
    def launches_text(self):
        return "1 launch" if self.launches == 1 else f"{self.launches} launches"

    def operations(self):
        return list(dict.fromkeys([cell["operation"] for cell in self.cells] + list(self.points)))

    def curve(self, operation):
        """{size: cell}."""
        return {cell["bytes"]: cell for cell in self.cells if cell["operation"] == operation}

    def launch_times(self, operation, size):
        """{launch: its median in us} of one cell; nothing where it was not measured."""
        cell = self.curve(operation).get(size)
        return _medians(cell) if cell else {}

    def times(self, operation):
        """{size: [median of each launch in us]}: of the launches that all sizes have, in their order."""
        by_size = {size: _medians(cell) for size, cell in self.curve(operation).items()}
        common = sorted(set.intersection(*map(set, by_size.values()))) if by_size else []
        return {size: [times[launch] for launch in common] for size, times in by_size.items()} if common else {}

    def describe(self):
        shape = "x".join(map(str, self.key["shape"]))
        settings = "".join(f" {name}={value}" for name, value in self.key["settings"].items())
        library = self.key["library"].split(",")[0]
        return f"{self.name}: {library}, {self.key['ranks']} ranks as {shape} on {self.key['machine']}{settings}"


def _medians(cell):
    return {one["launch"]: one["median"] for one in cell["launches"]}


def _start(result):
    """How calls were made: roots that take turns make other calls."""
    return result["start"] + (", roots in turn" if result.get("root") == "turn" else "")


def of_simulation(result, name):
    """What `kumihimo simulate run --json` printed: of each operation and size the fastest way."""
    points = {}
    for cell in result["cells"]:
        if cell["throughput_gib_s"]:
            of_sizes = points.setdefault(cell["operation"], {})
            of_sizes[cell["bytes"]] = max(cell["throughput_gib_s"], of_sizes.get(cell["bytes"], 0))
    shape = [int(extent) for extent in result["shape"].split("x")]
    key = {"machine": result["machine"], "ranks": math.prod(shape), "shape": shape, "start": "simulated"}
    key.update(family="", library="simulated", settings=result["settings"])
    return Record(name, key, [], note="simulated", points=points, simulated=True)


def of_variant(result, variant, name):
    key = {name_: variant[name_] for name_ in ("ranks", "shape", "family", "library", "settings")}
    key.update(machine=result["machine"]["name"], start=_start(result))
    return Record(name, key, variant["cells"], created=result["created"], quick=result["quick"])
