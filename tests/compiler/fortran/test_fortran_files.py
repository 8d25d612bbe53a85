"""Input and output in Fortran: files and standard output are the serial program's, byte for byte, and failures end jobs."""

import os
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent


def run(*words, cwd, expect=0, text=None):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI_"))}
    words = [str(word) for word in words]
    done = subprocess.run(words, cwd=cwd, env=clean, timeout=120, capture_output=True, input=text, check=False)
    assert done.returncode == expect, f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


@pytest.fixture(scope="module")
def families(build):
    if not (build / "lib" / "fortran" / "kumihimo_generated.mod").exists():
        pytest.skip("this build found no gfortran")
    return sorted(path.name for path in (build / "lib").iterdir() if (path / "libkumihimo.so").exists())


def results(command, directory, text=None):
    """What a program prints, and the files that it leaves."""
    directory.mkdir()
    printed = run(*command, cwd=directory, text=text).stdout
    return {"": printed, **{path.name: path.read_bytes() for path in directory.iterdir()}}


def compare(found, expected, what):
    assert found.keys() == expected.keys(), what
    for name in expected:
        assert found[name] == expected[name], f"{what}: {name or 'what is printed'}"


def test_master_io(build, families, tmp_path):
    run("gfortran", "-w", "-o", tmp_path / "serial", HERE / "files.f90", cwd=tmp_path)
    expected = results([tmp_path / "serial"], tmp_path / "expected")
    assert len(expected) == 6
    for family in families:
        program = tmp_path / family
        run(build / "bin" / "xmpf90", f"--mpi={family}", "-O1", "-w", "-o", program, HERE / "files.f90", cwd=tmp_path)
        for nodes in (2, 7) if family == families[0] else (3,):
            command = [build / "bin" / "xmprun", "-n", nodes, program]
            compare(results(command, tmp_path / f"{family}-{nodes}"), expected, f"{nodes} nodes of {family}")


PLAIN = """\
subroutine plain(n)
  integer :: n
  if (n > 2) write (*, '(a, i3)') 'without directives', n
end subroutine
"""
EVERYTHING = """\
program everything
  implicit none
  integer :: n, i
  real(8) :: u(6)
  character(8) :: text
!$xmp nodes p(*)
!$xmp template t(6)
!$xmp distribute t(cyclic) onto p
!$xmp align u(i) with t(i)
  read *, n, text
  read '(i2)', i
  write (text(5:8), '(i4)') i
!$xmp loop on t(i)
  do i = 1, 6
    u(i) = n*i
    if (i > 6) print *, u(i)
  end do
  open (10, file='u')
  write (10, *, err=9) u
9 if (n > 0) print *, n, text, u
  call plain(n)
end program
"""


def test_option(build, families, tmp_path):
    """--io=master: every statement on a file, also in files without directives; standard input reaches all nodes."""
    (tmp_path / "everything.f90").write_text(EVERYTHING)
    (tmp_path / "plain.f90").write_text(PLAIN)
    files = ["everything.f90", "plain.f90"]
    run("gfortran", "-w", "-o", "serial", *files, cwd=tmp_path)
    given = b"5 word\n42\n"
    expected = results([tmp_path / "serial"], tmp_path / "expected", given)
    command = [build / "bin" / "xmpf90", f"--mpi={families[0]}", "--io=master", "-O0", "-w"]
    run(*command, "-o", "program", *files, cwd=tmp_path)
    parallel = [build / "bin" / "xmprun", f"--mpi={families[0]}", "-n", 3, tmp_path / "program"]
    compare(results(parallel, tmp_path / "found", given), expected, "3 nodes")
    run(*command, "--io=some", *files, cwd=tmp_path, expect=2)


