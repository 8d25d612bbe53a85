"""Files that several hosts write: a sample of the fault sweep in a directory that they share, and Catwalk over a ring of hosts
with links of 1 Gbit/s."""

import pathlib
import sys

import pytest
from long_form import LONG_FORM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faults"))
import judge
import launch

SWEEP = pathlib.Path(judge.__file__).with_name("sweep.py")
SAMPLE = 400 if LONG_FORM else 10
LIBRARIES = ["ours", "ours-mpich"] if LONG_FORM else ["ours"]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.timeout(3600 if LONG_FORM else 300)
def test_faults_of_a_shared_directory(hosts, build, tmp_path, library):
    if not (build / "lib" / launch.LIBRARIES[library].family).exists():
        pytest.skip(f"this build has no MPI family {launch.LIBRARIES[library].family}")
    words = [f"--library={library}", "--ranks=4", f"--build={build}", f"--directory={tmp_path}", "--limit=20"]
    made = hosts([2, 2])
    done = made.run(sys.executable, SWEEP, *words, f"--sample={SAMPLE}", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{library}, 4 ranks: {SAMPLE} cases" in done.stdout


@pytest.mark.parametrize("family", ["openmpi", "mpich"] if LONG_FORM else ["mpich"])
def test_catwalk_over_a_ring(hosts, build, family):
    program = build / "tests" / "mpiio" / "file" / f"mpiio_file_test_{family}"
    if not program.exists():
        pytest.skip(f"this build has no MPI family {family}")
    settings = ["KUMIHIMO_IO=**=catwalk", "KUMIHIMO_CATWALK_TOPOLOGY=ring", "KUMIHIMO_CATWALK_SERVERS=2"]
    # Others see its independent writes after a sync, and not already after a barrier.
    words = ["env", *settings, "GTEST_FILTER=-Visibility.IndependentWritesAfterABarrier", program]
    done = hosts([2, 1, 1], "1gbit").mpiexec(family, *words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
