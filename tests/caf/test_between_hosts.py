"""Coarrays and their components between machines, with the defaults of both MPI families."""

SOURCE = """
program between
  implicit none
  type object
    integer, allocatable :: x(:)
    integer, pointer :: p(:) => null()
  end type
  type(object), save :: a[*]
  integer, save :: b[*]
  integer, volatile, save :: asked[*]
  integer, allocatable, target :: plain(:)
  integer :: me, n, read
  me = this_image()
  n = num_images()
  allocate (a%x(20000), plain(5))
  plain = 7*me
  a%p => plain
  asked = 0
  a%x = me
  b = me
  sync all
  read = a[n]%x(3) + b[1]
  a[n]%x(10 + me) = -me
  sync all
  print *, 'read', read == n + 1
  if (me == 1) then
    read = a[n]%x(n) - a[n]%p(2)
    asked[n] = 1
    sync memory
    print *, 'answered', read == -6*n
  end if
  do while (me == n .and. asked == 0)  ! it computes, and somebody helps in its place
  end do
  sync all
  if (me == n) print *, 'written', all(a%x(11:10 + n) == [(-read, read = 1, n)])
end program
"""


def test_components_between_hosts(hosts, build, jobs, tmp_path):
    made = hosts([1, 1])
    (tmp_path / "between.f90").write_text(SOURCE)
    for job in jobs(tmp_path / "between.f90", tmp_path):
        words = [build / "bin" / "xmprun", f"--mpi={job.family}", "-n", 2, tmp_path / job.family]
        done = made.run(*map(str, words), capture_output=True, text=True, timeout=200)
        words = ["T", "T", "T", "T", "answered", "read", "read", "written"]
        assert sorted(done.stdout.split()) == words, done.stdout + done.stderr
