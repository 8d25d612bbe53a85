"""An image dies on another machine than those that need it: they learn of it in bounded time, whatever they wait in, and go on.

KUMIHIMO_TEST_SEED repeats the random kills; the long form has more of them."""

import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "commands"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "caf"))
import random_kills
from command_support import succeed

FAMILIES = ("mpich", "openmpi")
WAITS = ("get", "long get", "strided get", "put", "long put", "atomic", "sync all", "sync images", "co_sum", "co_broadcast")
LONG = os.environ.get("KUMIHIMO_TEST_LONG") == "1"
SHORT = [("mpich", "get"), ("mpich", "long put"), ("mpich", "sync all"), ("openmpi", "long get"), ("openmpi", "co_sum")]


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


def compile_program(build, family, directory, *objects):
    libraries = build / "lib" / family
    if not (libraries / "libkumihimo_caf.so").exists():
        pytest.skip("not in this build")
    program = directory / f"lost-{family}"
    link = [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lkumihimo_caf", "-lkumihimo"]
    source = pathlib.Path(__file__).with_name("lost_image.f90")
    succeed("gfortran", "-O1", "-fcoarray=lib", source, *objects, "-o", program, *link, cwd=directory)
    return program


def lose_image(build, hosts, family, program, what):
    words = [build / "bin" / "xmprun", f"--mpi={family}", "--continue-after-failure", "-n", 3, program, what]
    try:
        done = hosts([2, 1]).run(*words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    except subprocess.TimeoutExpired as late:
        pytest.fail(f"still running: {late.stdout}\n{late.stderr}")
    text = done.stdout + done.stderr
    assert done.stdout.count("goes on") == 2 and "wrong" not in text and "late" not in text and done.returncode == 0, text


@pytest.mark.parametrize("family, what", [(family, what) for family in FAMILIES for what in WAITS] if LONG else SHORT)
def test_an_image_of_another_machine_dies(hosts, build, tmp_path, family, what):
    lose_image(build, hosts, family, compile_program(build, family, tmp_path), what)


def test_kernels_without_ipv6(hosts, build, tmp_path):
    (tmp_path / "socket.c").write_text(WITHOUT_IPV6)
    succeed("gcc", "-O1", "-c", "socket.c", cwd=tmp_path)
    lose_image(build, hosts, "mpich", compile_program(build, "mpich", tmp_path, "socket.o"), "get")


@pytest.mark.parametrize("family", FAMILIES if LONG else ["mpich"])  # Open MPI: three of six once stayed for ever
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

    kills, seconds = (100, 2) if LONG else (2, 1)
    random_kills.run(build, [family], kills, seed, tmp_path, seconds=seconds, make_hosts=make_hosts)
