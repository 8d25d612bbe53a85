"""Writes the pages of docs/reference/ that are generated.

    python3 tools/reference             writes them, with the commands of build/bin (or of $KUMIHIMO_BUILD)
    python3 tools/reference --check     exit status 1, with the names of those that are out of date

The pages are kept in the repository; tests/docs/test_reference.py compares them.
"""

import os
import pathlib
import sys

from pages import pages

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    build = pathlib.Path(os.environ.get("KUMIHIMO_BUILD", ROOT / "build")).resolve()
    directory = ROOT / "docs" / "reference"
    stale = []
    for name, text in pages(ROOT, build).items():
        path = directory / f"{name}.md"
        if not path.exists() or path.read_text() != text:
            stale.append(str(path.relative_to(ROOT)))
            if not arguments:
                path.write_text(text)
    if arguments and stale:
        sys.exit(f"out of date: {' '.join(stale)}; run python3 tools/reference")


if __name__ == "__main__":
    main(sys.argv[1:])
