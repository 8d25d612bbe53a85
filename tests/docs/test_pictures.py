"""The pictures of the tutorial are those that their script draws, and each of them is shown."""

import pathlib
import re
import subprocess
import sys

IMAGES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "images"


def texts(picture):
    """What stands in a picture: Matplotlib names each text in a comment beside its outlines."""
    return re.findall(r"<!-- (.*?) -->", picture.read_text())


def test_pictures_are_current_and_shown(tmp_path):
    subprocess.run([sys.executable, IMAGES / "tutorial.py", tmp_path], check=True, timeout=200)
    drawn = {path.name: texts(path) for path in tmp_path.iterdir()}
    assert len(drawn) > 5 and all(drawn.values())
    assert drawn == {path.name: texts(path) for path in IMAGES.glob("tutorial-*.svg")}
    pages = "".join(path.read_text() for path in (IMAGES.parent / "tutorial").glob("*.md"))
    assert [name for name in drawn if f"../images/{name}" not in pages] == []
