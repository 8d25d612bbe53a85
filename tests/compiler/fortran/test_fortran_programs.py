"""Translated Fortran programs against the same source compiled by plain gfortran, on several node counts and every MPI
family."""

import os
import pathlib
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from long_form import LONG_FORM
from named_cases import assert_same_cases, on_nodes

HERE = pathlib.Path(__file__).resolve().parent
# Of the translated program, and of the one that its saved translation gives: here all numbers together, in the long form each.
NODES = {
    "features.f90": [(1, 3, 8), (2, 4, 7)],
    "grid.f90": [(2, 8), (4,)],
    "units.f90": [(2,), (7,)],
    "assignments.f90": [(7,), (2,)],
    "old.f": [(2,), (7,)],
    "layouts.f90": [(7,), (2,)],
    "allocation.f90": [(2,), (7,)],
    "structures.f90": [(7,), (2,)],
    "coast.f": [(7,), (2,)],
}
if LONG_FORM:
    NODES = {name: [sorted(first + second)] * 2 for name, (first, second) in NODES.items()}
    NODES["coast.f"] = NODES["features.f90"]
OPTIONS = {"layouts.f90": ("-fopenmp",)}


def run(*words, cwd=None, expect=0):
    words = [str(word) for word in words]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI_"))}
    done = subprocess.run(words, cwd=cwd, env=clean, timeout=120, capture_output=True, text=True, check=False)
    assert done.returncode == expect, f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def lines(text):
    """The lines of what any number of nodes printed, each once."""
    return sorted({line.strip() for line in text.splitlines() if line.strip()})


@pytest.fixture(scope="module")
def families(build):
    if not (build / "lib" / "fortran" / "kumihimo_generated.mod").exists():
        pytest.skip("this build found no gfortran")
    return sorted(path.name for path in (build / "lib").iterdir() if (path / "libkumihimo.so").exists())


def serial(name, directory):
    """What a program prints when the directives are comments."""
    directory.mkdir()
    run("gfortran", "-w", "-o", "serial", HERE / name, cwd=directory)
    found = lines(run(directory / "serial").stdout)
    assert found
    return found


@pytest.mark.parametrize("name", NODES)
def test_same_as_serial(name, build, families, tmp_path):
    """The last family's program is made by its own compiler from the translation that the first one's leaves, without
    optimisation where that takes less time."""
    expected = serial(name, tmp_path / "serial")
    translated, plain = families[0], families[-1]
    options = ["-O1", "-w", *OPTIONS.get(name, ())]  # with more, gfortran takes other functions of mathematics
    words = [build / "bin" / "xmpf90", f"--mpi={translated}", *options, "--save-temps", "-o", "translated", HERE / name]
    assert run(*words, cwd=tmp_path).stderr == ""
    assert not list(tmp_path.glob("xmp_common*.mod"))  # ours, for COMMON blocks
    compile_saved(name, build, plain, options if name == "coast.f" else ["-O0", *options[1:]], tmp_path)
    for family, program, counts in zip((translated, plain), ("translated", "plain"), NODES[name]):
        for nodes in counts:
            output = run(build / "bin" / "xmprun", f"--mpi={family}", "-n", nodes, tmp_path / program).stdout
            assert_same_cases(expected, lines(output), f"{on_nodes(nodes)} of {family}, {program}")


def compile_saved(name, build, family, options, directory):
    """Plain mpif90 compiles what --save-temps leaves: no long lines, no markers."""
    stem, suffix = name.split(".")
    saved = directory / f"{stem}.xmp.{suffix}"
    longest = 132 if suffix == "f90" else 72
    code = [line.split("!")[0] for line in saved.read_text().splitlines() if line[:1] not in ("C", "!")]
    assert all(len(line) <= longest and not line.startswith("#") for line in code)
    paths = [f"-I{build}/lib/fortran", "-J", ".", f"-L{build}/lib/{family}", f"-L{build}/lib/fortran"]
    libraries = [f"-Wl,-rpath,{build}/lib/{family}", "-lkumihimo_fortran", "-lkumihimo"]
    run(f"mpifort.{family}", *options, *paths, "-o", "plain", saved, *libraries, cwd=directory)


def test_library(build, families, tmp_path):
    for family in families:
        run(build / "bin" / "xmpf90", f"--mpi={family}", "-O0", "-w", "-o", family, HERE / "library.f90", cwd=tmp_path)
        for nodes in (2, 7):
            told = lines(run(build / "bin" / "xmprun", "-n", nodes, f"./{family}", cwd=tmp_path).stdout)
            assert len(told) == 26 and all(line.endswith(" T") for line in told), told


