"""Distributed loops become vector code under gcc -O3, which --opt-info confirms for each line."""

import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def test_loops_are_vectorised(build, tmp_path):
    source = HERE / "vectorise.c"
    wanted = {number for number, line in enumerate(source.read_text().splitlines(), 1) if "//" in line}
    assert len(wanted) == 6
    command = [build / "bin" / "xmpcc", "-O3", "-fopt-info-vec", "-c", source, "-o", tmp_path / "vectorise.o"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    found = {int(line) for line in re.findall(r"vectorise\.c:(\d+):\d+: optimized: loop vectorized", done.stderr)}
    assert found >= wanted, done.stderr
