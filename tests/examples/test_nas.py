"""The NAS kernels with coarrays (bench/kernels/is, cg), class S: officially verified on 2 and 4 images."""

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
    launch = [ROOT / "cmake" / "mpirun-test", "openmpi", images, program]
    done = subprocess.run([str(word) for word in launch], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == '{"kind": "end"}', "without the verification there are no records"
