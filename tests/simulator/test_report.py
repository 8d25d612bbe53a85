"""`kumihimo simulate run -o report.html`: one file, complete in itself, whose numbers are those of the result."""

import base64
import html.parser
import json
import pathlib
import random
import re
import zlib
from xml.etree import ElementTree

import pytest
from kumihimo.bench.suite import schema, simulations
from kumihimo.simulator.suite import report, results

K = ("--machine", "k-computer", "--shape", "8x6x8", "--nodes", "4x2x4")


class Reader(html.parser.HTMLParser):
    """Checks that elements are closed in order, and collects what a browser would fetch."""

    def __init__(self, text):
        super().__init__()
        self.open, self.fetched, self.tags, self.texts = [], [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in ("meta", "input", "link", "img"):
            self.open.append(tag)
        self.fetched += [value for name, value in attributes if name in ("src", "href", "data")]

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_a_report_has_what_the_result_has(simulate, tmp_path):
    page = tmp_path / "report.html"
    words = ("run", "Sendrecv", "Bcast", *K, "--algorithm", "tree3,binomial", "--sizes", "1K,1M", "-o", page, "--json")
    cells = json.loads(simulate(*words))["cells"]
    text = page.read_text()
    reader = Reader(text)
    assert reader.fetched == [] and "url(" not in text and "@import" not in text and "prefers-color-scheme: dark" in text
    for cell in cells:
        assert f"{cell['time_us']:.2f}" in reader.texts
        for bound in cell["bounds_us"].values():
            assert f"{bound:.2f}" in reader.texts and bound <= cell["time_us"]
    assert reader.tags.count("canvas") == 2 and reader.tags.count("svg") >= 4
    assert "published: 1 MiB, 3.6 GiB/s" in text

    # The loads of the links, taken out of the page as the script takes them, are what the links were busy.
    data = json.loads(re.findall(r'<script type="application/json">(.*?)</script>', text)[1])
    assert [axis["extent"] for axis in data["axes"]] == [4, 2, 4, 2, 3, 2]
    loads = zlib.decompress(base64.b64decode(data["loads"])).decode()
    assert len(loads) == 384 * 12 * data["slices"]
    tree = next(cell for cell in cells if cell["algorithm"] == "tree3" and cell["bytes"] == 1 << 20)
    most = max(sum(int(digit, 16) for digit in loads[i : i + data["slices"]]) for i in range(0, len(loads), data["slices"]))
    # Levels are rounded up.
    assert tree["bounds_us"]["link"] <= most / 15 * data["slice_us"] * 1.0001
    assert most / 15 * data["slice_us"] < 1.2 * tree["bounds_us"]["link"] + data["slice_us"]


def test_the_same_page_twice(simulate, tmp_path):
    for name in ("a", "b"):
        simulate("run", "Barrier", "--machine", "fat-tree", "--shape", "9", "--algorithm", "all", "-o", tmp_path / name)
    assert (tmp_path / "a").read_text() == (tmp_path / "b").read_text()
    assert "<canvas" not in (tmp_path / "a").read_text()  # no torus


def test_frames_show_the_loads_of_each_slice(simulate, tmp_path):
    words = ("run", "Bcast", *K, "--algorithm", "tree3", "--sizes", "64K", "--frames")
    simulate(*words, tmp_path / "a")
    simulate(*words, tmp_path / "b")
    pictures = sorted((tmp_path / "a").iterdir())
    assert len(pictures) > 8 and pictures[0].name == "Bcast-tree3-64-KiB-000.svg"
    assert [one.read_text() for one in pictures] == [(tmp_path / "b" / one.name).read_text() for one in pictures]
    idle = []
    for one in pictures:
        root = ElementTree.parse(one).getroot()
        squares = {path.get("class"): path.get("d").count("M") for path in root.iter("{http://www.w3.org/2000/svg}path")}
        assert sum(squares.values()) == 384
        idle.append(squares.get("l0", 0))
    assert min(idle) < 300 < 370 < max(idle)  # a hundred nodes send at once in the middle, few at the begin
    told = simulate(
        "run", "Barrier", "--machine", "fat-tree", "--shape", "9", "--algorithm", "all", "--frames", tmp_path, code=2
    )
    assert "--frames shows planes of a torus, and fat tree is none" in told


def test_large_machines_take_little_room():
    loads = "".join(random.Random(3).choices("0123456789abcdef", k=82944 * 2))
    cell = {"operation": "Bcast", "algorithm": "tree3", "bytes": 8, "time_us": 1.0}
    step = ["works", 0, -1, 0, 0.0, 1.0, 0.0]
    answer = {"timeline": {"slices": 2, "slice_us": 1.0, "loads": loads}, "links": [], "path": [step] * 5000}
    axes = [{"name": "x", "extent": 82944 // 12}]
    machine = {"axes": axes, "explanation": "e"}
    shown = report._detail(report.Detail(cell, answer), machine, 100)
    assert len(shown) < 150_000 and '"slices": 1,' in shown and "4700 steps more" in shown


def test_path_of_each_cell(simulate):
    words = ("run", "Bcast", "--machine", "fat-tree", "--shape", "8", "--algorithm", "chain,linear", "--sizes", "1K")
    schema_ = json.loads((pathlib.Path(simulations.__file__).parent / "simulation.schema.json").read_text())
    result = json.loads(simulate(*words, "--path", "--json"))
    assert schema.mistake(result, schema_) is None
    for cell in result["cells"]:
        steps = cell["path"]
        assert steps[0][4] == 0 and steps[-1][5] == pytest.approx(cell["time_us"])
        assert all(before[5] == after[4] for before, after in zip(steps, steps[1:]))
        assert sum(results.path_summary(steps).values()) == pytest.approx(cell["time_us"])
    text = simulate(*words, "--path")
    assert text.count("The critical path: ") == 2 and "rank 1 takes a message from rank 0, 1024 B" in text


def test_compare_explains_by_the_path(simulate, tmp_path):
    words = ("run", "Gather", "--machine", "fat-tree", "--shape", "40", "--algorithm", "linear", "--sizes", "64K", "--path")
    (tmp_path / "a").write_text(simulate(*words, "--json"))
    old = json.loads((tmp_path / "a").read_text())
    new = json.loads((tmp_path / "a").read_text())
    cell = new["cells"][0]
    cell["time_us"] += 5
    cell["path"].append(["message", 0, 1, 8, cell["time_us"] - 5, cell["time_us"], 4.0])
    (tmp_path / "b").write_text(json.dumps(new))
    compared = json.loads(simulate("compare", tmp_path / "a", tmp_path / "b", "--json"))
    waits = results.path_summary(old["cells"][0]["path"])["waits"]
    assert compared["cells"][0]["because"] == f"critical path, waits: {waits:.4g} -> {waits + 4:.4g} us"
