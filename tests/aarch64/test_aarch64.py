"""Kumihimo built for aarch64 on this machine, and run under qemu (docs/how-to/other-processors.md): pure rooms, and programs on
2 nodes. The long form only; it takes what `tools/setup processors` installs, or what cmake/aarch64-root.sh has made elsewhere
(KUMIHIMO_AARCH64_ROOT).

KUMIHIMO_AARCH64_BUILD=DIRECTORY: where it is built, and is looked for by the next run."""

import os
import pathlib
import shutil
import subprocess

import pytest
from long_form import LONG_FORM

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = pathlib.Path(os.environ.get("KUMIHIMO_AARCH64_ROOT") or ROOT / "build" / "aarch64-root")
EXAMPLES = {"hello": [], "laplace": ["-DN=64"], "coarray_halo": []}
PURE = ["test_sets", "test_copying", "test_iod_ring", "test_iod_records", "test_litmus"]


def missing():
    if not LONG_FORM:
        return "in the long form"
    if not (LIBRARIES / "wrappers").exists():
        return "no libraries for aarch64: tools/setup processors"
    for program in ("aarch64-linux-gnu-g++", "aarch64-linux-gnu-gfortran", "qemu-aarch64", "mpiexec.mpich"):
        if not shutil.which(program):
            return f"there is no {program}: tools/setup processors"
    return None


pytestmark = [pytest.mark.skipif(missing() is not None, reason=str(missing())), pytest.mark.timeout(7200)]


def run(*words, seconds=600, **settings):
    environment = {name: value for name, value in {**os.environ, **settings}.items() if value is not None}
    done = subprocess.run(list(map(str, words)), env=environment, capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0, f"{words}:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def configured(build):
    directory = pathlib.Path(os.environ.get("KUMIHIMO_AARCH64_BUILD") or build / "aarch64")
    toolchain = ROOT / "cmake" / "aarch64.cmake"
    run("cmake", "-S", ROOT, "-B", directory, "--toolchain", toolchain, f"-DKUMIHIMO_AARCH64_ROOT={LIBRARIES}")
    return directory


def build_targets(directory, *targets):
    run("cmake", "--build", directory, "--parallel", "2", "--target", *targets, seconds=7200)


@pytest.fixture(scope="module")
def built(configured):
    build_targets(configured, "all")
    return configured


def on_two_nodes(program, *words, **settings):
    words = ["mpiexec.mpich", "-n", 2, "qemu-aarch64", "-L", LIBRARIES, program, *words]
    return run(*words, seconds=3000, KUMIHIMO_TEST_LONG=None, **settings)  # more inputs need no emulator


@pytest.mark.parametrize("program", PURE)
def test_pure_rooms(configured, program):
    build_targets(configured, program)
    (found,) = (path for path in configured.glob(f"tests/**/{program}") if path.is_file())
    long_form = "1" if program == "test_litmus" else None
    output = run("qemu-aarch64", "-L", LIBRARIES, found, seconds=3000, KUMIHIMO_TEST_LONG=long_form)
    assert "[  PASSED  ]" in output


@pytest.mark.parametrize("example", EXAMPLES)
def test_programs_print_the_same(built, build, example, tmp_path):
    """As the same program of this machine does."""
    here, there = tmp_path / "here", tmp_path / "there"
    words = ["--mpi=mpich", *EXAMPLES[example], ROOT / "examples" / example / f"{example}.c", "-lm"]
    run(build / "bin" / "xmpcc", *words, "-o", here)
    run(built / "bin" / "xmpcc", *words, "-o", there)
    expected = run("mpiexec.mpich", "-n", 2, here)
    assert sorted(on_two_nodes(there).splitlines()) == sorted(expected.splitlines()) != []


@pytest.mark.parametrize("engine, process", [("direct", ""), ("catwalk", "thread")])
def test_the_file_engine(built, engine, process):
    build_targets(built, "mpiio_engine_test_mpich")
    program = built / "tests" / "mpiio" / "engine" / "mpiio_engine_test_mpich"
    on_two_nodes(program, KUMIHIMO_TEST_ENGINE=engine, KUMIHIMO_IOD=process)
