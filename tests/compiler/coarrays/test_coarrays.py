"""Coarrays and array sections: programs that compare with a serial computation of their own, run on several images. In
the short form families and ways share the numbers of images."""

import os
import pathlib

import pytest
from long_form import LONG_FORM
from made_once import shared_directory
from workshop import NOT_OPTIMISED, ROOT, SANITIZED, Workshop, run

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = {name: [f"{name}.c"] for name in ("references", "array_sections", "control", "global")}
PROGRAMS["declarations"] = ["declarations.c", "declarations_too.c"]
PROGRAMS["control"] = ["control.c", "pointers.c"]
# The programs of the paper, with their number of images and options.
FIGURES = {
    "figure1": (9, []),
    "figure2": (2, ["--coindex-base=1"]),
    "figure3": (2, ["--coindex-base=1"]),
    "figure5": (4, []),
    "figure7": (4, []),
}


@pytest.fixture(scope="module")
def workshop(build, tmp_path_factory):
    return Workshop(build, shared_directory(tmp_path_factory, "coarrays"), HERE / "programs", PROGRAMS, ["-Wall", "-Wextra"])


def run_quietly(workshop, binary, family, images, **settings):
    """The programs compare by themselves, and say nothing."""
    done = workshop.start(binary, family, images, **settings)
    assert done.stdout == ""
    return done


@pytest.mark.parametrize("images", [2, 7] if LONG_FORM else [7])
@pytest.mark.parametrize("name", PROGRAMS)
def test_openmpi(workshop, name, images):
    run_quietly(workshop, workshop.compiled(name, "openmpi"), "openmpi", images)


@pytest.mark.parametrize("name", PROGRAMS)
def test_mpich(workshop, name):
    if not (workshop.build / "lib" / "mpich" / "libkumihimo.so").exists():
        pytest.skip("this build has no MPICH")
    run_quietly(workshop, workshop.compiled(name, "mpich", *NOT_OPTIMISED), "mpich", 3)


@pytest.mark.parametrize("images", [2, 7] if LONG_FORM else [2])
@pytest.mark.parametrize("name", PROGRAMS)
def test_without_shared_memory(workshop, name, images):
    """Every reference through the transport."""
    run_quietly(workshop, workshop.compiled(name, "openmpi"), "openmpi", images, KUMIHIMO_SHM="off")


@pytest.mark.parametrize("machines", [{"KUMIHIMO_SHM": "off"}, {"KUMIHIMO_NODES_PER_MACHINE": "2"}])
@pytest.mark.parametrize("family", ["openmpi", "mpich"])
def test_arrays_on_some_nodes_between_machines(workshop, family, machines):
    if not (workshop.build / "lib" / family / "libkumihimo.so").exists():
        pytest.skip(f"this build has no {family}")
    run_quietly(workshop, workshop.compiled("parts", family), family, 4, **machines)


@pytest.mark.parametrize("name", PROGRAMS)
def test_checked_and_sanitized(workshop, name):
    run_quietly(workshop, workshop.compiled(name, "openmpi", *SANITIZED), "openmpi", 3)


@pytest.mark.parametrize("name", FIGURES)
def test_programs_of_the_paper(workshop, name):
    images, options = FIGURES[name]
    run_quietly(workshop, workshop.compiled(name, "openmpi", *options), "openmpi", images)


def test_saved_translation_is_c(workshop):
    """--save-temps leaves what plain mpicc compiles."""
    source = HERE / "programs" / "references.c"
    run(workshop.build / "bin" / "xmpcc", "--save-temps", "-c", source, "-o", "references.o", cwd=workshop.directory)
    headers = ROOT / "runtime" / "include"
    plain = ["mpicc.openmpi", f"-I{headers}", f"-I{headers / 'kumihimo'}", f"-I{source.parent}", "-c", "references.xmp.c"]
    run(*plain, "-o", "plain.o", cwd=workshop.directory)


def test_transport_of_the_program(workshop):
    """--transport=NAME is the default of KUMIHIMO_TRANSPORT in every process."""
    source = workshop.directory / "transport.c"
    source.write_text(
        '#include <stdlib.h>\n#include <stdio.h>\nint x:[*];\nint main(void) { puts(getenv("KUMIHIMO_TRANSPORT")); }\n'
    )
    run(workshop.build / "bin" / "xmpcc", "--transport=mpi", "-o", "transport", source, cwd=workshop.directory)
    environment = {name: value for name, value in os.environ.items() if name != "KUMIHIMO_TRANSPORT"}
    command = [ROOT / "cmake" / "mpirun-test", "openmpi", 1, workshop.directory / "transport"]
    assert run(*command, env=environment).stdout == "mpi\n"
    assert run(*command, env={**environment, "KUMIHIMO_TRANSPORT": "faulty"}).stdout == "faulty\n"


