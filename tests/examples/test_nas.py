"""The NAS kernels with coarrays (bench/kernels/is, cg) and in Fortran (mg, ft, bt; is and cg in coarray Fortran): officially
verified on 2 and 4 nodes. And the plate in coarray Fortran (halo), which NumPy computes too."""

import json
import pathlib
import subprocess

import numpy
import pytest
from long_form import LONG_FORM

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "bench" / "kernels"
CASES = {"is": ("is", []), "cg-get": ("cg", []), "cg-put": ("cg", ["-DPUT"])}


@pytest.mark.parametrize("images", [2, 4])
@pytest.mark.parametrize("case", CASES)
def test_class_s_is_verified(build, tmp_path, case, images):
    folder, extra = CASES[case]
    program = tmp_path / case
    command = [build / "bin" / "xmpcc", "-O2", f"-DNODES={images}", *extra, KERNELS / folder / "xmp.c", "-o", program, "-lm"]
    subprocess.run([str(word) for word in command], check=True, timeout=120)
    verify(images, program)


@pytest.fixture
def xmpf90(build, tmp_path):
    """A function that compiles a source of the kernels."""
    if not (build / "lib" / "fortran" / "kumihimo_generated.mod").exists():
        pytest.skip("this build found no gfortran")

    def compiled(source):
        command = [build / "bin" / "xmpf90", "-O2", KERNELS / source, "-o", "program"]
        subprocess.run([str(word) for word in command], check=True, timeout=120, cwd=tmp_path)
        return tmp_path / "program"

    return compiled


@pytest.mark.parametrize("kernel", ["mg", "ft", "bt"])
def test_fortran(xmpf90, kernel):
    program = xmpf90(f"{kernel}/xmp.f90")
    for nodes, size in ((2, "S"), (2, "W"), (4, "S")) if LONG_FORM else ((2, "S"), (4, "S")):
        verify(nodes, program, size)


@pytest.mark.parametrize("kernel", ["is", "cg"])
def test_coarray_fortran(xmpf90, kernel):
    program = xmpf90(f"{kernel}/coarray.f90")
    for size, images in [(size, n) for size in "SWA" for n in (1, 2, 4, 8)] if LONG_FORM else [("S", 2), ("S", 4)]:
        verify(images, program, size)


def test_plate(xmpf90):
    points, steps = 23, 40
    program = xmpf90("halo/coarray.f90")
    plate = numpy.zeros((points + 2, points + 2))
    plate[0, :] = 1
    for _ in range(steps):
        plate[1:-1, 1:-1] = 0.25 * (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:])
    for images, across in [(1, 1), (2, 2), (3, 1), (4, 2), (6, 3), (8, 2)] if LONG_FORM else [(2, 1), (6, 3)]:
        *_, check, _ = verify(images, program, points, steps, across)
        assert json.loads(check)["value"] == pytest.approx(numpy.sum(plate[1:-1, 1:-1] ** 2), rel=1e-12)


def verify(nodes, *program):
    """What it prints."""
    launch = [ROOT / "cmake" / "mpirun-test", "openmpi", nodes, *program]
    done = subprocess.run([str(word) for word in launch], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == '{"kind": "end"}', "without the verification there are no records"
    return done.stdout.splitlines()