def test_global_io(build, families, tmp_path):
    """The files are those of a serial program, byte for byte; a failure without iostat ends the program where it stands."""
    run("gfortran", "-o", "serial", HERE / "global_io_serial.f90", cwd=tmp_path)
    run("./serial", cwd=tmp_path)
    written = (tmp_path / "serial.dat").read_bytes() + (tmp_path / "appended.dat").read_bytes()
    run(build / "bin" / "xmpf90", "-O0", "-w", "-c", "-o", "object.o", HERE / "global_io.f90", cwd=tmp_path)
    for family in families:
        run(build / "bin" / "xmpf90", f"--mpi={family}", "-o", family, "object.o", cwd=tmp_path)
        for nodes in (2, 7):
            told = lines(run(build / "bin" / "xmprun", "-n", nodes, f"./{family}", cwd=tmp_path).stdout)
            assert len(told) == 10 and all(line.endswith(" T") for line in told), told
            assert (tmp_path / "written.dat").read_bytes() == written
            assert (tmp_path / "direct.dat").read_bytes() == (tmp_path / "records.dat").read_bytes()
    ended = run(build / "bin" / "xmprun", "-n", 2, f"./{families[0]}", "end", cwd=tmp_path, expect=1)
    assert "the end of 'serial.dat' is reached" in ended.stderr
    left = run(build / "bin" / "xmprun", "-n", 2, f"./{families[0]}", "open", cwd=tmp_path)
    assert left.stderr == "kumihimo: warning: unit 10 ('serial.dat') is closed by the end of the program\n"
    assert re.search(r"global_io\.f90:\d+: `read \(whole\) v`", ended.stderr)


ENDINGS = [
    ("end-of-file", 2, "Fortran runtime error: End of file"),
    ("format", 2, "Fortran runtime error: Unexpected element 'Q' in format"),
    ("stop-in-a-list", 3, "STOP 3"),
    ("error-stop", 1, "ERROR STOP wrong"),
    ("exit-5", 5, ""),
    ("abort", None, "Program aborted"),
    ("mpi", 0, ""),
]


def test_every_ending_ends_the_job(build, families, tmp_path):
    """What ends a node inside an I/O statement holds the lock of its unit, and does not wait for it."""

    def ends_as_it_should(family, how, code, text, nodes, who):
        directory = tmp_path / f"{family} {how} {who}"
        directory.mkdir()
        words = [build / "bin" / "xmprun", "-n", nodes, tmp_path / f"endings_{family}", how, who]
        done = subprocess.run(list(map(str, words)), cwd=directory, timeout=120, capture_output=True, text=True, check=False)
        assert done.returncode == code or (code is None and done.returncode != 0), f"{words}: {done}"
        assert text in done.stderr and done.stdout.count("before") == nodes, f"{words}: {done}"
        if how == "exit-5":  # no statement holds a unit
            assert (directory / "written-2").read_text().split() == ["before"]

    runs = {"end-of-file": [(2, "all"), (4, "last")], "format": [(2, "last"), (4, "all")], "exit-5": [(2, "last")]}
    for family in families:
        run(build / "bin" / "xmpf90", f"--mpi={family}", "-O0", "-o", f"endings_{family}", HERE / "endings.f90", cwd=tmp_path)
    cases = [
        (family, *ending, nodes, who)
        for family in families
        for ending in (ENDINGS if family == "openmpi" else ENDINGS[1:3] + ENDINGS[-1:])
        for nodes, who in runs.get(ending[0], [(2, "all")])
    ]
    with ThreadPoolExecutor(4) as pool:  # most of their time they wait
        for ended in [pool.submit(ends_as_it_should, *case) for case in cases]:
            ended.result()


