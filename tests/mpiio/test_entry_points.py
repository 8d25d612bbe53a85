"""mpiio/interpose/generate.py: the table against an mpi.h, its differences, and the definitions."""

import pathlib
import re
import subprocess
import sys

import pytest

GENERATE = pathlib.Path(__file__).parents[2] / "mpiio" / "interpose" / "generate.py"


def generate(*words):
    return subprocess.run([sys.executable, GENERATE, *words], capture_output=True, text=True, check=False)


@pytest.fixture
def header(tmp_path):
    """header(change): a file as the preprocessor would leave it, whose mpi.h declares what the table has, changed."""
    ours = generate("probe").stdout.split("kumihimo_table_begins\n")[1]

    def write(change=lambda text: text):
        path = tmp_path / "mpi.i"
        path.write_text(change(ours) + "kumihimo_table_begins\n" + ours)
        return path

    return write


def test_the_table_has_the_functions_of_the_standard():
    names = re.findall(r"(MPI_\w+)\(", generate("probe").stdout)
    assert len(names) == len(set(names)) == 92
    assert sum(name.endswith("_c") for name in names) == 30


def test_what_the_table_does_not_know_is_told(header):
    done = generate("check", header(lambda text: text + "int MPI_File_fly(MPI_File file, int height);\n"))
    assert (done.returncode, done.stdout) == (0, "MPI_File_fly")
    assert "MPI_File_fly" not in generate("source", header(lambda text: text + "int MPI_File_fly(MPI_File file);\n")).stdout


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("int MPI_File_sync(MPI_File file)", "int MPI_File_sync(MPI_File file, int how)", "MPI_File_sync: mpi.h has"),
        (
            "MPI_File_seek(MPI_File file, MPI_Offset offset",
            "MPI_File_seek(MPI_File file, int offset",
            "MPI_File_seek: mpi.h has",
        ),
        ("MPI_Fint MPI_File_c2f", "long MPI_File_c2f", "MPI_File_c2f: mpi.h has"),
        ("int MPI_File_get_size(MPI_File file, MPI_Offset *size);", "", "MPI_File_get_size: not in mpi.h"),
    ],
)
def test_a_prototype_that_differs_is_refused(header, old, new, message):
    done = generate("check", header(lambda text: text.replace(old, new, 1)))
    assert done.returncode == 1 and message in done.stderr


def test_large_count_forms_may_be_missing_and_const_too(header):
    without = header(lambda text: re.sub(r"^.*_c\(.*\n", "", text, flags=re.M).replace("const void *", "void *"))
    assert generate("check", without).returncode == 0
    source = generate("source", without).stdout
    assert source.count("\nENTRY ") == 2 * 62 and "_c(" not in source
    assert "MPI_File_write(MPI_File file, void * buffer" in source


def test_each_function_is_defined_under_both_names(header):
    source = generate("source", header()).stdout
    defined = re.findall(r"^ENTRY .*?(P?MPI_\w+)\(", source, re.M)
    assert len(defined) == len(set(defined)) == 2 * 92
    assert all("P" + name in defined for name in defined if not name.startswith("P"))
