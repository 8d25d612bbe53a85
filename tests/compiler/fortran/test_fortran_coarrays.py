"""Programs with coarrays, with directives and without, on several numbers of images and every MPI family. A program prints a
name and T or F for what each image compares."""

import os
import pathlib
import subprocess

import pytest
from kumihimo.compiler.fortran.translate import Options, translate_text
from long_form import LONG_FORM

HERE = pathlib.Path(__file__).resolve().parent / "coarrays"
# Numbers of images, and their memory. off: each is on a machine of its own.
RUNS = [(images, "auto") for images in (1, 2, 3, 4, 7, 8)] + [(3, "off")]
FEWER = {"openmpi": [(2, "auto"), (3, "off")], "mpich": [(7, "auto")]}


def run(*words, cwd, **settings):
    environment = {**os.environ, **settings}
    words = [str(word) for word in words]
    done = subprocess.run(words, cwd=cwd, env=environment, timeout=120, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


@pytest.fixture(scope="module")
def families(build):
    found = sorted(path.parent.name for path in (build / "lib").glob("*/libkumihimo_caf.so"))
    if not found:
        pytest.skip("this build found no gfortran")
    return found


@pytest.mark.parametrize("name", ["mixed", "plain"])
def test_program(name, build, families, tmp_path):
    for family in families:
        threads = ["-fopenmp"] if name == "plain" and family == "mpich" else []
        xmpf90 = (build / "bin" / "xmpf90", f"--mpi={family}", "-O1", *threads)
        run(*xmpf90, "-c", HERE / f"{name}.f90", "-o", "program.o", cwd=tmp_path)
        run(*xmpf90, "program.o", "-o", family, cwd=tmp_path)  # whether an object has coarrays is not said here
        for images, memory in RUNS if LONG_FORM else FEWER[family]:
            done = run(build / "bin" / "xmprun", "-n", images, f"./{family}", cwd=tmp_path, KUMIHIMO_SHM=memory)
            told = [line for line in done.stdout.splitlines() if line.strip()]
            wrong = [line for line in told if not line.endswith(" T")]
            assert len(told) >= 5 * images and not wrong, f"{images} images of {family}, shared memory {memory}: {wrong}"
        if name == "mixed":
            start = [build / "bin" / "xmprun", "-n", 2, f"./{family}", "uneven"]
            done = subprocess.run(list(map(str, start)), cwd=tmp_path, timeout=120, capture_output=True, text=True, check=False)
            assert done.returncode and "all blocks must have one shape; in dimension 1 they have 21 elements" in done.stderr


def test_the_library_is_loaded_where_coarrays_are(build, families, tmp_path):
    """An object, an archive and a library of the user's may have them; other programs do without the library's `free`."""
    (tmp_path / "part.f90").write_text("subroutine part\n  integer, save :: x[*]\n  x = this_image()\nend subroutine\n")
    (tmp_path / "with.f90").write_text("call part\nend\n")
    (tmp_path / "without.f90").write_text("!$xmp nodes p(*)\n!$xmp barrier\nend\n")
    xmpf90 = [build / "bin" / "xmpf90", "-O0"]
    run(*xmpf90, "-c", "part.f90", cwd=tmp_path)
    run("ar", "rc", "libpart.a", "part.o", cwd=tmp_path)

    def loads(*inputs):
        run(*xmpf90, *inputs, "-o", "program", cwd=tmp_path)
        return "libkumihimo_caf" in run("readelf", "-d", "program", cwd=tmp_path).stdout

    assert not loads("without.f90")
    assert not loads("without.f90", "-L.", "-lm")
    assert loads("part.f90", "with.f90")
    assert loads("with.f90", "part.o")
    assert loads("with.f90", "libpart.a")
    assert loads("with.f90", "-L.", "-lpart")


def test_descriptors_without_the_library():
    """As in programs for Omni: the program unit uses xmp_lib then, but not where it has declarations of its own."""
    text = "program a\n{}!$xmp nodes p(*)\n  i = xmp_nodes_index(xmp_desc_of(p), 1, me)\nend program\n"
    assert "; use xmp_lib" in translate_text("a.f90", text.format("")).text
    for known in ("  use xmp_lib\n", "  integer, external :: xmp_nodes_index\n"):
        assert "; use xmp_lib" not in translate_text("a.f90", text.format(known)).text


MODULE = """
module field
  implicit none
  integer, parameter :: wide = kind(1d0)
  real(wide), save :: x(3)[*]
end module
"""
USER = """
program user
  use field
  implicit none
  x = this_image()
  sync all
  x(1) = x(2)[num_images()]
  print '(f4.1, l2)', x(1), x(1) == num_images()
end program
"""


def test_a_module_of_another_file(build, families, tmp_path):
    """Its coarrays are known where it is used; a file that only uses it is compiled for coarrays, too; and one that xmpf90
    cannot read goes to the compiler as it stands."""
    (tmp_path / "field.f90").write_text(MODULE)
    (tmp_path / "user.f90").write_text(USER)
    (tmp_path / "other.f90").write_text("subroutine other()\n  use field\n  x(3) = 0\nend subroutine\n")
    xmpf90 = build / "bin" / "xmpf90"
    run(xmpf90, "-c", "field.f90", cwd=tmp_path)
    run(xmpf90, "--save-temps", "-c", "user.f90", cwd=tmp_path)
    assert "XMP_Direct" in (tmp_path / "user.xmp.f90").read_text()
    assert "-fcoarray=lib" in run(xmpf90, "-show", "-c", "other.f90", cwd=tmp_path).stdout
    run(xmpf90, "field.o", "user.o", "other.f90", "-o", "user", cwd=tmp_path)
    lines = run(build / "bin" / "xmprun", "-n", 2, "./user", cwd=tmp_path).stdout.splitlines()
    assert [line for line in lines if line] == [" 2.0 T"] * 2
    (tmp_path / "wrong.f90").write_text("program wrong\n  integer, save :: x[*]\n  x = (1\nend program\n")
    words = [xmpf90, "--save-temps", "-c", "wrong.f90"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "wrong.f90:3" in done.stderr and "internal" not in done.stderr


def translated(text, **wishes):
    return translate_text("a.f90", text, wishes=Options(only_coarrays=True, **wishes))


def test_loads_and_stores():
    """Which statements have them: assignments and conditions with scalar elements whose subscripts change nothing."""
    text = """
subroutine s(x, f)
  type t
    integer :: n, m(3)
    integer, allocatable :: late(:)
  end type
  type(t), save :: d(2)[*]
  integer, save :: a(9)[*], c[2,*]
  integer :: x(9), i, k
  integer, external :: f
  {}
end subroutine
"""
    direct = (
        "x(1) = a(i)[k]",
        "a(x(2))[k+1] = 3",
        "if (k > 1) i = a(1)[k]",
        "x = x + a(mod(i, 9) + 1)[k]",
        "i = c[1,k]",
        "if (a(1)[k] > 1) i = 3",
        "if (a(1)[k] > 1) then; i = 3; end if",
        "d(1)[k]%m(i) = 3",
        "i = d(2)[k]%n",
        "if (i > 1) then; else if (a(1)[k] > 1) then; end if",
        "if (i > 1) then; else if (a(1)[k] > 1) then; 20 end if",
        "x(1:2) = a(1:2)[k]",
        "a(i:k:-2)[k] = x(i:k)",
        "x = a(:)[k]",
        "x(1:3) = d(1)[k]%m",
        "d(1)[k]%m(2:) = 3",
        "if (any(a(1:2)[k] > 1)) x = 0",
        "c[1,k] = sum(d(i)[k]%m)",
    )
    library = (
        "x(1:2) = a(x(1:2))[k]",
        "x(1:2) = a(f(1):2)[k]",
        "a(f(i))[k] = 3",
        "x = [(a(i)[k], i=1,9)]",
        "where (x > 0) x = a(1)[k]",
        "10 i = a(1)[k]",
        "print *, a(1)[k]",
        "x(1) = a(f(1))[k]",
        "x(1:2) = d(:)[k]%n",
        "d(1)[k]%late(1) = 3",
    )
    for statement in (*direct, *library):
        result = translated(text.format(statement))
        assert result.ok and ("kumihimo_direct" in result.text) is (statement in direct), statement


def test_loads_and_stores_with_threads():
    """What threads would share is in a BLOCK, where all names are declared."""
    text = "subroutine s(x, k)\n{}\ninteger, save :: a(9)[*]\ninteger :: x, y(9), k\n{}\nend subroutine\n"
    block = translated(text.format("implicit none", "x = a(1)[k]"), threads=True).text
    assert "!$omp threadprivate(window1_xmp)" in block and "block; integer(kind(a)), pointer :: at1_xmp" in block
    assert "XMP_Direct" not in translated(text.format("", "x = a(1)[k]"), threads=True).text
    copy = translated(text.format("", "y(1:3) = a(1:3)[k]"), threads=True).text
    assert "XMP_Copied_from" in copy and "block" not in copy
    atomic = "!$omp atomic capture\nx = y(1)\ny(1) = a(1)[k]\n!$omp end atomic"
    assert "XMP_Direct" not in translated(text.format("implicit none", atomic), threads=True).text
    lines = ("subroutine s(x, k)", "implicit none", "integer, save :: a[*]", "integer :: x, k", "x = a[k]", "end")
    wishes = Options(only_coarrays=True, threads=True)
    fixed = translate_text("a.f", "".join(f"      {line}\n" for line in lines), fixed=True, wishes=wishes)
    assert "\n!$omp threadprivate(window1_xmp)\n" in fixed.text


def test_nothing_to_do_changes_nothing():
    text = "program p\n  integer :: x(3)[*]\n  x = this_image()\n  sync all\n  print *, x(:)[1]\nend program\n"
    assert translated(text).text == text


def test_collectives_of_omni():
    """Those with a result of their own; the standard's stay."""
    text = """
subroutine s(x, y, n, total)
  real :: x(4), y(4), r
  integer :: n, total(2)
  {}
end subroutine
"""
    forms = {
        "call co_sum(x, y)": "y = x; call co_sum(y)",
        "call co_max(x(:2), result=y(3:), result_image=2)": "y(3:) = x(:2); call co_max(y(3:), result_image=2)",
        "call co_min(result_image=n, source=x)": "call co_min(x, result_image=n)",
        "call co_sum(n, total(1))": "call co_sum(n, total(1))",
        "call co_sum(total, total)": "total = total; call co_sum(total)",
        "call co_broadcast(source_image=n, source=x)": "call co_broadcast(x, source_image=n)",
        "call co_broadcast(x, 3)": "call co_broadcast(x, 3)",
        "call co_sum(x, stat=n)": "call co_sum(x, stat=n)",
    }
    for given, expected in forms.items():
        assert translated(text.format(given)).text == text.format(expected)
