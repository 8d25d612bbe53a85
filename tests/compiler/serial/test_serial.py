"""Programs with directives and our headers, compiled by plain gcc: they do what they do on one node, to their output and their
files. tests/packaging compiles one with pkg-config."""

import pathlib
import shlex
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PROGRAMS = sorted((HERE / "programs").glob("*.c"))
EXAMPLES = [ROOT / "examples" / name / f"{name}.c" for name in ("hello", "laplace")]


def run(*words, directory, code=0):
    done = subprocess.run(
        [str(word) for word in words], cwd=directory, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == code, f"{words}: {done.stdout}{done.stderr}"
    return done


def serial_flags(build):
    """What pkg-config gives in an installation: the options of kumihimo-serial, which kumihimo's are a part of."""
    compile_options, link_options = (
        shlex.split(run(build / "bin" / "xmpcc", f"-showme:{part}", directory=build).stdout) for part in ("compile", "link")
    )
    return ["-DKUMIHIMO_SERIAL", *(word for word in compile_options if not word.startswith("-D_XMP"))], link_options


def compiled_serially(build, source, directory, *options):
    flags, libraries = serial_flags(build)
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
    run("gcc", *warnings, *options, *flags, source, "-o", "serial", "-lm", *libraries, directory=directory)
    return directory / "serial"


def files_of(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.mark.parametrize("source", [*PROGRAMS, *EXAMPLES], ids=lambda path: path.stem)
def test_plain_gcc_does_what_one_node_does(build, tmp_path, source):
    if source.stem == "netcdf" and not list((build / "lib").glob("*/libkumihimo_nc.so")):
        pytest.skip("no PnetCDF here")
    serial = compiled_serially(build, source, tmp_path)
    run(build / "bin" / "xmpcc", source, "-o", "parallel", "-lm", directory=tmp_path)
    places = tmp_path / "by-gcc", tmp_path / "by-xmpcc"
    for place in places:
        place.mkdir()
    by_gcc = run(serial, directory=places[0])
    by_xmpcc = run(build / "bin" / "xmprun", "-n", "1", tmp_path / "parallel", directory=places[1])
    assert by_gcc.stdout == by_xmpcc.stdout != ""
    assert files_of(places[0]) == files_of(places[1])


def test_a_serial_program_on_several_nodes_says_what_it_is(build, tmp_path):
    serial = compiled_serially(build, HERE / "programs" / "inquiry.c", tmp_path)
    done = run(ROOT / "cmake" / "mpirun-test", "openmpi", "2", serial, directory=tmp_path, code=1)
    assert done.stderr.count("kumihimo: error: this is a serial program, started on 2 nodes") >= 1
    assert "compile it by xmpcc" in done.stderr and done.stdout == ""


def test_pointers_without_memory_and_wrong_sizes_are_told(build, tmp_path):
    (tmp_path / "early.c").write_text(
        "#include <xmp.h>\ndouble *a;\nint main(void) {\n    int n;\n"
        "    return xmp_array_ndims(xmp_desc_of(a), &n) < 0 ? 7 : 0;\n}\n"
    )
    (tmp_path / "sizes.c").write_text(
        "#include <xmp.h>\nfloat (*a)[3];\nint main(void) {\n    a = xmp_malloc(xmp_desc_of(a), 2, 4);\n    return a == 0;\n}\n"
    )
    run(compiled_serially(build, "early.c", tmp_path), directory=tmp_path, code=7)
    sizes = run(compiled_serially(build, "sizes.c", tmp_path), directory=tmp_path, code=1)
    assert "kumihimo: error: dimension 2 of a is declared with 3 elements, but xmp_malloc gets 4" in sizes.stderr
    assert "at sizes.c:4: `xmp_malloc(xmp_desc_of(a), 2, 4)`" in sizes.stderr
