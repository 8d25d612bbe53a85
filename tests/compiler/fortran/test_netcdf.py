"""xmpnf90: what Fortran programs write is what PnetCDF's own Fortran functions read."""

import pathlib
import subprocess

import pytest
from test_fortran_programs import lines, run

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def families(build):
    if not (build / "lib" / "fortran" / "xmpnf90.mod").exists():
        pytest.skip("this build found no PnetCDF, or no gfortran")
    return sorted(path.name for path in (build / "lib").iterdir() if (path / "libkumihimo_nc.so").exists())


def test_netcdf(build, families, tmp_path):
    # Debian's PnetCDF, which has Fortran functions, is Open MPI's; one may lack them.
    command = ["mpifort.openmpi", "-w", "-o", "peer", HERE / "netcdf_peer.f90", "-lpnetcdf"]
    linked = "openmpi" in families and subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0
    for family in families:
        run(build / "bin" / "xmpf90", f"--mpi={family}", "-O0", "-w", "-o", family, HERE / "netcdf.f90", cwd=tmp_path)
        for nodes in (2, 7):
            told = lines(run(build / "bin" / "xmprun", "-n", nodes, f"./{family}", cwd=tmp_path).stdout)
            assert len(told) == 6 and all(line.endswith(" T") for line in told), told
            if linked:
                assert run(build / "bin" / "xmprun", "--mpi=openmpi", "-n", 1, "./peer", cwd=tmp_path).stdout.strip() == "T"
