"""The kernels of bench/compare.py: what XMP computes is what the hand-written MPI program computes. All of them in the long
form, else two of the small ones."""

import json
import os
import pathlib
import subprocess

import pytest

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
TRIED = SIZES if os.environ.get("KUMIHIMO_TEST_LONG") else list(SIZES)[:2]


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