@pytest.mark.parametrize("family", ["openmpi", "mpich"])
def test_transport_that_is_part_of_the_program(workshop, family):
    """--transport=armci links it."""
    if not (workshop.build / "lib" / family / "kumihimo_transport_armci.link").exists():
        pytest.skip(f"this build has no ARMCI for {family}")
    binary = workshop.compiled("control", family, "--transport=armci")
    done = run_quietly(workshop, binary, family, 2, KUMIHIMO_SHM="off", KUMIHIMO_LOG="1")
    assert "coarrays between machines: ARMCI" in done.stderr


def test_programs_without_coarrays_make_no_transport(workshop):
    """Between machines it would have a thread and memory of its own, and be asked in every wait."""
    binary = workshop.directory / "hello"
    run(workshop.build / "bin" / "xmpcc", "--mpi=openmpi", "-o", binary, ROOT / "examples" / "hello" / "hello.c")
    settings = {"KUMIHIMO_SHM": "off", "KUMIHIMO_LOG": "1"}
    lines = run(ROOT / "cmake" / "mpirun-test", "openmpi", 2, binary, env={**os.environ, **settings}).stderr
    assert "started on" in lines and "transport" not in lines


def test_example(workshop):
    """The heat of examples/coarray_halo/coarray_halo.c where the rod begins, and that none is lost; in fewer steps."""
    binary, source = workshop.directory / "coarray_halo", workshop.directory / "coarray_halo.c"
    text = (ROOT / "examples" / "coarray_halo" / "coarray_halo.c").read_text()
    source.write_text(text.replace("STEPS 2000", "STEPS 200"))
    run(workshop.build / "bin" / "xmpcc", "-o", binary, source, cwd=workshop.directory)
    rod = [100.0] * 100 + [0.0] * 900
    for _ in range(200):
        left, right = [rod[0], *rod[:-1]], [*rod[1:], rod[-1]]
        rod = [x + 0.25 * (a - 2 * x + b) for a, x, b in zip(left, rod, right)]
    for images in (1, 3):
        output = run(ROOT / "cmake" / "mpirun-test", "openmpi", images, binary).stdout
        assert f"energy 10000.000000 after 200 steps on {images} images, {rod[0]:.6f} where" in output


OUTSIDE = {
    "x[begin:4] = 1;": "the section reaches element 11 of a dimension of 10 elements",
    "x[0:5] = a[0:begin];": "dimension 1 has 5 elements on the left side and 8 on the right side",
    "a[begin]:[images] = 1;": "image",
    "a[begin + 5]:[0] = 1;": "a",
    "x[0] = grid:[begin - 6][0];": "index 1 of the image is 2, and that codimension has 2",
    "y[begin]:[0] = 1;": "y[8] is outside coarray y[4] on node 0",
    "y = NULL; x[0] = y[0]:[0];": "this pointer is NULL: it leads to no coarray",
    "x[0:10:1] = a[begin:10:step]:[0];": "the section reaches element -1 of a dimension of 10 elements",
}


@pytest.mark.parametrize("statement", OUTSIDE)
def test_outside(workshop, statement):
    """Sections out of bounds and images that do not exist end the program with a message that names the line."""
    source = workshop.directory / "outside.c"
    source.write_text(
        "#include <xmp.h>\nint a[10]:[*], x[10], grid:[2][*], *y:[];\nint main(int argc, char **argv) {\n"
        "    int begin = argc + 7, step = -1, images = xmp_num_images();\n"
        "    y = xmp_comalloc(4 * sizeof *y);\n    (void)argv, (void)begin, (void)step, (void)images;\n"
        f"    {statement}\n    return x[0];\n}}\n"
    )
    binary = workshop.directory / "outside"
    run(workshop.build / "bin" / "xmpcc", "--check", "-w", "-o", binary, source, cwd=workshop.directory)
    done = run(ROOT / "cmake" / "mpirun-test", "openmpi", 2, binary, expect=None)
    assert done.returncode != 0
    assert OUTSIDE[statement] in done.stderr and "outside.c:7" in done.stderr, done.stderr
