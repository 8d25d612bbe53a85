"""Translated programs against the same sources compiled by plain gcc, which ignores the directives. Every line that
they print is a case with a name. In the short form families share the numbers of nodes."""

import pathlib

import pytest
from long_form import LONG_FORM
from made_once import once, shared_directory
from named_cases import assert_same_cases, on_nodes
from workshop import NOT_OPTIMISED, SANITIZED, Workshop, run

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = {
    "loops": ["loops.c"],
    "ranges": ["ranges.c"],
    "arrays": ["arrays.c", "shared.c"],
    **{name: [f"{name}.c"] for name in ("arguments", "array_construct", "copies", "gblock", "sections")},
}


class Comparison(Workshop):
    """Of a translated program with the same source compiled by plain gcc."""

    def serial(self, name):
        binary = once(
            self.directory / f"{name}.serial", lambda path: run("gcc", "-O2", "-w", "-o", path, *self.sources(name), "-lm")
        )
        return run(binary).stdout.splitlines()

    def compare(self, name, family, nodes, *options):
        """Runs a program on so many nodes; a failure names the cases that the serial program answers otherwise."""
        parallel = self.start(self.compiled(name, family, *options), family, nodes).stdout
        assert_same_cases(self.serial(name), parallel.splitlines(), on_nodes(nodes))


@pytest.fixture(scope="module")
def workshop(build, tmp_path_factory):
    return Comparison(build, shared_directory(tmp_path_factory, "programs"), HERE / "programs", PROGRAMS)


@pytest.mark.parametrize("nodes", [1, 2, 7] if LONG_FORM else [7])
@pytest.mark.parametrize("name", PROGRAMS)
def test_openmpi(workshop, name, nodes):
    workshop.compare(name, "openmpi", nodes)


@pytest.mark.parametrize("name", PROGRAMS)
def test_mpich(workshop, name):
    if not (workshop.build / "lib" / "mpich" / "libkumihimo.so").exists():
        pytest.skip("this build has no MPICH")
    workshop.compare(name, "mpich", 3 if LONG_FORM else 2, *NOT_OPTIMISED)


@pytest.mark.parametrize("name", PROGRAMS)
def test_check_mode_has_no_undefined_behaviour(workshop, name):
    """Every element through XMP_Element: same results, and nothing that the undefined-behaviour sanitizer would stop."""
    workshop.compare(name, "openmpi", 4, *SANITIZED)


def test_openmp(workshop):
    workshop.compare("ranges", "openmpi", 2, "-fopenmp")


@pytest.mark.parametrize("nodes", [2, 8])
def test_two_dimensional_nodes(workshop, nodes):
    workshop.compare("grid", "openmpi", nodes)


def test_executing_set_only_where_it_may_be_asked_for(workshop):
    """Functions of this file without XMP constructs need none; others do. A task inside tasks has a line of its own."""
    source = workshop.directory / "calls.c"
    source.write_text(CALLS)
    run(workshop.build / "bin" / "xmpcc", "--save-temps", "-c", source, cwd=workshop.directory)
    written, translated = CALLS.splitlines(), (workshop.directory / "calls.xmp.c").read_text().splitlines()
    shift = next(n for n, line in enumerate(translated) if line.startswith("int main")) - written.index("int main(void) {")
    lines = dict(zip(written, translated[shift:]))
    assert ["needs a set" in line for line in lines] == ["XMP_Loop_set" in line for line in lines.values()]
    first, second = (written.index(f"#pragma xmp task on p[{nodes}]") + 1 for nodes in ("0", "1:"))
    assert f"XMP_SITE_AT({first}, " in lines["#pragma xmp tasks"] and f"XMP_SITE_AT({second}, " in lines["#pragma xmp tasks"]


CALLS = """\
#include <math.h>
double a[9], s;
#pragma xmp nodes p[*]
#pragma xmp template t[9]
#pragma xmp distribute t[block] onto p
#pragma xmp align a[i] with t[i]
double elsewhere(double);
static double odd(double);
static double even(double x) { return x < 1 ? 1 : odd(x - 1); }
static double odd(double x) { return x < 1 ? 0 : even(sqrt(x)); }
static double outside(double x) { return elsewhere(x); }
static void sum(void) {
#pragma xmp reduction(+:s)
}
int main(void) {
#pragma xmp loop on t[i]
    for (int i = 0; i < 9; i++) a[i] = even(i);
#pragma xmp loop on t[i] /* needs a set */
    for (int i = 0; i < 9; i++) a[i] = outside(i);
#pragma xmp loop (i) on t[i] /* needs a set */
    for (int i = 0; i < 9; i++) sum();
#pragma xmp tasks
    {
#pragma xmp task on p[0]
        s = 1;
#pragma xmp task on p[1:]
        s = 2;
    }
    return 0;
}
"""