LOCAL = """\
program local
  implicit none
  integer :: u(9), c(9), v(9), i, me, xmp_node_num
  character(8) :: name
!$xmp nodes p(3)
!$xmp template t(9)
!$xmp template s(9)
!$xmp distribute t(block) onto p
!$xmp distribute s(cyclic) onto p
!$xmp align (i) with t(i) :: u, v
!$xmp shadow u(1:0)
!$xmp align c(i) with s(i)
!$xmp loop on t(i)
  do i = 1, 9
    u(i) = 10*i
  end do
!$xmp loop on s(i)
  do i = 1, 9
    c(i) = i
  end do
!$xmp reflect (u)
  me = xmp_node_num()
  write (name, '(a, i1)') 'local-', me
  open (10, file=name)
  write (10, '(9i4)') me, v(3*me), u, c
  rewind (10)
  read (10, *) i, v(3*me), i, v, c
  write (10, '(9i4)') v, c
end program
"""


def test_local_io(build, families, tmp_path):
    """The name of a global array is what the node stores of it, with the shadow (specification D.1.1)."""
    (tmp_path / "local.f90").write_text(LOCAL)
    run(build / "bin" / "xmpf90", f"--mpi={families[0]}", "-O0", "-w", "-o", "local", "local.f90", cwd=tmp_path)
    run(build / "bin" / "xmprun", f"--mpi={families[0]}", "-n", 3, tmp_path / "local", cwd=tmp_path)
    for me in (1, 2, 3):
        own, cyclic = [10 * i for i in range(3 * me - 2, 3 * me + 1)], [me, me + 3, me + 6]
        first, second = (tmp_path / f"local-{me}").read_text().splitlines()
        assert list(map(int, first.split())) == [me, 0, 10 * (3 * me - 3), *own, *cyclic]
        assert list(map(int, second.split())) == [*own, *cyclic]


FAILING = """\
program failing
  implicit none
  integer :: i, which
  real :: u(4)
  character(8) :: text
!$xmp nodes p(*)
!$xmp template t(4)
!$xmp distribute t(block) onto p
!$xmp align u(i) with t(i)
  call get_command_argument(1, text)
  read (text, *) which
  i = which
  if (which == 1) then
!$xmp master_io
    write (10, '(i4)') u
  else if (which == 2) then
!$xmp master_io
    open (10, file='no/such/directory/file')
  else if (which == 3) then
!$xmp master_io begin
    open (10, file='short')
    write (10, *) 1
    rewind (10)
    read (10, *) i, u
!$xmp end master_io
  else if (which == 4) then
!$xmp master_io
    open (10, file='ours')
!$xmp task on p(2:3)
!$xmp master_io
    write (10, *) 1
!$xmp end task
  else
!$xmp master_io
    print *, u(i)
  end if
end program
"""


def test_failures(build, families, tmp_path):
    """One message, with the statement, the node and gfortran's own words; no node is left behind."""
    (tmp_path / "failing.f90").write_text(FAILING)
    run(build / "bin" / "xmpf90", f"--mpi={families[0]}", "-O0", "-w", "-o", "failing", "failing.f90", cwd=tmp_path)
    told = {
        1: ("Expected INTEGER", "IOSTAT", "failing.f90:15: `write (10, '(i4)') u`"),
        2: ("Cannot open file 'no/such/directory/file'", "failing.f90:18: `open (10"),
        3: ("End of file (IOSTAT=-1)", "failing.f90:24: `read (10, *) i, u`", "IOSTAT or END"),
        7: ("subscript 7 of dimension 1 of u is outside 1:4", "failing.f90:35: `print *, u(i)`"),
    }
    for which, parts in told.items():
        command = [build / "bin" / "xmprun", f"--mpi={families[0]}", "-n", 3, tmp_path / "failing", which]
        error = run(*command, cwd=tmp_path, expect=1).stderr.decode()
        assert all(part in error for part in (*parts, "on node 1 of 3")), error
        assert error.count("error:") == 1, error
    command = [build / "bin" / "xmprun", f"--mpi={families[0]}", "-n", 3, tmp_path / "failing", 4]
    error = run(*command, cwd=tmp_path, expect=1).stderr.decode()
    assert "unit 10 is connected on node 1, by failing.f90:28: `open (10, file='ours')`" in error, error
    assert "the master of this statement is node 2" in error and "failing.f90:31: `write (10, *) 1`" in error, error


