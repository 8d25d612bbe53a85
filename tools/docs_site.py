"""MkDocs' hooks for the documentation (mkdocs.yml): the order of its pages, and files of the repository that pages link.

Navigation: the sections stand here; inside one, pages come in the order in which its index.md links them, the others behind it.
Links that leave docs/ (`../examples/hello/hello.c`) lead to pages that are made of these files."""

import os
import pathlib
import re

from mkdocs.structure.files import File
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
# (title, directories or pages); what does not exist is left out.
SECTIONS = [
    ("Kumihimo", ["index.md"]),
    ("Tutorial", ["tutorial"]),
    ("How-to", ["how-to"]),
    ("Reference", ["reference"]),
    ("Explanation", ["explanation/index.md", "architecture.md", "explanation", "decisions"]),
    ("Performance", ["performance"]),
    ("Contributing", ["contributing"]),
]
# A fenced block, which has no links, or the target of a link.
LINK = re.compile(
    r"(?P<block>^ {0,3}(?P<fence>```+|~~~+).*?^ {0,3}(?P=fence)`*\s*$)"
    r"|(?P<before>\]\(|^\[[^\]]+\]: +)(?P<target>[^)\s#:]+)(?P<anchor>#[^)\s]*)?(?=[)\s])",
    re.M | re.S,
)


def on_config(config):
    config.nav = [{title: entries} for title, parts in SECTIONS if (entries := pages_of(parts))]
    return config


def pages_of(parts):
    """The pages of a section as MkDocs' nav; the decisions become a section of their own inside."""
    pages = {part: [part] if part.endswith(".md") else directory(part) for part in parts}
    decisions = pages.pop("decisions", [])
    entries = [page for page in dict.fromkeys(sum(pages.values(), [])) if (DOCS / page).exists()]
    if len(entries) == 1 and not decisions:
        return entries[0]
    return entries + ([{"Decisions": decisions}] if decisions else [])


def directory(name):
    """The pages of docs/NAME: index.md, then those that it links, in its order, then the others."""
    index = DOCS / name / "index.md"
    linked = targets(index.read_text()) if index.exists() else []
    present = sorted(path.name for path in (DOCS / name).glob("*.md"))
    ranks = {page: rank for rank, page in enumerate(["index.md", *dict.fromkeys(linked)])}
    return [f"{name}/{page}" for page in sorted(present, key=lambda page: (ranks.get(page, len(ranks)), page))]


def targets(text):
    """What a page links, without what stands in its code blocks."""
    return [found["target"] for found in LINK.finditer(text) if not found["block"]]


def on_files(files, config):
    """Adds the files outside of docs/ that pages link, and those that these link."""
    waiting = [DOCS / file.src_uri for file in files if file.src_uri.endswith(".md")]
    seen = set()
    while waiting:
        page = waiting.pop()
        for target in targets(page.read_text()):
            path = pathlib.Path(os.path.normpath(page.parent / target))
            if path in seen or DOCS in path.parents or ROOT not in path.parents or not path.is_file():
                continue
            seen.add(path)
            files.append(File.generated(config, site_name(path), content=as_page(path)))
            waiting += [path] if path.suffix == ".md" else []
    return files


def site_name(path):
    """Where a file of the repository stands in the site: docs/ is its root; sources are pages with their text."""
    if DOCS in path.parents:
        return path.relative_to(DOCS).as_posix()
    name = path.relative_to(ROOT).as_posix()
    return name if path.suffix == ".md" else f"{name}.md"


def as_page(path):
    if path.suffix == ".md":
        return path.read_text()
    try:
        language = get_lexer_for_filename(path.name).aliases[0]
    except ClassNotFound:
        language = "text"
    return f"---\nsearch:\n  exclude: true\n---\n# {path.relative_to(ROOT)}\n\n`````{language}\n{path.read_text()}\n`````\n"


def on_page_markdown(markdown, page, config, files):
    """Links by the places of files in the repository become links by their places in the site."""
    here = ROOT / page.file.src_uri if page.file.generated_by else DOCS / page.file.src_uri

    def moved(found):
        if found["block"]:
            return found[0]
        path = pathlib.Path(os.path.normpath(here.parent / found["target"]))
        if not path.is_file() or (DOCS in path.parents and DOCS in here.parents):
            return found[0]
        own = pathlib.PurePosixPath(page.file.src_uri).parent
        return found["before"] + os.path.relpath(site_name(path), own) + (found["anchor"] or "")

    return LINK.sub(moved, markdown)


def on_post_build(config):
    """No server shows the page for addresses that do not exist, and it names its parts by the server's root."""
    (pathlib.Path(config.site_dir) / "404.html").unlink(missing_ok=True)
