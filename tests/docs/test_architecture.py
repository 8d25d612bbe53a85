"""The table of rooms in docs/architecture.md is the tree: each room is there, and each directory with sources has a room."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (`[^|]*) \|", re.M)
ROOMS_WITHIN = ("runtime", "mpiio", "iod")  # their directories are rooms of their own
NO_ROOMS = {"build", "packaging", "tools"}  # what makes and delivers the rooms


def listed():
    """A second path of a cell may leave out the directory of the first."""
    for cell in ROW.findall((ROOT / "docs" / "architecture.md").read_text()):
        first, *others = re.findall(r"`([^`]+)/`", cell)
        yield first
        yield from (other if (ROOT / other).is_dir() else f"{first.split('/')[0]}/{other}" for other in others)


def test_listed_rooms_exist():
    rooms = list(listed())
    assert len(rooms) == len(set(rooms)) > 20
    assert not [room for room in rooms if not (ROOT / room).is_dir()]


def test_rooms_are_listed():
    sources = [*ROOT.glob("*/CMakeLists.txt"), *ROOT.glob("*/*.py")]
    top = {path.parent.name for path in sources} - NO_ROOMS
    within = {f"{room}/{path.name}" for room in ROOMS_WITHIN for path in (ROOT / room).iterdir() if path.is_dir()}
    rooms = list(listed())
    missing = {room for room in top | within if not any(r == room or r.startswith(room + "/") for r in rooms)}
    assert not missing


PROTOCOL = re.compile(r"^\| [^|]+ \| (`[\w/]+`|the same) \|[^|]*\|[^|]*\|([^|]*)\|$", re.M)


def test_protocols_of_shared_memory():
    """Each row of docs/explanation/memory-order.md says where its protocol is, and which litmus test it has."""
    rows = PROTOCOL.findall((ROOT / "docs" / "explanation" / "memory-order.md").read_text())
    places = {place.strip("`") for place, _ in rows} - {"the same"}
    assert len(places) > 10
    assert not [place for place in places if not list(ROOT.glob(f"{place}.*pp")) and not (ROOT / place).is_dir()]
    tests = set(re.findall(r"^struct (\w+)", (ROOT / "tests" / "litmus" / "protocols.hpp").read_text(), re.M))
    named = {test.strip().title().replace(" ", "") for _, test in rows} - {""}
    assert named and {name.lower() for name in named} == {name.lower() for name in tests}