def test_explained(build, families, tmp_path):
    """--explain says what a statement communicates."""
    (tmp_path / "local.f90").write_text(LOCAL.replace("  read (10", "!$xmp master_io\n  read (10"))
    told = run(build / "bin" / "xmpf90", "--explain", "local.f90", cwd=tmp_path).stdout.decode()
    first = "from the first executing node to their owners"
    expected = [
        "local.f90:28: read (10, *) i, v(3*me), i, v, c",
        "master I/O: the first executing node executes the read statement",
        f"v: 9 integers {first}, in pieces of 1 MiB",
        f"c: 9 integers {first}, in pieces of 1 MiB",
        f"elements of v, one by one: {first}",
        "i: one to all executing nodes",
    ]
    assert "\n    ".join(expected) in told, told


CHECKPOINTS = """\
program checkpoints
  use xmp_lib
  implicit none
  integer, parameter :: n = 2000
  real(8) :: u(n), saved(n)
  integer :: i, done = 0, wrong = 0, unit
  character(200) :: message
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(cyclic(3)) onto p
!$xmp align u(i) with t(i)
  if (xmp_checkpoint_latest('heat') /= 1) error stop 'latest'
  if (xmp_checkpoint_restore_values('heat ', 1, [xmp_desc_of(u)], done, 4) /= 1) error stop 'restore'
  open(newunit=unit, file='heat.1', access='stream', form='unformatted', status='old')
  read(unit) saved
  close(unit)
!$xmp loop on t(i) reduction(+:wrong)
  do i = 1, n
    if (u(i) /= saved(i)) wrong = wrong + 1
    u(i) = u(i) + 1
  end do
  if (wrong > 0 .or. done /= 100) error stop 'values'
  if (xmp_checkpoint_save_values('heat', 1, [xmp_desc_of(u)], done, 4) /= 2) error stop 'save'
  if (xmp_checkpoint_restore('heat.1', 1, [xmp_desc_of(u)]) /= 1) error stop 'restore by name'
  if (xmp_checkpoint_save('other', 1, [xmp_desc_of(u)]) /= 1) error stop 'save without values'
  if (xmp_checkpoint_restore('none', 1, [xmp_desc_of(u)]) /= -1) error stop 'none'
  call xmp_io_error(message)
  if (index(message, "there is no complete checkpoint 'none'") == 0) error stop 'message'
end program
"""


def test_checkpoints_travel_between_c_and_fortran(build, families, tmp_path):
    """C saves on 7 nodes, Fortran goes on on 2, in another layout, and C on 3."""
    example = HERE.parents[2] / "examples" / "heat_restart" / "heat_restart.c"
    run(build / "bin" / "xmpcc", f"--mpi={families[0]}", "-o", tmp_path / "heat", example, cwd=tmp_path)
    (tmp_path / "checkpoints.f90").write_text(CHECKPOINTS)
    run(build / "bin" / "xmpf90", f"--mpi={families[0]}", "-o", tmp_path / "fortran", "checkpoints.f90", cwd=tmp_path)
    xmprun = build / "bin" / "xmprun"
    means = [float(run(xmprun, "-n", 7, tmp_path / "heat", 100, cwd=tmp_path).stdout.split()[-1])]
    told = run(xmprun, "-n", 2, tmp_path / "fortran", cwd=tmp_path).stderr
    assert b"there is no complete checkpoint 'none'" in told
    means.append(float(run(xmprun, "-n", 3, tmp_path / "heat", 100, cwd=tmp_path).stdout.split()[-1]))
    assert means[1] == pytest.approx(means[0] + 1)
    assert (tmp_path / "other.1").read_bytes() == (tmp_path / "heat.1").read_bytes()[: 8 * 2000]
