"""kumihimo bench report: one file, complete in itself, that says what the comparison says."""

import html.parser
import json
import re
import xml.etree.ElementTree

import pytest
from bench_support import made_up_result
from kumihimo.bench.suite import drawing


class Reader(html.parser.HTMLParser):
    """Checks that all elements are closed in order, and collects what a browser would fetch."""

    ALONE = ("meta", "link", "br", "img")

    def __init__(self, text):
        super().__init__()
        self.open, self.fetched, self.count = [], [], {}
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag not in self.ALONE:
            self.open.append(tag)
        self.fetched += [value for name, value in attributes if name in ("src", "srcset", "data", "xlink:href")]
        self.fetched += [value for name, value in attributes if name == "href" and not value.startswith("#")]

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.ALONE:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture
def page(bench):
    for name, options in (("a", {"launches": 20}), ("b", {"launches": 20, "seed": 1, "slower": {"Bcast": 1.3}})):
        (bench.directory / name).mkdir()
        (bench.directory / name / "result.json").write_text(json.dumps(made_up_result(name, **options)))

    def make(*words):
        bench.run("report", "b", *words, "-o", "page.html")
        return (bench.directory / "page.html").read_text()

    return make


def test_the_page_is_complete_in_itself(page):
    text = page("--reference", "a")
    reader = Reader(text)
    assert reader.fetched == [] and "script" not in reader.count and "@import" not in text and "url(" not in text
    assert reader.count["svg"] == 2 * 3 and reader.count["h2"] == 3
    assert "prefers-color-scheme: dark" in text
    for drawn in re.findall(r"<svg.*?</svg>", text):
        xml.etree.ElementTree.fromstring(drawn)


def test_verdicts_stand_beside_the_operations(page):
    text = page("--reference", "a")
    rows = dict(re.findall(r'<tr><td><a href="#(\w+)">.*?<td class="(slower|faster|unchanged|)">', text))
    assert rows == {"PingPong": "unchanged", "Bcast": "slower", "Allreduce": "unchanged"}
    assert "1 slower and 0 faster of 3 operations" in text
    assert text.count('class="band past"') == text.count('class="band now"') == 6


def test_without_a_reference_it_says_so(page):
    text = page()
    assert "no reference" in text and 'class="band past"' not in text and text.count("<svg") == 6


def test_published_numbers_are_points(page):
    text = page("--reference", "k-computer/8x6x8")
    assert text.count('class="point paper"') == 2 and "published 3.6 (shown, not tested)" in text


def test_a_single_size_is_told_in_words(bench):
    result = made_up_result("one", sizes=(1024,))
    (bench.directory / "one").mkdir()
    (bench.directory / "one" / "result.json").write_text(json.dumps(result))
    bench.run("report", "one", "-o", "page.html")
    text = (bench.directory / "page.html").read_text()
    assert "<svg" not in text and f"one: 1 KiB, {result['variants'][0]['cells'][0]['median_us']:.4g} us" in text


def test_a_curve_is_drawn_where_its_values_are():
    line = drawing.Line({4: (1.0, ""), 16: (2.0, ""), 64: (3.0, "")}, "now")
    chart = drawing.Chart("t", "u", [line])
    assert chart.x(16) - chart.x(4) == pytest.approx(chart.x(64) - chart.x(16))
    assert chart.y(1.0) - chart.y(2.0) == pytest.approx(chart.y(2.0) - chart.y(3.0)) and chart.y(3.0) >= drawing.TOP
    logarithmic = drawing.Chart("t", "u", [drawing.Line({4: (0.1, ""), 8: (1.0, ""), 16: (10.0, "")}, "now")], True)
    assert logarithmic.y(0.1) - logarithmic.y(1) == pytest.approx(logarithmic.y(1) - logarithmic.y(10))
    assert logarithmic.y(0.1) == drawing.HEIGHT - drawing.BOTTOM


@pytest.mark.parametrize("highest", [0.03, 1, 4.5, 9.99, 10, 11, 97])
def test_ticks_reach_the_highest_value(highest):
    ticks = drawing._steps(highest)
    assert ticks[0] == 0 and ticks[-2] < highest <= ticks[-1] * (1 + 1e-9) and len(ticks) <= 7
