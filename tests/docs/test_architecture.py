"""The table of rooms in docs/architecture.md is the tree: each room is there, each directory with sources has a room, and rooms
include each other one way."""

import ast
import graphlib
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


INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
PUBLIC = pathlib.Path("runtime/include")


def sources():
    """The C and C++ files of all rooms."""
    for top in {room.split("/")[0] for room in listed()} - {"bench", "tests", "examples", "docs"}:
        yield from (path.relative_to(ROOT) for path in (ROOT / top).rglob("*") if path.suffix in (".hpp", ".h", ".cpp", ".c"))


def included_by(source):
    for name in INCLUDE.findall((ROOT / source).read_text()):
        places = (pathlib.Path(name), source.parent / name, PUBLIC / name)
        yield from (place for place in places if (ROOT / place).is_file())


def test_rooms_include_each_other_one_way():
    rooms = sorted(listed(), key=len, reverse=True)

    def room_of(path):
        return next(room for room in rooms if f"{path}".startswith(room + "/"))

    graph = {}
    for source in sources():
        room = room_of(source)
        graph.setdefault(room, set()).update({room_of(header) for header in included_by(source)} - {room})
    assert len(graph) > 20 and sum(map(len, graph.values())) > 50
    graphlib.TopologicalSorter(graph).prepare()  # a CycleError names the rooms


def top_packages_imported_by(path):
    """Top directories of the repository that `from ...bench.suite import sizes` and the like name."""
    here = path.relative_to(ROOT)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == len(here.parts):
            yield from ([node.module.split(".")[0]] if node.module else (name.name for name in node.names))


def test_packages_import_each_other_one_way():
    """What users get (commands/CMakeLists.txt); developers' programs name what they use from outside."""
    packages = {"bench", "commands", "compiler", "simulator"}
    graph = {}
    for package in packages:
        imported = {name for path in (ROOT / package).rglob("*.py") for name in top_packages_imported_by(path)}
        graph[package] = imported & packages - {package}
    assert {"bench", "commands"} <= graph["simulator"]
    graphlib.TopologicalSorter(graph).prepare()


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
