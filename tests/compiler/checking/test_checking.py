"""What `xmpcc --check` finds in a running program beside missing reflects in plain loops (random/missing_reflects.py)."""

import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def compiled(build, tmp_path_factory):
    """The program of a name, compiled once."""
    directory, known = tmp_path_factory.mktemp("checking"), {}

    def compile_(name):
        if name not in known:
            known[name] = directory / name
            command = [build / "bin" / "xmpcc", "--check", "-w", "-O0", "-o", known[name], HERE / f"{name}.c"]
            subprocess.run(command, check=True)
        return known[name]

    return compile_


def run(program, *arguments):
    command = [ROOT / "cmake" / "mpirun-test", "openmpi", "3", program, *arguments]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, check=False)


def places(program, name):
    """Numbers of the lines that a comment marks with a name."""
    lines = (HERE / f"{program}.c").read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if name in line.partition("// ")[2]}


@pytest.mark.parametrize("name", ["kinds", "types", "sources", "widths", "sections", "loops", "one node"])
def test_nodes_that_do_not_do_the_same(compiled, name):
    done = run(compiled("wrong"), name)
    assert done.returncode != 0 and "meet at different directives or arguments" in done.stderr
    told = re.findall(r"^    nodes? .* at .*?wrong\.c:(\d+): #pragma xmp", done.stderr, re.M)
    assert {int(number) for number in told} == places("wrong", name)
    assert len(told) == 2 or "the end of the program" in done.stderr


@pytest.mark.parametrize("name", ["condition", "task", "element", "nested", "array"])
def test_writes_that_only_their_node_knows_of(compiled, name):
    done = run(compiled("wrong"), name)
    assert done.returncode != 0 and "is read here from the shadow" in done.stderr
    written, read = re.search(r"written at .*?:(\d+): .*?\n  at .*?:(\d+): ", done.stderr).groups()
    assert {int(written), int(read)} == places("wrong", name)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("elsewhere", "is not stored here"),
        ("shadow written", "but another node owns it"),
        ("old copy", "is read here from the shadow"),
        ("dealt", "is not stored here"),
        ("old mirror", "is read here from the shadow"),
    ],
)
def test_single_elements_that_are_wrong_after_many_right_ones(compiled, name, said):
    done = run(compiled("wrong"), name)
    assert done.returncode != 0 and said in done.stderr
    told = re.findall(r"(?:^  at|written at) .*?wrong\.c:(\d+): ", done.stderr, re.M)
    assert {int(line) for line in told} == places("wrong", name)


@pytest.mark.parametrize("name", ["put and owner", "section", "two puts", "update and get", "pair"])
def test_coarray_races(compiled, name):
    done = run(compiled("races"), name)
    assert done.returncode != 0 and "is used by two images between the same two synchronisations" in done.stderr
    told = re.findall(r"^    (?:read|written|updated) by image \d at .*?races\.c:(\d+): ", done.stderr, re.M)
    assert len(told) == 2 and {int(line) for line in told} == places("races", name)


@pytest.mark.parametrize("name", ["wrong", "races"])
def test_no_finding_in_a_right_program(compiled, name):
    done = run(compiled(name))
    assert (done.returncode, done.stderr) == (0, "")
