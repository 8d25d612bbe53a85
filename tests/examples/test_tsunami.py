"""The tsunami on a coarse grid (20 arc minutes): the same bits on any number of nodes as by the serial program, restart after a
killed node, files that other programs read."""

import os
import pathlib
import shutil
import signal
import subprocess

import netCDF4
import numpy as np
import pytest
import xarray
from conftest import EXAMPLES, HERE, run
from long_form import LONG_FORM
from made_once import made_once
from waiting import wait_for

SOURCES = EXAMPLES / "tsunami"
PHYSICS = [SOURCES / name for name in ("okada.c", "earthquake.c", "ocean.c", "gauges.c")]
NODES = [1, 2, 3, 4, 7, 8] if LONG_FORM else [1, 2, 7]
ROWS, COLUMNS, STEP = 433, 1080, 4  # 72 degrees south to north in steps of 20 minutes, every 4th point of ETOPO5
FIELDS = 5
STATE_BYTES = FIELDS * ROWS * COLUMNS * 4


@pytest.fixture(scope="session")
def program(build, tmp_path_factory):
    if not (build / "lib" / "openmpi" / "libkumihimo_nc.so").exists():
        pytest.skip("xmpnc is missing in this build: no PnetCDF for Open MPI")
    command = [build / "bin" / "xmpcc", "--mpi=openmpi", "-O3", "-DMINUTES=20", *SOURCES.glob("*.c"), "-lm", "-o"]
    return made_once(tmp_path_factory, "tsunami", lambda path: run(*command, path))


@pytest.fixture
def simulate(build, program, topography, tmp_path):
    """Runs the program in a directory of its own, which it returns together with what the program printed."""

    def start(nodes, *options, name=None):
        directory = tmp_path / (name or f"nodes{nodes}")
        directory.mkdir(exist_ok=True)
        output = run(build / "bin" / "xmprun", "-n", nodes, program, "--topography", topography, *options, cwd=directory)
        return directory, output

    return start


def state(directory):
    """Fields of the newest restart file, without gauges."""
    newest = max(directory.glob("tsunami.restart.*.json"), key=lambda path: int(path.suffixes[-2][1:]))
    return newest.with_suffix("").read_bytes()[:STATE_BYTES]


def assert_same_result(one, other):
    with netCDF4.Dataset(one) as a, netCDF4.Dataset(other) as b:
        assert a.variables.keys() == b.variables.keys()
        for name in a.variables:
            a[name].set_auto_mask(False)
            b[name].set_auto_mask(False)
            assert np.array_equal(a[name][:], b[name][:]), name


def test_okada_checklist(tmp_path):
    root = EXAMPLES.parent
    run("gcc", "-O2", f"-I{root}", "-o", tmp_path / "okada", HERE / "okada_test.c", SOURCES / "okada.c", "-lm")
    assert "above a thrust" in run(tmp_path / "okada")


def test_same_bits_as_serial(simulate, topography, tmp_path):
    with netCDF4.Dataset(topography) as data:
        relief = np.ma.filled(data["ROSE"][216:1945:STEP, ::STEP]).astype("f4")
    assert relief.shape == (ROWS, COLUMNS)
    relief.tofile(tmp_path / "relief.raw")
    serial = tmp_path / "serial"
    root = EXAMPLES.parent
    gcc = ["gcc", "-O3", "-DMINUTES=20", "-Wno-unknown-pragmas", f"-I{root}"]
    run(*gcc, "-o", serial, HERE / "tsunami_serial.c", *PHYSICS, "-lm")
    series = run(serial, tmp_path / "relief.raw", 60, tmp_path / "serial.state")
    expected = (tmp_path / "serial.state").read_bytes()
    assert len(expected) == STATE_BYTES

    for nodes in NODES:
        directory, output = simulate(nodes, "--hours", 1, "--restart-interval", 60)
        assert state(directory) == expected, f"{nodes} nodes"
        lost = float(output.split("change since the start ")[1].split()[0])
        assert lost < 1e-6, output  # rounding of single precision
        assert_same_result(tmp_path / "nodes1" / "tsunami.nc", directory / "tsunami.nc")
        assert (directory / "gauges.csv").read_bytes() == (tmp_path / "nodes1" / "gauges.csv").read_bytes()

    columns = np.loadtxt(tmp_path / "nodes1" / "gauges.csv", delimiter=",", skiprows=11)[:, 1:]
    for line, column in zip(series.splitlines(), columns.T):
        assert np.allclose(np.array(line.split(":")[1].split(), float), column, atol=1e-5), line[:20]


def processes_of(program):
    """Running processes of exactly this file."""
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(entry / "exe") == str(program):
                yield int(entry.name)
        except OSError:
            continue


def test_killed_and_resumed_on_other_nodes(simulate, build, program, topography, tmp_path):
    options = ["--hours", "8", "--interval", "60", "--restart-interval", "60"]
    uninterrupted, _ = simulate(2, *options, name="uninterrupted")

    killed = tmp_path / "killed"
    killed.mkdir()
    own = shutil.copy(program, killed)  # others may run that one
    command = [build / "bin" / "xmprun", "-n", "4", own, "--topography", topography, *options]
    with subprocess.Popen(command, cwd=killed, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as job:
        wait_for(lambda: (killed / "tsunami.restart.1").exists() or job.poll() is not None, 120)
        os.kill(next(processes_of(own)), signal.SIGKILL)
        assert job.wait(timeout=60) != 0
    assert not (killed / "gauges.csv").exists()

    _, output = simulate(3, *options, "--resume", name="killed")
    assert "going on from tsunami.restart" in output
    assert_same_result(uninterrupted / "tsunami.nc", killed / "tsunami.nc")
    assert (uninterrupted / "gauges.csv").read_bytes() == (killed / "gauges.csv").read_bytes()
    assert state(uninterrupted) == state(killed)


def test_other_programs_read_the_result(simulate):
    directory, _ = simulate(4, "--hours", 1, "--restart-interval", 0)
    result = directory / "tsunami.nc"
    assert run("ncdump", "-k", result).strip() == "64-bit offset"
    assert "sea_surface_height(time, coarse_latitude, coarse_longitude)" in run("ncdump", "-h", result)
    with xarray.open_dataset(result) as data:
        assert data.sea_surface_height.shape == (7, 145, 360)
        assert str(data.time.values[0]).startswith("2011-03-11T05:46:24")
        depth = data.depth.sel(latitude=30.515, longitude=152.117, method="nearest")
        assert 5000 < float(depth) < 6500
        assert np.isnan(data.depth.sel(latitude=40.0, longitude=260.0, method="nearest"))  # the Great Plains are dry
        highest = data.highest_sea_surface.sel(latitude=38.0, longitude=144.0, method="nearest")
        assert 2.0 < float(highest) < 20.0
    checker = pathlib.Path(os.sys.executable).with_name("compliance-checker")
    report = run(checker, "--test=cf:1.8", result)
    assert "All tests passed" in report, report


def test_wrong_options_are_refused(simulate, build, program, topography, tmp_path):
    for options in (["--interval", "0"], ["--hours", "1000"], ["--nonsense"], ["--topography", "absent.cdf"]):
        words = [build / "bin" / "xmprun", "-n", "2", program, *options]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode != 0, options
        assert done.stderr.count("tsunami: ") == 1, done.stderr
