"""Loops over coarrays become the vector code that they are over static arrays: on the same lines, without tests for overlap,
with no more instructions in the loop."""

import pathlib
import platform
import re
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE / "coarray_loops.c"
FUNCTIONS = ("triad", "shift", "add", "scale", "convert", "characters", "move", "stencil")


def compiled(command, target):
    """The compiler's messages. (With SSE only, loads of unaligned vectors would be instructions of their own.)"""
    command = [*command, "-O3", "-mavx2", "-ffast-math", "-fopt-info-vec", "-c", SOURCE, "-o", target]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    return done.stderr


def vector_lines(messages):
    return {int(line) for line in re.findall(r"coarray_loops\.c:(\d+):\d+: optimized: loop vectorized", messages)}


def loop_lengths(target):
    """function -> instructions of its longest innermost loop."""
    text = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", str(target)], capture_output=True, text=True, check=True
    ).stdout
    lengths = {}
    for name, body in re.findall(r"^[0-9a-f]+ <(\w+)>:\n((?:.+\n)+)", text, re.M):
        addresses = [int(address, 16) for address in re.findall(r"^ *([0-9a-f]+):", body, re.M)]
        jumps = re.findall(r"^ *([0-9a-f]+):\s+j\w+ +([0-9a-f]+) ", body, re.M)
        loops = [(int(end, 16), int(begin, 16)) for begin, end in jumps if int(end, 16) <= int(begin, 16)]
        inner = [
            loop for loop in loops if not any(other != loop and loop[0] <= other[0] and other[1] <= loop[1] for other in loops)
        ]
        lengths[name] = max((sum(begin <= a <= end for a in addresses) for begin, end in inner), default=0)
    return lengths


@pytest.mark.skipif(platform.machine() != "x86_64", reason="knows the instructions of x86-64 only")
def test_same_vector_code_as_static_arrays(build, tmp_path):
    coarrays = compiled([build / "bin" / "xmpcc"], tmp_path / "coarrays.o")
    compiled(["gcc", "-DPLAIN"], tmp_path / "plain.o")
    marked = {number for number, line in enumerate(SOURCE.read_text().splitlines(), 1) if "// vector" in line}
    assert vector_lines(coarrays) >= marked
    assert "aliasing" not in coarrays
    mine, theirs = loop_lengths(tmp_path / "coarrays.o"), loop_lengths(tmp_path / "plain.o")
    assert all(0 < mine[name] <= theirs[name] for name in FUNCTIONS), (mine, theirs)
