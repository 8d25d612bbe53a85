"""The same bits whoever compiles the engine, and for which processor: times are whole picoseconds, and events have an order of
their own. A long test: it builds the engine twice."""

import json
import os
import pathlib
import shutil
import subprocess
from concurrent import futures

import pytest
import sources
from kumihimo import configuration
from kumihimo.simulator.suite.engine import machine_path
from long_form import LONG_FORM

pytestmark = pytest.mark.skipif(not LONG_FORM, reason="takes minutes: KUMIHIMO_TEST_LONG=1")

ROOT = pathlib.Path(__file__).resolve().parents[2]

ARM_LIBRARIES = pathlib.Path("/usr/lib/aarch64-linux-gnu")
ARM_PACKAGES = {"libfmt-dev:arm64": "libfmt.*", "libabsl-dev:arm64": "libabsl_raw_hash_set.*"}
# name: compiler, what runs its programs, packages with a library of each
COMPILERS = {
    "clang": ("clang++", None, {}),
    "aarch64": ("aarch64-linux-gnu-g++", "qemu-aarch64", ARM_PACKAGES),
}
SIZES = (8, 1024, 16 << 10, 100_001)


def _sources():
    """Of the libraries that the engine is made of, as their CMakeLists.txt have them."""
    found = [*sources.plain(), ROOT / "collectives/tune/choice.cpp"]
    for pattern in ("collectives/*.cpp", "collectives/algorithms/*.cpp", "collectives/hosts/*.cpp", "simulator/**/*.cpp"):
        found += sorted(ROOT.glob(pattern))
    return [path for path in found if path.name != "table_main.cpp"]


def _built(compiler, directory):
    flags = ["-std=c++20", "-O1", "-DNDEBUG", "-ffp-contract=off", f"-I{ROOT}"]
    objects = {path: directory / f"{number}.o" for number, path in enumerate(_sources())}

    def compile_one(path):
        subprocess.run([compiler, *flags, "-c", path, "-o", objects[path]], check=True)

    with futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(compile_one, objects))
    libraries = subprocess.run(
        ["pkg-config", "--libs-only-l", "absl_flat_hash_map"], capture_output=True, text=True, check=True
    )
    program = directory / "kumihimo-simulate"
    linked = [compiler, "-o", program, *objects.values(), "-lfmt", *libraries.stdout.split(), "-lpthread", "-ldl"]
    subprocess.run(linked, check=True)
    return program


def _questions():
    """Every algorithm on three networks, by both ways of sharing; arrivals and interruptions are drawn; a shortened call."""
    tori = {"shape": "2x6x2", "nodes": "1x2x1"}
    listed = json.loads(_asked([os.path.join(configuration.LIBRARIES, "kumihimo-simulate")], [{"ask": "list"}])[0])
    for number, program in enumerate(listed["programs"]):
        for machine, where in (("k-computer", tori), ("fat-tree", {"shape": "16"}), ("dragonfly", {"shape": "4x4"})):
            sharing = "flows" if number % 3 == 0 and "toall" not in program["operation"] else "reservation"
            question = {"ask": "run", "machine": machine_path(machine), "bytes": SIZES[number % len(SIZES)], **where}
            question.update(operation=program["operation"], algorithm=program["algorithm"], sharing=sharing)
            if number % 4 == 1:
                question.update(skew={"exponential_us": 20}, noise={"length_us": 5, "interval_us": 100}, seed=number, calls=3)
            yield question
    long = {"ask": "run", "machine": machine_path("k-computer"), "operation": "Bcast", "algorithm": "tree3", **tori}
    yield {**long, "bytes": 24 << 20, "set": {"segment": "4 KiB"}}


def _asked(command, questions):
    given = "".join(json.dumps(question) + "\n" for question in questions)
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize("name", COMPILERS)
def test_other_compilers_have_the_same_bits(name, tmp_path):
    compiler, runner, packages = COMPILERS[name]
    missing = [one for one in (compiler, runner, "pkg-config") if one and shutil.which(one) is None]
    missing += [package for package, library in packages.items() if not any(ARM_LIBRARIES.glob(library))]
    if missing:
        pytest.skip(f"not here: {', '.join(missing)}")
    questions = list(_questions())
    ours = _asked([os.path.join(configuration.LIBRARIES, "kumihimo-simulate")], questions)
    others = _asked([*filter(None, [runner]), _built(compiler, tmp_path)], questions)
    assert len(ours) == len(questions) and sum("time_us" in answer for answer in ours) > len(questions) / 2
    for question, one, other in zip(questions, ours, others):
        assert one == other, question
