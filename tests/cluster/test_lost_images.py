"""An image dies on another machine than those that need it: they learn of it in bounded time, whatever they wait in, and go on.

The long form has random kills, too; KUMIHIMO_TEST_SEED repeats them."""

import os
import pathlib
import subprocess
import sys

import pytest
from long_form import LONG_FORM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "commands"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "caf"))
import random_kills
from command_support import succeed

LOST_IMAGE = pathlib.Path(__file__).with_name("lost_image.f90")

FAMILIES = ("mpich", "openmpi")
WAITS = ("get", "long get", "strided get", "put", "long put", "atomic", "sync all", "sync images", "co_sum", "co_broadcast")
SHORT = [("mpich", "get"), ("mpich", "sync all"), ("openmpi", "long get")]


WITHOUT_IPV6 = """
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
int socket(int family, int type, int protocol) {
    if (family != AF_INET6) return syscall(SYS_socket, family, type, protocol);
    errno = EAFNOSUPPORT;
    return -1;
}
"""


# The last image dies while all others wait for it: inside of MPI, or for its message.
DEATHS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>
static int dies;
void die_in_next_call(void) { dies = 1; }
static void* real(const char* name) {
    if (dies) {
        usleep(300000); /* the others are there, too */
        raise(SIGKILL);
    }
    return dlsym(RTLD_NEXT, name);
}
int MPI_Iallgather(const void* send, int count, MPI_Datatype type, void* receive, int received, MPI_Datatype receive_type,
                   MPI_Comm communicator, MPI_Request* request) {
    int (*const gather)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Request*) =
        real("MPI_Iallgather");
    return gather(send, count, type, receive, received, receive_type, communicator, request);
}
int PMPI_Isend(const void* send, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator, MPI_Request* request) {
    int (*const isend)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) = real("PMPI_Isend");
    return isend(send, count, type, to, tag, communicator, request);
}
"""
DYING = """
program dying
  implicit none
  interface
    subroutine die_in_next_call() bind(c)
    end subroutine
  end interface
  integer, allocatable :: x(:)[:]
  integer :: n, status
  n = 1
  if (this_image() == num_images()) call die_in_next_call()
  {}
  print *, 'goes on', status
end program
"""
# The second image, on another machine, is the first that tells; its message waits for the first image's.
TWO_MESSAGES = """
program two_messages
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      use iso_c_binding
      integer(c_int), value :: microseconds
    end function
  end interface
  sync all
  if (this_image() == 1) then
    if (usleep(420000) /= 0) print *, 'awake'
  end if
  error stop 3
end program
"""


def compile_program(build, family, directory, *objects, source=LOST_IMAGE):
    libraries = build / "lib" / family
    if not (libraries / "libkumihimo_caf.so").exists():
        pytest.skip("not in this build")
    program = directory / f"lost-{family}"
    link = [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lkumihimo_caf", "-lkumihimo"]
    succeed("gfortran", "-O1", "-fcoarray=lib", source, *objects, "-o", program, *link, cwd=directory)
    return program


def run_to_its_end(build, made, family, images, program, *arguments):
    words = [build / "bin" / "xmprun", f"--mpi={family}", "--continue-after-failure", "-n", images, program, *arguments]
    try:
        return made.run(*words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    except subprocess.TimeoutExpired as late:
        pytest.fail(f"still running: {late.stdout}\n{late.stderr}")


def lose_image(build, hosts, family, program, what):
    done = run_to_its_end(build, hosts([2, 1]), family, 3, program, what)
    text = done.stdout + done.stderr
    assert done.stdout.count("goes on") == 2 and "wrong" not in text and "late" not in text and done.returncode == 0, text


@pytest.mark.parametrize("family, what", [(family, what) for family in FAMILIES for what in WAITS] if LONG_FORM else SHORT)
def test_an_image_of_another_machine_dies(hosts, build, tmp_path, family, what):
    lose_image(build, hosts, family, compile_program(build, family, tmp_path), what)


def test_kernels_without_ipv6(hosts, build, tmp_path):
    (tmp_path / "socket.c").write_text(WITHOUT_IPV6)
    succeed("gcc", "-O1", "-c", "socket.c", cwd=tmp_path)
    lose_image(build, hosts, "mpich", compile_program(build, "mpich", tmp_path, "socket.o"), "get")


def run_dying(build, hosts, family, directory, statement):
    (directory / "deaths.c").write_text(DEATHS)
    (directory / "dying.f90").write_text(DYING.format(statement))
    succeed(f"mpicc.{family}", "-O1", "-c", "deaths.c", cwd=directory)
    program = compile_program(build, family, directory, "deaths.o", source="dying.f90")
    return run_to_its_end(build, hosts([1, 1, 1]), family, 3, program)


@pytest.mark.parametrize("family", FAMILIES if LONG_FORM else ["openmpi"])
def test_an_image_dies_while_all_wait_inside_of_mpi(hosts, build, tmp_path, family):
    done = run_dying(build, hosts, family, tmp_path, "allocate (x(10)[*], stat=status)")
    assert done.stderr.count("an image has failed during the allocation of a coarray") == 1 and done.returncode, done


@pytest.mark.parametrize("family", FAMILIES if LONG_FORM else ["mpich"])
def test_an_image_dies_in_its_first_collective(hosts, build, tmp_path, family):
    done = run_dying(build, hosts, family, tmp_path, "call co_sum(n, stat=status)")
    told = [line.split() for line in done.stdout.splitlines() if "goes on" in line]
    assert done.returncode == 0 and told == [["goes", "on", "6001"]] * 2, done


@pytest.mark.parametrize("family", FAMILIES if LONG_FORM else ["openmpi"])
def test_one_machine_tells_of_the_end(hosts, build, tmp_path, family):
    (tmp_path / "two.f90").write_text(TWO_MESSAGES)
    done = run_to_its_end(build, hosts([1, 1]), family, 2, compile_program(build, family, tmp_path, source="two.f90"))
    assert done.returncode == 3 and (done.stdout + done.stderr).count("ERROR STOP 3") == 1, done


@pytest.mark.skipif(not LONG_FORM, reason="takes its time (KUMIHIMO_TEST_LONG=1); tests/caf has those of one machine")
@pytest.mark.parametrize("family", FAMILIES)
def test_random_kills(hosts, build, tmp_path, family):
    if not (build / "lib" / family / "libkumihimo_caf.so").exists():
        pytest.skip("not in this build")
    shapes = ([1] * 6, [2, 2, 2], [1, 2, 3], [3, 3])
    seed = int(os.environ.get("KUMIHIMO_TEST_SEED") or 16)
    made = {}

    def make_hosts(_, random_numbers):
        number = random_numbers.randrange(len(shapes))
        if number not in made:
            made[number] = hosts(shapes[number])
        return made[number]

    random_kills.run(build, [family], 100, seed, tmp_path, seconds=2, make_hosts=make_hosts)
