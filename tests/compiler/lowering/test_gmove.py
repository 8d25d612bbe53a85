"""gmove and the array functions: programs that check themselves on several nodes, and the messages of running programs."""

import pathlib

import pytest
from made_once import shared_directory
from workshop import NOT_OPTIMISED, SANITIZED, Workshop, run

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def workshop(build, tmp_path_factory):
    return Workshop(build, shared_directory(tmp_path_factory, "gmove"), HERE / "programs", {})


@pytest.fixture
def failed(workshop, tmp_path):
    """What a program says that must fail on 3 nodes: its text."""

    def run_text(name, text):
        source = tmp_path / f"{name}.c"
        source.write_text(text)
        binary = tmp_path / name
        compiled = run(workshop.build / "bin" / "xmpcc", *workshop.warnings, "-o", binary, source, cwd=tmp_path)
        assert compiled.stderr == ""
        done = workshop.start(binary, "openmpi", 3, expect=None)
        assert done.returncode != 0
        return done.stderr

    return run_text


@pytest.mark.parametrize("program", ["gmove", "array_functions"])
@pytest.mark.parametrize("family", ["openmpi", "mpich"])
def test_all_forms(workshop, family, program):
    if not (workshop.build / "lib" / family / "libkumihimo.so").exists():
        pytest.skip(f"this build has no {family}")
    options = NOT_OPTIMISED if family == "mpich" else ()
    for nodes in (2, 7):
        done = workshop.start(workshop.compiled(program, family, *options), family, nodes)
        assert done.stdout == "ok\n", f"{nodes} nodes: {done.stderr}"


def test_check_mode(workshop):
    done = workshop.start(workshop.compiled("gmove", "openmpi", *SANITIZED), "openmpi", 3)
    assert done.stdout == "ok\n", done.stderr


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
def test_mistakes_at_run_time(failed, statement):
    message = failed("mistake", f"{HEAD}#pragma xmp gmove\n    {statement}\n    return 0;\n}}\n")
    assert message.count("kumihimo: error:") == 1
    assert MISTAKES[statement] in message
    assert f"mistake.c:{HEAD.count(chr(10)) + 1}: #pragma xmp gmove" in message


def test_clauses_take_what_is_the_same_on_all_nodes(failed):
    message = failed("clause", f"{HEAD}#pragma xmp bcast (a[0:5])\n    return 0;\n}}\n")
    assert "a[0:5] is distributed over the nodes that take part: nodes 0 and 1 of the entire set hold other" in message
    assert f"clause.c:{HEAD.count(chr(10)) + 1}: #pragma xmp bcast (a[0:5])" in message


def test_all_owners_must_execute(failed):
    body = "#pragma xmp task on p[0]\n    {\n#pragma xmp gmove\n        row[:] = a[:];\n    }\n    return 0;\n}\n"
    message = failed("task", HEAD + body)
    assert "a[:] lies partly on 2 nodes (the first is node 1 of the entire set)" in message
    assert f"task.c:{HEAD.count(chr(10)) + 3}: #pragma xmp gmove" in message
