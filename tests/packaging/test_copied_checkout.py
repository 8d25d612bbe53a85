"""tools/configure in a checkout that was copied with its build directory; the project is a stand-in that builds at once."""

import os
import pathlib
import shutil

import pytest
from command_support import run, succeed

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(standin NONE)
add_custom_target(everything ALL COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/source.txt ${CMAKE_BINARY_DIR}/result.txt)
"""


def snapshot(directory):
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_ino) for path in directory.rglob("*")}


def configure(checkout):
    return run(checkout / "tools" / "configure", "build")


@pytest.fixture
def original(tmp_path):
    """A checkout that has been built, with data in its build directory."""
    checkout = tmp_path / "original"
    (checkout / "tools").mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "configure", checkout / "tools" / "configure")
    (checkout / "CMakeLists.txt").write_text(PROJECT)
    (checkout / "source.txt").write_text("original")
    assert configure(checkout).code == 0
    succeed("cmake", "--build", checkout / "build")
    (checkout / "build" / "data").mkdir()
    (checkout / "build" / "data" / "ocean").write_text("deep")
    return checkout


def test_what_is_configured_stays(original):
    before = snapshot(original)
    done = configure(original)
    assert (done.code, done.out) == (0, "")
    assert snapshot(original) == before


@pytest.mark.parametrize("move", [False, True])
def test_a_copy_builds_in_itself(original, move):
    copy = original.with_name("copy")
    if move:
        original.rename(copy)
    else:
        shutil.copytree(original, copy, symlinks=True)
    before = snapshot(original)
    (copy / "source.txt").write_text("copy")
    done = configure(copy)
    assert done.code == 0 and f"build is a copy of {original}/build" in done.out
    succeed("cmake", "--build", copy / "build")
    assert (copy / "build" / "result.txt").read_text() == "copy"
    assert (copy / "build" / "data" / "ocean").read_text() == "deep"
    assert snapshot(original) == before


def test_a_link_to_the_build_directory_of_another_checkout(original):
    """Nothing may be taken away there."""
    elsewhere = original.with_name("elsewhere")
    shutil.copytree(original, elsewhere, ignore=shutil.ignore_patterns("build"))
    os.symlink(original / "build", elsewhere / "build")
    before = snapshot(original)
    done = configure(elsewhere)
    assert done.code != 0 and f"build directory of another checkout, {original}" in done.err
    assert snapshot(original) == before
