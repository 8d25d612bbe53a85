"""Pages in a real browser: headless Chromium looks at them in both colour schemes, in a narrow and in a wide window.

One browser serves all pages of a test run. Chromium is Debian's (tools/setup browser); Playwright drives it."""

import contextlib
import itertools
import pathlib
import shutil

import pytest
from long_form import LONG_FORM

SCHEMES, WIDTHS = ("light", "dark"), (400, 1600)
# Colours are the scheme's, and what is too wide the width's: the short form looks at each of them once.
LOOKS = list(itertools.product(SCHEMES, WIDTHS) if LONG_FORM else zip(SCHEMES, WIDTHS))
TIMEOUT_MS = 120_000  # other tests load the machine

# What a reader would miss: text beyond the window's edge, or hardly to be told from its ground (WCAG: 4.5).
LOOK = """() => {
  const colour = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [[r, .2126], [g, .7152], [b, .0722]].reduce((sum, [part, weight]) => {
    part /= 255;
    return sum + weight * (part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4);
  }, 0);
  const ground = element => {
    for (let e = element; e; e = e.parentElement) {
      const found = colour(getComputedStyle(e).backgroundColor);
      if (found.length === 3 || found[3] > .9) return found;
    }
    return [255, 255, 255];
  };
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push(`is ${root.scrollWidth} pixels wide`);
  const pale = [...document.querySelectorAll('p, td, dd, h1, h2, li')].filter(element => {
    if (!element.checkVisibility() || !element.textContent.trim()) return false;
    const [a, b] = [light(colour(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
    return (a + .05) / (b + .05) < 4.5;
  });
  if (pale.length) found.push(`text hardly to be read: ${pale[0].textContent.trim().slice(0, 60)}`);
  return found;
}"""


class Browser:
    def __init__(self, chromium):
        self._chromium = chromium

    def problems(self, *paths):
        """What is wrong with pages, or with all pages of directories: [page and what, ...]."""
        found = [sorted(path.rglob("*.html")) if path.is_dir() else [path] for path in map(pathlib.Path, paths)]
        pages = itertools.chain.from_iterable(found)
        with contextlib.closing(self._chromium.new_page()) as tab:
            tab.set_default_timeout(TIMEOUT_MS)
            heard = []
            tab.on("console", lambda message: heard.append(message.text) if message.type in ("error", "warning") else None)
            tab.on("pageerror", lambda error: heard.append(str(error)))
            tab.on("requestfailed", lambda request: heard.append(f"cannot load {request.url}"))
            return [problem for page in pages for problem in _problems_of(tab, page, heard)]

    def run(self, path, script):
        """What the script finds in the page."""
        with contextlib.closing(self._chromium.new_page()) as tab:
            tab.goto(pathlib.Path(path).resolve().as_uri(), timeout=TIMEOUT_MS)
            return tab.evaluate(script)


def _problems_of(tab, page, heard):
    heard.clear()
    tab.goto(page.resolve().as_uri(), wait_until="load")
    found = []
    for scheme, width in LOOKS:
        tab.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # nothing is looked at on its way
        tab.set_viewport_size({"width": width, "height": 900})
        found += [f"{page.name}, {scheme}, {width} pixels: {problem}" for problem in tab.evaluate(LOOK)]
    return [*(f"{page.name}: {message}" for message in heard), *found]


@pytest.fixture(scope="session")
def browser():
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("Chromium is missing: tools/setup browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        flags = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        chromium = driver.chromium.launch(executable_path=program, args=flags, timeout=TIMEOUT_MS)
        yield Browser(chromium)
        chromium.close()
