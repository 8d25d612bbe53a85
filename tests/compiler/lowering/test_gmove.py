"""gmove and the array functions: programs that check themselves on several nodes, and the messages of running programs."""

import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, check=False, **options)


@pytest.fixture(scope="module")
def compiled(build, tmp_path_factory):
    directory = tmp_path_factory.mktemp("gmove")

    def compile_(source, name, *options):
        binary = directory / name
        done = run(
            [build / "bin" / "xmpcc", "-Wall", "-Wextra", "-Wno-unknown-pragmas", *options, "-o", binary, source], cwd=directory
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return binary

    return compile_


def launch(family, nodes, binary):
    return run([ROOT / "cmake" / "mpirun-test", family, nodes, binary])


@pytest.mark.parametrize("program", ["gmove", "array_functions"])
@pytest.mark.parametrize("family", ["openmpi", "mpich"])
def test_all_forms(build, compiled, family, program):
    if not (build / "lib" / family / "libkumihimo.so").exists():
        pytest.skip(f"this build has no {family}")
    binary = compiled(HERE / "programs" / f"{program}.c", f"{program}-{family}", f"--mpi={family}")
    for nodes in (2, 7):
        done = launch(family, nodes, binary)
        assert (done.returncode, done.stdout) == (0, "ok\n"), f"{nodes} nodes: {done.stderr}"


def test_check_mode(compiled):
    options = ["--check", "-g", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
    done = launch("openmpi", 3, compiled(HERE / "programs" / "gmove.c", "forms-check", *options))
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


HEAD = """\
#include <xmp.h>
#pragma xmp nodes p[*]
#pragma xmp template t[9]
#pragma xmp distribute t[block] onto p
double a[9], b[9][9], *later, row[9];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i][*] with t[i]
#pragma xmp align later[i] with t[i]
int main(int argc, char **argv) {
    int n = argc + 4;
    (void)argv, (void)row, (void)n;
"""
MISTAKES = {
    "a[0:n] = b[0][:];": "a[0:n] has 5 elements, but b[0][:] has 9 elements",
    "a[n:n] = row[n:n];": "subscript 9 of dimension 1 of a[n:n] is outside 0:8",
    "row[:] = b[:][2 * n];": "subscript 10 of dimension 2 of b[:][2 * n] is outside 0:8",
    "later[:] = a[:];": "array later is not allocated",
    "a[0:-n] = 1;": "the length of dimension 1 of a[0:-n] is -5",
}


@pytest.mark.parametrize("statement", MISTAKES)
def test_mistakes_at_run_time(compiled, tmp_path, statement):
    source = tmp_path / "mistake.c"
    source.write_text(f"{HEAD}#pragma xmp gmove\n    {statement}\n    return 0;\n}}\n")
    done = launch("openmpi", 3, compiled(source, "mistake"))
    line = HEAD.count("\n") + 1
    assert done.returncode != 0
    assert done.stderr.count("kumihimo: error:") == 1
    assert MISTAKES[statement] in done.stderr
    assert f"mistake.c:{line}: #pragma xmp gmove" in done.stderr


def test_clauses_take_what_is_the_same_on_all_nodes(compiled, tmp_path):
    source = tmp_path / "clause.c"
    source.write_text(f"{HEAD}#pragma xmp bcast (a[0:5])\n    return 0;\n}}\n")
    done = launch("openmpi", 3, compiled(source, "clause"))
    assert done.returncode != 0
    assert "a[0:5] is distributed over the nodes that take part: nodes 0 and 1 of the entire set hold other" in done.stderr
    assert f"clause.c:{HEAD.count(chr(10)) + 1}: #pragma xmp bcast (a[0:5])" in done.stderr


def test_all_owners_must_execute(compiled, tmp_path):
    source = tmp_path / "task.c"
    body = "#pragma xmp task on p[0]\n    {\n#pragma xmp gmove\n        row[:] = a[:];\n    }\n    return 0;\n}\n"
    source.write_text(HEAD + body)
    done = launch("openmpi", 3, compiled(source, "task"))
    assert done.returncode != 0
    assert "a[:] lies partly on 2 nodes (the first is node 1 of the entire set)" in done.stderr
    assert f"task.c:{HEAD.count(chr(10)) + 3}: #pragma xmp gmove" in done.stderr