VECTOR = """program vector
  implicit none
  integer, parameter :: n = 1000
  real(8) :: a(n), b(n), u(n, n), w(n, n), x(n), y(n), x4(n), y4(n)
  integer :: i, j, k(n), m(n)
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align (i) with t(i) :: a, b, k, m
!$xmp align (*, i) with t(i) :: u, w
!$xmp shadow (0, 1) :: u, w
!$xmp template c(n)
!$xmp distribute c(cyclic) onto p
!$xmp template c4(n)
!$xmp distribute c4(cyclic(4)) onto p
!$xmp align (i) with c(i) :: x, y
!$xmp align (i) with c4(i) :: x4, y4
!$xmp loop on t(i)
  do i = 1, n
    a(i) = b(i) * 2
  end do
!$xmp loop on t(i)
  do i = n, 1, -1
    k(i) = m(i) * 2
  end do
!$xmp loop on t(j)
  do j = 2, n - 1
    do i = 2, n - 1
      w(i, j) = u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)
    end do
  end do
!$xmp loop on c(i)
  do i = 1, n
    x(i) = y(i) * 2
  end do
!$xmp loop on c4(i)
  do i = n, 1, -1
    x4(i) = y4(i) * 2
  end do
!$xmp task on p(1)
  print *, a(1), k(1), w(2, 2), x(1), x4(1)
!$xmp end task
end program
"""


MODULES = {
    "sizes.f90": "module sizes\n  integer, parameter :: n = 24\nend module\n",
    "field.f90": """module field
  use sizes
  implicit none
  private
  real(8), public :: u(n)
  real(8) :: hidden(n)
  public :: fill, double, scale, mass, down, twice, double_of
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align (i) with t(i) :: u, hidden
  interface
    module subroutine double()
    end subroutine
    module subroutine scale(v, by, w)
      real(8), intent(inout) :: v(n)
      real(8), intent(in) :: by
      real(8), intent(in), optional :: w(n)
    end subroutine
    module function mass(v) result(m)
      real(8), intent(in) :: v(:)
      real(8) :: m
    end function
    recursive module subroutine down(v, depth)
      real(8), intent(inout) :: v(*)
      integer, intent(in) :: depth
    end subroutine
    module function plus(v, by) result(r)
      real(8), intent(in) :: v(n), by
      real(8), allocatable :: r(:)
!$xmp align r(i) with t(i)
    end function
    function minus(v, by) result(r)  ! an external one
      use sizes
      real(8), intent(in) :: v(n), by
      real(8) :: r(n)
!$xmp align (i) with t(i) :: v, r
    end function
  end interface
  interface double_of
    procedure twice, twice_number
  end interface
  public :: plus, minus, thrice
contains
  integer function twice_number(v)
    integer, intent(in) :: v
    twice_number = 2 * v
  end function
  subroutine fill(v, by, w)
    real(8), intent(inout) :: v(n)
    real(8), intent(in), optional :: w(n)
!$xmp align (i) with t(i) :: v, w
    real(8), intent(in) :: by
    integer :: i
!$xmp loop on t(i)
    do i = 1, n
      hidden(i) = i * by
      v(i) = hidden(i)
    end do
    if (present(w)) call scale(v, 1d0, w)
  end subroutine
  function twice(v) result(r)
    real(8), intent(in) :: v(n)
    real(8) :: r(n), triple(n)
!$xmp align (i) with t(i) :: v, r, triple
    integer :: i
!$xmp loop on t(i)
    do i = 1, n
      r(i) = 2 * v(i)
    end do
    return
  entry thrice(v) result(triple)
!$xmp loop on t(i)
    do i = 1, n
      triple(i) = 3 * v(i)
    end do
  end function
end module
""",
    "part.f90": """submodule (field) part
  implicit none
contains
  module subroutine double()
    integer :: i
!$xmp loop on t(i)
    do i = 1, n
      u(i) = u(i) + hidden(i)
    end do
  end subroutine
  module subroutine scale(v, by, w)
    real(8), intent(inout) :: v(n)
    real(8), intent(in), optional :: w(n)
!$xmp align (i) with t(i) :: v, w
    real(8), intent(in) :: by
    integer :: i
    if (by < 0 .and. .not. present(w)) return
    call scaled
  contains
    subroutine scaled
!$xmp loop on t(i)
      do i = 1, n
        v(i) = v(i) * by
        if (present(w)) v(i) = v(i) + w(i)
      end do
    end subroutine
  end subroutine
  module procedure mass
!$xmp align v(i) with t(i)
    call sum_up
!$xmp bcast (m)
  contains
    subroutine sum_up
      integer :: i
      m = 0
!$xmp loop on t(i) reduction(+:m)
      do i = 1, n
        m = m + v(i)
      end do
    end subroutine
  end procedure
  recursive module subroutine down(v, depth)
    real(8), intent(inout) :: v(*)
    integer, intent(in) :: depth
    real(8) :: step(n)
    integer :: i
!$xmp align (i) with t(i) :: v, step
    if (depth == 0) return
    step = 1
    call down(v, depth - 1)
!$xmp loop on t(i)
    do i = 1, n
      v(i) = v(i) + depth * step(i)
    end do
  end subroutine
  module procedure plus
    integer :: i
!$xmp align (i) with t(i) :: v, r
    allocate (r(n))
!$xmp loop on t(i)
    do i = 1, n
      r(i) = v(i) + by
    end do
  end procedure
end submodule
""",
    "outside.f90": """function minus(v, by) result(r)
  use field, only: fill
  use sizes
  implicit none
  real(8), intent(in) :: v(n), by
  real(8) :: r(n)
!$xmp align (i) with t(i) :: v, r
  r = 0
!$xmp array on t
  r = v - by
end function
""",
    "between.f90": "module between\n  use field, w => u\n  implicit none\nend module\n",
    "main.f90": """program main
  use between, doubled => twice
  use sizes
  real(8) :: s  ! `i` has no declaration, and might be one of sizes
  call fill(by=1d0, v=w)
  call double()
  s = 0
!$xmp loop on t(i) reduction(+:s)
  do i = 1, n
    s = s + w(i)
  end do
  print *, s
  call scale(by=-1d0, v=w)
  call scale(w, 0.5d0)
  call down(w, 3)
  print *, mass(w)
  if (mass(double_of(w)) > 1 .and. double_of(2) == 4) w = doubled(double_of(v=w))
  print *, mass(w)
  call scale(w, by=0.5d0, w=doubled(w))
  print *, mass(w)
  call scale(w, 10d0)
  print *, mass(w)
  call fill(w, 2d0, doubled(w))
  print *, mass(w)
  call fill(w, 1d0)
  print *, mass(w)
  w = minus(plus(thrice(w), 4d0), 1d0)
  print *, mass(w)
end program
""",
}


