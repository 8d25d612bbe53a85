"""kumihimo bench report: one file, complete in itself, that says what the comparison says."""

import html.parser
import json
import re
import xml.etree.ElementTree

import pytest
from bench_support import made_up_result
from browser_support import LOOKS
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
    """Makes a report of `b`, ten launches and more unless told otherwise, and gives its text; it is page.html."""

    def make(*words, launches=20, slower=1.3):
        for name, options in (("a", {}), ("b", {"seed": 1, "slower": {"Bcast": slower}})):
            (bench.directory / name).mkdir()
            (bench.directory / name / "result.json").write_text(json.dumps(made_up_result(name, launches=launches, **options)))
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


def verdicts(text):
    """{operation: (verdict, smallest detectable change)}."""
    row = r'<tr class="(\w+)">.*?<a href="#(\w+)">.*?data-head="smallest detectable change">(.*?)</td>'
    return {name: (verdict, found) for verdict, name, found in re.findall(row, text)}


def test_verdicts_stand_beside_the_operations(page):
    text = page("--reference", "a")
    told = verdicts(text)
    assert {name: verdict for name, (verdict, _) in told.items()} == {
        "PingPong": "unchanged",
        "Bcast": "slower",
        "Allreduce": "unchanged",
    }
    assert all(0 < float(found.removesuffix(" %")) < 10 for _, found in told.values())
    assert "1 slower and 0 faster of 3 operations" in text
    assert text.count('class="band past"') == text.count('class="band now"') == 6


def test_a_curve_twice_as_slow_in_few_launches_is_not_called_unchanged(page):
    text = page("--reference", "a", launches=3, slower=2)
    assert verdicts(text)["Bcast"] == ("undecided", "none")
    assert text.count("3 and 3 launches are too few to tell a change from chance") == 1
    assert 'data-head="time against reference">+9' in text or 'data-head="time against reference">+10' in text


def test_one_launch_differs_from_none(page):
    assert "±" not in page(launches=1)


def test_without_a_reference_there_are_no_verdicts(page):
    text = page()
    assert "verdict" not in re.sub(r"<style>.*</style>", "", text, flags=re.S)
    assert 'class="band past"' not in text and text.count("<svg") == 6 and text.count("±") == 3


def test_published_numbers_are_points(page):
    text = page("--reference", "k-computer/8x6x8")
    assert text.count('class="point paper"') == 2 and "3.6 GiB/s (1 MiB), here" in text
    assert text.count("Published numbers are shown, not tested") == 1


@pytest.mark.parametrize("words", [[], ["--reference", "a"], ["--reference", "k-computer/8x6x8"]])
def test_a_browser_shows_the_page(page, bench, browser, words):
    page(*words)
    assert browser.problems(bench.directory / "page.html") == []


def test_the_browser_finds_what_is_wrong(tmp_path, browser):
    (tmp_path / "bad.html").write_text(
        '<html><meta name="viewport" content="width=device-width">'
        "<style>@media (prefers-color-scheme: dark) { body { background: black } } p { color: #222; width: 500px }</style>"
        "<p>dark in the dark</p><script>console.error('alas'); none()</script></html>"
    )
    found = "\n".join(browser.problems(tmp_path))
    assert "bad.html: alas" in found and "none is not defined" in found
    assert found.count("400 pixels: is 5") == len(LOOKS) / 2 and "1600 pixels: is" not in found
    assert found.count("text hardly to be read: dark in the dark") == len(LOOKS) / 2


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


def test_long_times_have_short_labels():
    line = drawing.Line({4: (0.5, ""), 8: (2e6, "")}, "now")
    drawn = drawing.Chart("t", "us", [line], True).svg()
    assert all(f">{label}<" in drawn for label in ("0.1", "100", "1 k", "100 k", "1 M", "10 M"))
