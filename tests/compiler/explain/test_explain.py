"""`xmpcc --explain`: what it says of each directive, as text and as JSON, and how it reads the compiler's reports."""

import json
import pathlib
import subprocess

import pytest
from kumihimo.compiler.explain.sizes import counted, product
from kumihimo.compiler.explain.vectorisation import read

HERE = pathlib.Path(__file__).parent


def explain(build, command, source, *options):
    done = subprocess.run([build / "bin" / command, "--explain", *options, source], cwd=HERE, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("command, source", [("xmpcc", "explained.c"), ("xmpf90", "explained.f90")])
def test_text_and_json_say_the_same(build, command, source):
    """The golden file has no lines of gcc's reports, which differ from version to version."""
    text = explain(build, command, source)
    told = "\n".join(line for line in text.splitlines() if "vectorised" not in line)
    assert told + "\n" == (HERE / f"{source}.expected").read_text()
    found = json.loads(explain(build, command, source, "--json"))["directives"]
    for one in found:
        head = f"{one['file']}:{one['line']}: {one['directive']}"
        paragraph = next(p for p in text.split("\n\n") if p.startswith(head + "\n"))
        assert all(sentence in paragraph for sentence in one["does"])
        assert len(one["loops"]) == sum("vectorised" in line for line in paragraph.splitlines())


def test_loops_are_told_with_what_gcc_made_of_them(build):
    found = json.loads(explain(build, "xmpcc", "explained.c", "--json", "-O3"))["directives"]
    source = (HERE / "explained.c").read_text().splitlines()
    loops = {source[loop["line"] - 1].strip(): loop for one in found for loop in one["loops"]}
    plain = loops["for (j = 0; j < N; j++)  // plain"]
    assert plain["vector_bytes"] >= 16 and plain["reason"] is None
    called = loops["for (j = 0; j < N; j++)  // calls"]
    assert called["vector_bytes"] == 0 and called["reason"]


def test_nothing_is_left_behind(build, tmp_path):
    (tmp_path / "a.c").write_text("#pragma xmp nodes p[*]\nint main(void) { return 0; }\n")
    subprocess.run([build / "bin" / "xmpcc", "--explain", "a.c"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    assert [file.name for file in tmp_path.iterdir()] == ["a.c"]


def test_every_step_has_words():
    """A new directive must say what it communicates."""
    import kumihimo.compiler.c.writing.walk  # noqa: F401 (it imports all plans)
    from kumihimo.compiler.explain.report import _SENTENCES
    from kumihimo.compiler.plan.step import Step

    kinds = [*Step.__subclasses__()]
    for kind in kinds:
        kinds += kind.__subclasses__()
    assert set(_SENTENCES) == set(kinds)


REPORT = """a.c:9:5: optimized: loop vectorized using 32 byte vectors
a.c:9:5: optimized:  loop versioned for vectorization because of possible aliasing
a.c:20:3: missed: couldn't vectorize loop
a.c:22:7: missed: not vectorized: control flow in loop.
/usr/include/b.h:9:5: optimized: loop vectorized using 16 byte vectors
a.c:30:3: missed: statement clobbers memory: f ();
"""


def test_reports_of_the_compiler():
    found = read(REPORT, "a.c")
    assert sorted(found) == [9, 20]
    assert found[9].sentence() == "line 9: vectorised, 32 bytes at once, with a slow copy for arrays that overlap"
    assert found[20].sentence() == "line 20: not vectorised: control flow in loop"


def test_sizes():
    assert product([4, 5]) == 20
    assert product([1, "n"]) == "n"
    assert product([2, "n + 1", 3]) == "6 * (n + 1)"
    assert product([0, "n"]) == 0
    assert counted(1, "double") == "1 double"
    assert counted(7, "real*8") == "7 elements of real*8"