def test_modules_in_files_of_their_own(build, families, tmp_path):
    """Other files know a module's templates and arrays, directly and by way of a module without directives; so do files that
    one command compiles together."""
    for name, text in MODULES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "mods").mkdir()
    for name in MODULES:
        run(build / "bin" / "xmpf90", "-J", "mods", "-c", name, cwd=tmp_path)
    assert sorted(path.name for path in (tmp_path / "mods").glob("*.xmpmod")) == ["between.xmpmod", "field.xmpmod"]
    run(build / "bin" / "xmpf90", "-o", "program", *[name.replace("f90", "o") for name in MODULES], cwd=tmp_path)
    (tmp_path / "empty").mkdir()  # where no file of a module lies
    run(build / "bin" / "xmpf90", "-J", "empty", "-o", "at_once", *MODULES, cwd=tmp_path)
    for nodes, program in ((1, "./program"), (3, "./program"), (2, "./at_once")):
        assert lines(run(build / "bin" / "xmprun", "-n", nodes, program, cwd=tmp_path).stdout) == [
            "1776.0000000000000",
            "300.00000000000000",
            "444.00000000000000",
            "4440.0000000000000",
            "44400.000000000000",
            "600.00000000000000",
            "89400.000000000000",
            "972.00000000000000",
        ]


def test_loops_vectorise(build, families, tmp_path):
    (tmp_path / "vector.f90").write_text(VECTOR)
    done = run(build / "bin" / "xmpf90", "-O3", "-fopt-info-vec-optimized", "-c", "vector.f90", cwd=tmp_path)
    vectorised = set(re.findall(r"vector\.f90:(\d+):\d+: optimized:\s+loop vectorized", done.stderr))
    assert {"19", "23", "28", "33", "37"} <= vectorised, done.stderr


PREPROCESSED = """#define N 12
program preprocessed
  use xmp_lib
  implicit none
  integer :: a(N), i, s, at
!$xmp nodes p(*)
#ifdef BIG
!$xmp template t(2*N)
#else
!$xmp template t(N)
#endif
!$xmp distribute t(block) onto p
!$xmp align a(i) with t(i)
  s = 0
!$xmp loop on t(i) reduction(+:s)
  do i = 1, N
    a(i) = i
    s = s + a(i)
  end do
  if (xmp_node_num() == 1) print *, s, xmp_all_num_nodes()
  at = N + 1 - LESS
  a(at) = 1
end program
"""


