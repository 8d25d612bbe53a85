"""The NAS kernels with coarrays (bench/kernels/is, cg) and in Fortran (mg, ft, bt): officially verified on 2 and 4 nodes."""

import pathlib
import subprocess

import pytest

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


@pytest.mark.parametrize("kernel", ["mg", "ft", "bt"])
def test_fortran(build, tmp_path, kernel):
    if not (build / "lib" / "fortran" / "kumihimo_generated.mod").exists():
        pytest.skip("this build found no gfortran")
    command = [build / "bin" / "xmpf90", "-O2", KERNELS / kernel / "xmp.f90", "-o", kernel]
    subprocess.run([str(word) for word in command], check=True, timeout=120, cwd=tmp_path)
    for nodes, size in ((2, "S"), (2, "W"), (4, "S")):
        verify(nodes, tmp_path / kernel, size)


def verify(nodes, *program):
    launch = [ROOT / "cmake" / "mpirun-test", "openmpi", nodes, *program]
    done = subprocess.run([str(word) for word in launch], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == '{"kind": "end"}', "without the verification there are no records"
