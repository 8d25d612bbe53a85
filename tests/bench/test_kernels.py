"""The kernels of bench/compare.py: what XMP computes is what the hand-written MPI program computes. All of them in the long
form, else two of the small ones."""

import json
import pathlib
import subprocess

import pytest
from long_form import LONG_FORM

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = {
    "lu": ["-DN=65"],
    "random_access": ["-DWORDS=4096", "-DUPDATES=4096"],
    "atax": ["-DN=65", "-DREPEAT=2"],
    "fdtd2d": ["-DN=65", "-DREPEAT=3"],
    "floyd_warshall": ["-DN=65"],
    "gemm": ["-DN=65"],
    "heat3d": ["-DN=17", "-DREPEAT=3"],
    "stream": ["-DN=1001", "-DREPEAT=3"],
}
TRIED = SIZES if LONG_FORM else list(SIZES)[:2]


def value(compiler, source, options, program, nodes):
    subprocess.run([compiler, "-O2", *options, source, "-o", program, "-lm"], check=True, timeout=120)
    launch = [ROOT / "cmake" / "mpirun-test", "openmpi", str(nodes), program]
    done = subprocess.run(launch, capture_output=True, text=True, timeout=120, check=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return next(record["value"] for record in records if record["kind"] == "check")


@pytest.mark.parametrize("kernel", TRIED)
def test_both_compute_the_same(build, tmp_path, kernel):
    folder, options = ROOT / "bench" / "kernels" / kernel, SIZES[kernel]
    one = value("mpicc.openmpi", folder / "mpi.c", options, tmp_path / "mpi", 1)
    for nodes in (2, 4):
        assert value(build / "bin" / "xmpcc", folder / "xmp.c", options, tmp_path / "xmp", nodes) == pytest.approx(
            one, rel=1e-9
        )


def test_the_tsunami_in_fortran_has_the_bits_of_c(build, tmp_path):
    if not (build / "lib" / "fortran" / "kumihimo_generated.mod").exists():
        pytest.skip("this build found no gfortran")
    folder, fields = ROOT / "bench" / "kernels" / "tsunami", {}
    for command, source, nodes in (("xmpcc", "xmp.c", 1), ("xmpf90", "xmp.F90", 2), ("xmpf90", "xmp.F90", 4)):
        file = tmp_path / f"{command}.state"
        options = ["-DMINUTES=30", "-DREPEAT=20", f'-DSTATE="{file.name}"', "-O3"]
        compiled = [build / "bin" / command, *options, folder / source, "-o", command, "-lm"]
        subprocess.run(compiled, check=True, cwd=tmp_path, timeout=120)
        launch = [ROOT / "cmake" / "mpirun-test", "openmpi", str(nodes), tmp_path / command]
        subprocess.run(launch, check=True, cwd=tmp_path, timeout=120, capture_output=True)
        fields[command, nodes] = file.read_bytes()
    assert any(fields["xmpcc", 1]) and len(set(fields.values())) == 1
