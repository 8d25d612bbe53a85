"""Liquid argon: published energy at the start, energy conserved, and the same motion on any number of images."""

import re

import pytest
from conftest import EXAMPLES, run

STATE = re.compile(r"step +(\d+)  atoms (\d+)  temperature (\S+)  potential (\S+)  total (\S+)")
CELLS, ATOMS, STEPS = 8, 2048, 60


def simulate(build, program, images, environment=()):
    output = run("env", *environment, build / "bin" / "xmprun", "-n", images, program, CELLS, STEPS)
    return [tuple(map(float, line.groups())) for line in STATE.finditer(output)]


@pytest.fixture(scope="module", params=["openmpi", "mpich"])
def program(request, build, families, tmp_path_factory):
    if request.param not in families:
        pytest.skip(f"this build has no libraries for {request.param}")
    path = tmp_path_factory.mktemp("argon") / request.param
    run(build / "bin" / "xmpcc", f"--mpi={request.param}", "-O3", "-o", path, EXAMPLES / "argon" / "argon.c", "-lm")
    return path


def test_energies_and_images(build, program):
    alone = simulate(build, program, 1)
    assert [state[0] for state in alone] == [0, 50, STEPS]
    assert all(state[1] == ATOMS for state in alone)
    # The lattice sum is known, whatever the number of atoms: -6.7733681 in the logs of the benchmark "lj" of LAMMPS.
    assert alone[0][3] == pytest.approx(-6.7733681, abs=1e-6)
    assert alone[0][2] == pytest.approx(1.44, abs=1e-6)
    assert alone[-1][4] == pytest.approx(alone[0][4], abs=0.02)  # the potential is cut off, so a little is lost
    assert 0.6 < alone[-1][2] < 0.9  # melted: half of the heat went into the potential
    for images in (2, 3, 5):
        for state, expected in zip(simulate(build, program, images), alone):
            assert state == pytest.approx(expected, abs=2e-6), f"{images} images"


def test_without_shared_memory(build, program):
    shared = simulate(build, program, 2)
    assert simulate(build, program, 2, ["KUMIHIMO_SHM=off"]) == pytest.approx(shared)
