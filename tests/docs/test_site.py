"""The documentation as a site: it builds without a warning, every link and anchor leads somewhere, and nothing in it comes from
another machine."""

import html.parser
import os
import pathlib
import subprocess
import sys
import urllib.parse

import pytest
from made_once import made_once
from markdown_it import MarkdownIt
from pymdownx.slugs import slugify

ROOT = pathlib.Path(__file__).resolve().parents[2]
SLUG = slugify(case="lower")
LOADED = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src"}


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    return made_once(tmp_path_factory, "site", build_site)


def build_site(directory):
    """As `make docs` builds it."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", directory],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stdout + done.stderr


class Page(html.parser.HTMLParser):
    """What a page of the site loads and links, and the anchors in it."""

    def __init__(self, path):
        super().__init__()
        self.loads, self.links, self.anchors = [], [], set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag in LOADED and values.get(LOADED[tag]) and values.get("rel") != "canonical":
            self.loads.append(values[LOADED[tag]])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])


@pytest.fixture(scope="session")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}


def test_every_page_is_there(site, pages):
    sources = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    assert len(sources) > 10
    assert [source for source in sources if site / source.with_suffix(".html") not in pages] == []


def test_every_page_is_in_the_navigation(site, pages):
    home = site / "index.html"
    listed = {os.path.normpath(home.parent / link) for page, found in pages.items() for link in _local(page, found, site)}
    sources = [(ROOT / "docs", path) for path in (ROOT / "docs").rglob("*.md")]
    missing = [path.name for docs, path in sources if str(site / path.relative_to(docs).with_suffix(".html")) not in listed]
    assert missing == []


@pytest.mark.parametrize("index", sorted((ROOT / "docs").glob("*/index.md")), ids=lambda path: path.parent.name)
def test_an_index_names_all_pages_of_its_section(index):
    """It is the section's first page, and gives the navigation its order."""
    linked = set(_addresses(MarkdownIt().enable("table").parse(index.read_text())))
    assert {path.name for path in index.parent.glob("*.md")} - linked - {"index.md"} == set()


def _local(path, page, site):
    """Links of a page to files of the site, from its root."""
    for link in page.links:
        parts = urllib.parse.urlsplit(link)
        if not parts.scheme and parts.path:
            yield os.path.relpath(path.parent / urllib.parse.unquote(parts.path), site)


def test_nothing_comes_from_another_machine(pages):
    loaded = {(path.name, address) for path, page in pages.items() for address in page.loads if "//" in address}
    assert loaded == set()


def test_links_and_anchors_lead_somewhere(site, pages):
    broken = []
    for path, page in pages.items():
        for link in [*page.links, *page.loads]:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme:
                continue
            target = pathlib.Path(os.path.normpath(path.parent / urllib.parse.unquote(parts.path))) if parts.path else path
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.is_file() or (anchor and target in pages and anchor not in pages[target].anchors):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert broken == []


MARKDOWN = [
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines()
] or sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("path", [path for path in MARKDOWN if path.exists()], ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_files_of_the_repository(path):
    """As a reader of the repository follows them, also outside of docs/."""
    broken = []
    for address in _addresses(MarkdownIt().enable("table").parse(path.read_text())):
        parts = urllib.parse.urlsplit(address)
        target = path.parent / urllib.parse.unquote(parts.path) if parts.path else path
        if not parts.scheme and (not target.exists() or (parts.fragment and parts.fragment not in _anchors(target))):
            broken.append(address)
    assert broken == []


def _addresses(tokens):
    for token in tokens:
        yield from _addresses(token.children or [])
        if token.type in ("link_open", "image"):
            yield token.attrs.get("href") or token.attrs.get("src")


def _anchors(path):
    """The anchors that GitHub and the site make of a page's headings."""
    if path.suffix != ".md":
        return set()
    tokens = MarkdownIt().parse(path.read_text())
    texts = [after.content for token, after in zip(tokens, tokens[1:]) if token.type == "heading_open"]
    return {urllib.parse.quote(SLUG(text.replace("`", ""), "-")) for text in texts}


def test_a_browser_shows_the_pages(site, browser):
    """Of each section the largest page, in both colour schemes, narrow and wide."""
    sections = [path for path in site.iterdir() if (ROOT / "docs" / path.name).is_dir() and list(path.glob("*.html"))]
    assert sections
    largest = [max(section.glob("*.html"), key=lambda page: page.stat().st_size) for section in sections]
    assert browser.problems(site / "index.html", *largest) == []


SEARCH = """async () => {
  const wait = async found => {
    for (let tries = 0; tries < 600; tries++) {
      if (found()) return found();
      await new Promise(resolve => setTimeout(resolve, 100));
    }
    return null;
  };
  document.querySelector('#__search').click();
  const query = document.querySelector('[data-md-component=search-query]');
  query.focus();
  query.value = 'reflect';
  query.dispatchEvent(new Event('keyup'));
  const item = await wait(() => document.querySelector('.md-search-result__item a'));
  return item && item.textContent;
}"""


def test_search_works_without_a_server(site, browser):
    """Browsers start no workers in files; docs/assets/iframe-worker.js stands in."""
    assert "reflect" in (browser.run(site / "index.html", SEARCH) or "").lower()
