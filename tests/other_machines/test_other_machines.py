"""Files on a machine of the other byte order and of another word size: the file service, built for s390x (big-endian, 64 bits)
and for powerpc (big-endian, 32 bits), under qemu. The long form only; it takes Debian's g++-s390x-linux-gnu,
g++-powerpc-linux-gnu and qemu-user."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
import sources
from long_form import LONG_FORM

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "mpiio"), str(ROOT / "tests" / "faults")]
import launch  # noqa: E402
from sshd import HOST  # noqa: E402

# A machine's compiler, its emulator, and what it takes besides.
MACHINES = {
    "s390x": ("s390x-linux-gnu-g++", "qemu-s390x", []),
    "powerpc": ("powerpc-linux-gnu-g++", "qemu-ppc", ["-D_FILE_OFFSET_BITS=64", "-D_TIME_BITS=64", "-latomic"]),
}
RANKS, ROWS, BLOCK = 3, 3000, 4096
# What is in headers alone serves any machine.
HEADERS = ("asio", "asio.hpp", "fmt", "xxhash.h")
WITHOUT = {"compressor.cpp"}  # zstd is a library

pytestmark = pytest.mark.skipif(not LONG_FORM, reason="in the long form")


@pytest.fixture(scope="module", params=MACHINES)
def service(request, tmp_path_factory):
    """The words that start it."""
    compiler, emulator, more = MACHINES[request.param]
    for program in (compiler, emulator):
        if not shutil.which(program):
            pytest.skip(f"there is no {program}")
    place = tmp_path_factory.mktemp(request.param)
    headers = place / "headers"
    headers.mkdir()
    for name in HEADERS:
        (headers / name).symlink_to(pathlib.Path("/usr/include") / name)
    rooms = [sorted((ROOT / "iod" / room).glob("*.cpp")) for room in ("protocol", "link", "files")]
    rooms.append(sources.plain())
    rooms.append([ROOT / "iod" / "process" / "stdio.cpp", pathlib.Path(__file__).with_name("service.cpp")])
    units = []
    for number, room in enumerate(rooms):
        unit = place / f"unit{number}.cpp"
        unit.write_text("".join(f'#include "{source}"\n' for source in room if source.name not in WITHOUT))
        units.append(unit)
    defined = ["-DFMT_HEADER_ONLY", "-DASIO_DISABLE_STD_ALIGNED_ALLOC", "-DNDEBUG", '-DKUMIHIMO_VERSION="0"']
    words = [compiler, "-std=c++20", "-O1", "-static", "-pthread", *defined, f"-I{headers}", f"-I{ROOT}", *units, *more]
    done = subprocess.run([*map(str, words), "-o", str(place / "service")], capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-4000:]
    return f"{emulator} {place}/service"


def test_a_program_finds_what_it_wrote(service, build, tmp_path):
    """Layouts, lengths, checksums and the shared pointer, in both directions: digests are those of this machine, too."""
    family = next(one for one in ("openmpi", "mpich") if (build / "lib" / one).exists())
    remote = tmp_path / "remote"
    subprocess.run([f"mpicc.{family}", ROOT / "tests" / "mpiio" / "callers" / "remote.c", "-o", remote], check=True)
    served = {"KUMIHIMO_STAMPI_COMMAND": f"{service} /", "KUMIHIMO_IOD": str(build / "lib" / "kumihimo-iod")}
    library = launch.Library("stampi", family, served, (f"lib/{family}/libkumihimo_io.so",))
    environment = {**launch.environment(library), **served}
    name = f"stampi://{HOST}{tmp_path}/data"
    for action in ("write", "read"):
        words = launch.command(library, build, RANKS, remote, name, action, injector=False)
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=280)
        assert done.returncode == 0, done.stdout + done.stderr
    matrix = bytes((at * 7 + at // 251) % 256 for at in range(8 * RANKS * ROWS))
    blocks = b"".join(bytes([ord("a") + rank]) * BLOCK for rank in range(RANKS))
    assert (tmp_path / "data").read_bytes()[: len(matrix) + len(blocks)] == matrix + blocks
    (tmp_path / "here").write_bytes((tmp_path / "data").read_bytes())
    words = [build / "bin" / "kumihimo", "files", "verify", name, tmp_path / "here"]
    told = subprocess.run(list(map(str, words)), env={**os.environ, **served}, capture_output=True, text=True, timeout=280)
    assert told.returncode == 0 and told.stdout.startswith("the same"), told.stdout + told.stderr