def test_preprocessed_source_and_check(build, families, tmp_path):
    """Macros in directives; --check finds a subscript outside what the node stores, in the user's line."""
    (tmp_path / "p.F90").write_text(PREPROCESSED)
    run(build / "bin" / "xmpf90", "--check", "-DLESS=1", "-o", "right", "p.F90", cwd=tmp_path)
    assert run(build / "bin" / "xmprun", "-n", 1, "./right", cwd=tmp_path).stdout.split() == ["78", "1"]
    run(build / "bin" / "xmpf90", "--check", "-DLESS=0", "-o", "wrong", "p.F90", cwd=tmp_path)
    done = subprocess.run(
        [build / "bin" / "xmprun", "-n", "2", "./wrong"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode != 0
    assert "At line 22 of file p.F90" in done.stderr


def test_run_time_message_names_the_directive(build, families, tmp_path):
    text = VECTOR.replace("do i = 1, n\n", "do i = 1, n + 1\n", 1)
    (tmp_path / "beyond.f90").write_text(text)
    run(build / "bin" / "xmpf90", "-o", "beyond", "beyond.f90", cwd=tmp_path)
    done = subprocess.run(
        [build / "bin" / "xmprun", "-n", "2", "./beyond"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode != 0
    assert "beyond.f90:18: !$xmp loop on t(i)" in done.stderr
    assert done.stderr.count("kumihimo: error") == 1


INSIDE = """module field
  integer, parameter :: n = 6
  integer :: u(n, n)
!$xmp nodes p(2, 2)
!$xmp template t(n, n)
!$xmp distribute t(block, cyclic) onto p
!$xmp align u(i, j) with t(i, j)
contains
  subroutine add_to_column(j)
    integer, intent(in) :: j
    integer :: i
!$xmp loop on t(i, j)
    do i = 1, n
      u(i, j) = u(i, j) + i * j
    end do
  end subroutine
  integer function total()
    integer :: i, j
    total = 0
!$xmp loop (i, j) on t(i, j) reduction(+:total)
    do j = 1, n
      do i = 1, j
        total = total + u(i, j)
      end do
    end do
  end function
end module
program inside
  use field
  integer :: i, j
!$xmp loop (i, j) on t(i, j)
  do j = 1, n
    do i = 1, n
      u(i, j) = 0
    end do
  end do
!$xmp loop on t(*, j)
  do j = 1, n
    call add_to_column(j)
  end do
  print '(i0)', total()
!$xmp loop on t(:, j)
  do j = 1, n
    do i = 1, total()
      u(1, j) = 0
    end do
  end do
  print '(a)', 'not reached'
end program
"""


def test_loops_in_iterations_of_others(build, families, tmp_path):
    """One on the nodes of the iteration, as of a column, is right; all nodes must call what has one on others."""
    (tmp_path / "inside.f90").write_text(INSIDE)
    run(build / "bin" / "xmpf90", "-O0", "-w", "-o", "inside", "inside.f90", cwd=tmp_path)
    done = subprocess.run(
        [build / "bin" / "xmprun", "-n", "4", "./inside"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode != 0
    assert lines(done.stdout) == [str(sum(i * j for j in range(1, 7) for i in range(1, j + 1)))]
    assert "inside.f90:20: !$xmp loop (i, j) on t(i, j) reduction(+:total)" in done.stderr
    assert "an iteration of the loop at inside.f90:42 executes this loop, on 2 nodes" in done.stderr


EARLIER = {
    "main.f90": "program main\n!$xmp nodes p(*)\n  call part\nend program\n",
    "part.f90": """subroutine part
  real :: u(8)
!$xmp nodes p(*)
!$xmp template t(8)
!$xmp distribute t(block) onto p
!$xmp align u(i) with t(i)
  u = 1
  print *, 'not reached'
end subroutine
""",
}


def test_an_object_of_another_version_ends_the_program(build, families, tmp_path):
    """Also where the main program is of this version. Objects of version 1 did not say their file."""
    for name, text in EARLIER.items():
        (tmp_path / name).write_text(text)
    run(build / "bin" / "xmpf90", "--save-temps", "-c", *EARLIER, cwd=tmp_path)
    text = (tmp_path / "part.xmp.f90").read_text()
    assert text.count("XMP_Start(XMP_ABI_VERSION") == 1
    for version, file in ((1, "a Fortran file"), (99, "part.f90")):
        (tmp_path / "other.f90").write_text(text.replace("XMP_ABI_VERSION", str(version)))
        run("gfortran", "-I", build / "lib" / "fortran", "-c", "other.f90", cwd=tmp_path)
        run(build / "bin" / "xmpf90", "-o", "program", "main.o", "other.o", cwd=tmp_path)
        done = run(build / "bin" / "xmprun", "-n", 1, "./program", cwd=tmp_path, expect=1)
        assert f"kumihimo: error: {file} was compiled for version {version} of Kumihimo's interface" in done.stderr
        assert "not reached" not in done.stdout


IN_A_TASK = """      PROGRAM MAIN
C$XMP NODES Q(*)
{before}
C$XMP TASK ON Q(1:2)
      CALL FILL(1)
      CALL FILL(2)
C$XMP END TASK
C$XMP TASK ON Q(1)
      CALL FILL(3)
C$XMP END TASK
      CALL FILL(4)
      END
      SUBROUTINE FILL(K)
      COMMON /FLOW/ U(12)
C$XMP NODES P(*)
C$XMP TEMPLATE T(12)
C$XMP DISTRIBUTE T(BLOCK) ONTO P
C$XMP ALIGN U(I) WITH T(I)
C$XMP LOOP ON T(I)
      DO 10 I = 1, 12
      IF (K .LE. 1) U(I) = 0
   10 U(I) = U(I) + K
      IF (K .LT. 4) RETURN
      S = 0
C$XMP LOOP ON T(I) REDUCTION(+:S)
      DO 20 I = 1, 12
   20 S = S + U(I)
      PRINT '(F8.1)', S
      END
"""


def test_a_common_block_that_is_first_described_in_a_task(build, families, tmp_path):
    """The main program creates the array if it is in the same file. Else it works in the task, and the other nodes join when
    they use the array. On 4 nodes: nodes 1 and 2 have half of the elements."""
    program = tmp_path / "program"
    for files, before in ((1, ""), (2, ""), (2, "      CALL FILL(0)")):
        text = IN_A_TASK.format(before=before)
        main, end, fill = text.partition("      END\n")
        (tmp_path / "main.f").write_text(text if files == 1 else main + end)
        (tmp_path / "fill.f").write_text(fill)
        run(build / "bin" / "xmpf90", "-w", "-o", program, *["main.f", "fill.f"][:files], cwd=tmp_path)
        done = run(build / "bin" / "xmprun", "-n", 4, program)
        assert lines(done.stdout) == [f"{3 * (1 + 2 + 3 + 4) + 3 * (1 + 2 + 4) + 6 * 4:.1f}"], (files, before)


def test_tasks_on_nodes_that_overlap(build, families, tmp_path):
    """Node 1 has memory with node 2, which comes with node 3 then: the array would not be one any more."""
    main, end, fill = IN_A_TASK.format(before="").partition("      END\n")
    (tmp_path / "main.f").write_text(main.replace("Q(1)\n", "Q(2:3)\n") + end)
    (tmp_path / "fill.f").write_text(fill)
    run(build / "bin" / "xmpf90", "-w", "-o", "program", "main.f", "fill.f", cwd=tmp_path)
    done = run(build / "bin" / "xmprun", "-n", 4, "./program", cwd=tmp_path, expect=1)
    assert "array u was created in a task by 2 nodes, and only some of them use it with others now" in done.stderr


BLOCK_DATA = """      BLOCK DATA
      COMMON /FLOW/ U(12), K(4)
{directives}
      DATA U /6*2.5, 5*1.0, 7.0/, K /3*9, 8/
      END
"""
WITH_VALUES = """      PROGRAM MAIN
      COMMON /FLOW/ U(12), K(4)
{directives}
      S = 0
C$XMP LOOP ON T(I) REDUCTION(+:S)
      DO 20 I = 1, 12
   20 S = S + U(I) * I
      PRINT '(F8.1, I2)', S, K(4)
      END
"""


@pytest.mark.parametrize("layout", ["BLOCK", "CYCLIC"])
def test_initial_values_in_common(layout, build, families, tmp_path):
    """BLOCK DATA may be in the file of the main program, in another one before or behind it, or nowhere."""
    mapping = ("NODES P(*)", "TEMPLATE T(12)", f"DISTRIBUTE T({layout}) ONTO P", "ALIGN U(I) WITH T(I)")
    directives = "\n".join(f"C$XMP {one}" for one in mapping)
    main, values = (text.format(directives=directives) for text in (WITH_VALUES, BLOCK_DATA))
    for name, text in (("main", main), ("values", values), ("one", values + main)):
        (tmp_path / f"{name}.f").write_text(text)
    assert run(build / "bin" / "xmpf90", "-O0", "-w", "-c", "main.f", "values.f", "one.f", cwd=tmp_path).stderr == ""
    for files in (["one.o"], ["main.o", "values.o"], ["values.o", "main.o"], ["main.o"]):
        run(build / "bin" / "xmpf90", "-o", "program", *files, cwd=tmp_path)
        expected = f"{2.5 * 21 + 45 + 7 * 12:.1f} 8" if len(files) == 2 or files == ["one.o"] else "0.0 0"
        assert lines(run(build / "bin" / "xmprun", "-n", 3, "./program", cwd=tmp_path).stdout) == [expected], files


def test_initial_values_without_directives(build, families, tmp_path):
    """A BLOCK DATA that lacks the directives of an array ends the program, in whatever order the files are; one of blocks
    without global arrays does not. DATA for COMMON may stand elsewhere, as gfortran allows it."""
    directives = "C$XMP NODES P(*)\nC$XMP TEMPLATE T(12)\nC$XMP DISTRIBUTE T(BLOCK) ONTO P\nC$XMP ALIGN U(I) WITH T(I)"
    data = next(line for line in BLOCK_DATA.splitlines() if "DATA U" in line)
    (tmp_path / "main.f").write_text(WITH_VALUES.format(directives=directives))
    (tmp_path / "inside.f").write_text(WITH_VALUES.format(directives=f"{directives}\n{data}"))
    (tmp_path / "plain.f").write_text(BLOCK_DATA.format(directives="C"))
    (tmp_path / "other.f").write_text(BLOCK_DATA.format(directives="C").replace("FLOW", "OTHER"))
    xmpf90, xmprun = build / "bin" / "xmpf90", build / "bin" / "xmprun"
    run(xmpf90, "-O0", "-w", "-c", "main.f", "plain.f", "other.f", "inside.f", cwd=tmp_path)
    for files in (["main.o", "plain.o"], ["plain.o", "main.o"]):
        subprocess.run([xmpf90, "-o", "program", *files], cwd=tmp_path, check=True, capture_output=True)
        done = subprocess.run([xmprun, "-n", "2", "./program"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 1
        assert "main.f:6: error: a BLOCK DATA describes the COMMON block /flow/ without the directives" in done.stderr
    for files, expected in ((["main.o", "other.o"], "0.0 0"), (["inside.o"], f"{2.5 * 21 + 45 + 7 * 12:.1f} 8")):
        run(xmpf90, "-o", "program", *files, cwd=tmp_path)
        assert lines(run(xmprun, "-n", 2, "./program", cwd=tmp_path).stdout) == [expected], files


SUBSCRIPTS = """program main
  real :: u(8)
!$xmp nodes p(*)
!$xmp template t(8)
!$xmp distribute t(block) onto p
!$xmp align u(i) with t(i)
  call part
contains
  subroutine part
!$xmp loop on t(i)
    do i = 1, 8
      u(i) = i
    end do
    total = 0
!$xmp loop on t(i) reduction(+:total)
    do i = 1, 8
      total = total + u(i)
    end do
    print '(f5.1)', total
  end subroutine
end program
"""


def test_subscripts_of_align_are_no_variables(build, families, tmp_path):
    """Else an internal procedure would have its variable of that name, which nobody declares, from the program around it."""
    (tmp_path / "main.f90").write_text(SUBSCRIPTS)
    run(build / "bin" / "xmpf90", "-w", "-O0", "-o", "program", "main.f90", cwd=tmp_path)
    assert lines(run(build / "bin" / "xmprun", "-n", 2, tmp_path / "program").stdout) == ["36.0"]


IN_BOUNDS = """module m
  implicit none
  integer, parameter :: n = 12
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(cyclic) onto p
contains
  function f(a) result(r)
    real(8), intent(in) :: a(n)
    real(8) :: r(n)
!$xmp align (i) with t(i) :: a, r
    integer :: i
!$xmp loop on t(i)
    do i = 1, n
      r(i) = a(i) + 1
    end do
  end function
  integer function many(a)
    real(8), intent(in) :: a(n)
!$xmp align (i) with t(i) :: a
    integer :: i
    many = 0
!$xmp loop on t(i) reduction(+:many)
    do i = 1, n
      if (a(i) > 4) many = many + 1
    end do
  end function
end module
program b
  use m
  implicit none
  real(8) :: v(n), s, w(n, n)
  integer :: i, j, k
!$xmp align v(i) with t(i)
!$xmp align w(*, i) with t(i)
!$xmp loop on t(i)
  do i = 1, n
    v(i) = i
    w(:, i) = 0
  end do
  k = 0
  do i = 1, many(f(v))
    if (i == 3) cycle
    k = k + i
  end do
  do 10 i = many(v), many(f(v)) + 2, many(f(v)) - 8
  do 10 j = 1, many(f(f(v)))
  k = k + 100
10 continue
  s = 0
!$xmp loop on t(i) reduction(+:s)
  do i = many(v), many(f(v)) + 2
    s = s + v(i)
  end do
  print '(i5, f6.1, i3)', k, s, i
!$xmp loop on t(i)
  do i = 1, many(f(v)), many(f(v)) - 6
    do j = many(f(v)) - 1, many(f(v)) + 1
      w(j, i) = w(j, i) + i * j
    end do
  end do
  do k = 1, n
    s = 0
!$xmp loop on t(i) reduction(+:s)
    do i = 1, n
      s = s + w(k, i)
    end do
    print '(i3, f8.1)', k, s
  end do
end program
"""


def test_results_in_the_bounds_of_loops(build, families, tmp_path):
    """Of plain loops, of two that end with one statement, and of distributed ones: step and inner bounds, too."""
    same_as_serial(build, tmp_path, IN_BOUNDS)


def same_as_serial(build, directory, text, suffix="f90", options=()):
    """The same lines from gfortran's program and from ours."""
    (directory / f"main.{suffix}").write_text(text)
    run("gfortran", "-w", *options, "-o", "serial", f"main.{suffix}", cwd=directory)
    run(build / "bin" / "xmpf90", "-w", "-O1", *options, "-o", "program", f"main.{suffix}", cwd=directory)
    assert lines(run(build / "bin" / "xmprun", "-n", 3, directory / "program").stdout) == lines(
        run(directory / "serial").stdout
    )


IN_WHERE = (
    IN_BOUNDS[: IN_BOUNDS.index("program b")]
    + """program w
  use m
  implicit none
  real(8) :: u(n), v(n)
  integer :: i
!$xmp align (i) with t(i) :: u, v
!$xmp loop on t(i)
  do i = 1, n
    v(i) = i
    u(i) = 0
  end do
!$xmp array on t
  where (f(v) > 8)
    u = f(v)
  elsewhere (f(f(v)) > 5)
    u = 2 * f(v) + v
  else where
    u = u - f(v)
  end where
!$xmp loop on t(i)
  do i = 1, n
    print '(i3, f6.1)', i, u(i)
  end do
end program
"""
)


def test_results_in_where(build, families, tmp_path):
    same_as_serial(build, tmp_path, IN_WHERE)


ASSOCIATED = """program a
  implicit none
  integer, parameter :: n = 9
  real(8) :: u(n), s, total(2), other
  integer :: i
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align u(i) with t(i)
  s = 1
  total = 0
  other = 5
  associate (sum => s, both => total, other => n)
!$xmp loop on t(i) reduction(+:sum, both)
    do i = 1, other
      u(i) = i
      sum = sum + u(i)
      both(2) = both(2) + 2 * u(i)
    end do
!$xmp reduction(max:sum)
  end associate
!$xmp bcast (other)
  print '(4f8.1)', s, total, other
end program
"""


def test_reductions_of_associated_names(build, families, tmp_path):
    """They have the types of their variables, and mean nothing behind the construct."""
    same_as_serial(build, tmp_path, ASSOCIATED)


LONG_LINES = """      program l
      real(8) :: u(20), one, total
!$xmp nodes p(*)
!$xmp template t(20)
!$xmp distribute t(cyclic) onto p
!$xmp align u(i) with t(i)
      one = 1
      total = 0
!$xmp loop on t(i) reduction(+:total)
      do i = 1, 20
        u(i) = one * i + one * one * i + one * one * one * i + one * one * one * one
        total = total + u(i)
      end do
!$xmp task on p(1)
      print *, total
!$xmp end task
      end
"""


def test_lines_of_another_length(build, families, tmp_path):
    """What the translation writes may be longer than the user's own lines are."""
    same_as_serial(build, tmp_path, LONG_LINES, "f", ["-ffixed-line-length-100"])
    for length in ("132", "none", "0"):
        run(build / "bin" / "xmpf90", "-w", "-fsyntax-only", f"-ffixed-line-length-{length}", "main.f", cwd=tmp_path)


def test_free_lines_of_a_length(build, families, tmp_path):
    same_as_serial(build, tmp_path, ASSOCIATED, "f90", ["-ffree-line-length-80"])
