"""What the examples compute, on several numbers of nodes and with both MPIs, against an independent computation in Python."""

import cmath
import math
import os
import pathlib
import re
import shutil

import netCDF4
import numpy as np
import pytest
from conftest import EXAMPLES, RUNS, YIELDING_WAIT, run

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def numbers(text):
    return [float(word) for word in NUMBER.findall(text)]


@pytest.fixture
def outputs(build, families, tmp_path):
    """outputs("life/life.c", ...) yields (directory, what the program printed) of each run; the directory holds its files."""

    def compile_and_run(source, *arguments, options=(), only=RUNS):
        compiler = build / "bin" / ("xmpf90" if source.endswith(".f90") else "xmpcc")
        for family in filter(families.__contains__, only):
            wait = [YIELDING_WAIT] if family == "mpich" and source.endswith(".c") else []
            program = tmp_path / f"{family}.program"
            run(compiler, f"--mpi={family}", "-O3", *options, "-o", program, EXAMPLES / source, *wait, "-lm")
            for nodes in RUNS[family]:
                directory = tmp_path / f"{family}{nodes}"
                directory.mkdir()
                yield directory, run(build / "bin" / "xmprun", "-n", nodes, program, *arguments, cwd=directory)

    return compile_and_run


@pytest.fixture
def made(build, tmp_path):
    """made("library", "string") runs make in a copy of the example, and the program on 3 nodes; gives what it printed."""

    def make_and_run(example, program):
        copy = tmp_path / example
        shutil.copytree(EXAMPLES / example, copy)
        run("env", f"PATH={build / 'bin'}:/usr/bin:/bin", "make", "-C", copy)
        return run(build / "bin" / "xmprun", "-n", 3, copy / program)

    return make_and_run


def heat_records(size=96, records=9, steps=100):
    j, i = np.mgrid[0:size, 0:size]
    first = (j - size // 3) ** 2 + (i - size // 3) ** 2 < size * size // 64
    second = (j - 2 * size // 3) ** 2 + (i - 3 * size // 4) ** 2 < size * size // 144
    plate = np.where(first, 100.0, np.where(second, 60.0, 0.0))
    yield plate
    for _ in range(records - 1):
        for _ in range(steps):
            inside = plate[1:-1, 1:-1]
            around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
            inside[...] = inside + 0.2 * (around - 4 * inside)
        yield plate


def test_heat2d(outputs, build):
    if not (build / "lib" / "openmpi" / "libkumihimo_nc.so").exists():
        pytest.skip("xmpnc is missing in this build: no PnetCDF for Open MPI")
    records = [record.copy() for record in heat_records()]
    for directory, output in outputs("heat2d/heat2d.c", only=["openmpi"]):
        assert "0 cells differ" in output
        assert numbers(output)[0] == pytest.approx(records[-1].max(), abs=1e-9)
        with netCDF4.Dataset(directory / "heat2d.nc") as data:
            assert np.allclose(data["temperature"][:], records, rtol=1e-12, atol=1e-12)


def test_heat_restart(build, tmp_path):
    """Two runs on different numbers of nodes are one."""
    run(build / "bin" / "xmpcc", "--mpi=openmpi", "-O3", "-o", tmp_path / "heat", EXAMPLES / "heat_restart" / "heat_restart.c")
    first = run(build / "bin" / "xmprun", "-n", 4, tmp_path / "heat", 250, cwd=tmp_path)
    second = run(build / "bin" / "xmprun", "-n", 3, tmp_path / "heat", 450, cwd=tmp_path)
    i = np.arange(2000)
    bar = np.where(i < 500, 100.0, np.where((i > 1000) & (i < 1050), 400.0, 0.0))
    for step in range(1, 451):
        bar[1:-1] += 0.4 * (bar[:-2] - 2 * bar[1:-1] + bar[2:])
        if step == 250:
            assert numbers(first)[:3] == [0, 250, 4]
            assert numbers(first)[3] == pytest.approx(bar.mean(), abs=1e-6)
    assert numbers(second)[:3] == [250, 450, 3]
    # 100, 200 and 250 on 4 nodes, 300, 400 and 450 on 3.
    assert sorted(path.name for path in tmp_path.glob("heat.*")) == ["heat.5", "heat.5.json", "heat.6", "heat.6.json"]
    assert np.allclose(np.fromfile(tmp_path / "heat.6", count=2000), bar, rtol=1e-12, atol=1e-12)
    assert run(build / "bin" / "kumihimo", "files", "ls", tmp_path / "heat.6").splitlines()[1].split()[:3] == [
        "u",
        "float64",
        "2000",
    ]


def test_a_field_here_and_on_another_machine(build, elsewhere, tmp_path):
    """Step after step, on other numbers of nodes, wherever the file is."""
    program, field = tmp_path / "elsewhere", tmp_path / "field.dat"
    run(build / "bin" / "xmpcc", "-o", program, EXAMPLES / "elsewhere" / "elsewhere.c")
    step = np.add.outer(np.arange(1000.0), np.arange(1000.0))
    for number, (nodes, name, *new) in enumerate([(2, elsewhere(field), "new"), (3, elsewhere(field)), (2, field)], 1):
        told = run(build / "bin" / "xmprun", "-n", nodes, program, name, *new)
        assert told == f"{name}: step {number} is in the file\n"
        assert (np.fromfile(field).reshape(1000, 1000) == number * step).all()


def test_netcdf_with_descriptors_and_by_hand(build, elsewhere, tmp_path):
    if not (build / "lib" / "openmpi" / "libkumihimo_nc.so").exists():
        pytest.skip("xmpnc is missing in this build: no PnetCDF for Open MPI")
    sources = EXAMPLES / "netcdf"
    run("mpicc.openmpi", "-o", tmp_path / "by_hand", sources / "by_hand.c", "-lpnetcdf")
    for name in ("whole", "section"):
        run(build / "bin" / "xmpcc", "--mpi=openmpi", "-o", tmp_path / name, sources / f"{name}.c")
    start = [build / "bin" / "xmprun", "-n"]
    run(*start, 4, tmp_path / "by_hand", tmp_path / "by_hand.nc")
    expected = np.add.outer(10 * np.arange(6), np.arange(4))
    for nodes, name in ((2, tmp_path / "whole.nc"), (4, tmp_path / "whole.nc"), (2, elsewhere(tmp_path / "far.nc"))):
        run(*start, nodes, tmp_path / "whole", name)
        assert (tmp_path / pathlib.Path(name).name).read_bytes() == (tmp_path / "by_hand.nc").read_bytes()
    run(*start, 3, tmp_path / "section", tmp_path / "whole.nc")
    with netCDF4.Dataset(tmp_path / "by_hand.nc") as by_hand, netCDF4.Dataset(tmp_path / "whole.nc") as changed:
        assert (by_hand["data"][:] == expected).all()
        expected[1:5, 1:3] *= -1
        assert (changed["data"][:] == expected).all()


def test_netcdf_for_maps_and_time_steps(build, tmp_path):
    """Coordinates, time steps in batches, records of several runs; they keep to the CF conventions that they name."""
    having = [family for family in RUNS if (build / "lib" / family / "libkumihimo_nc.so").exists()]
    if not having:
        pytest.skip("xmpnc is missing in this build: no PnetCDF")
    names = ("coordinates", "steps", "records")
    for family in having:
        for name in names:
            wait = [YIELDING_WAIT] if family == "mpich" else []
            source = EXAMPLES / "netcdf" / f"{name}.c"
            run(build / "bin" / "xmpcc", f"--mpi={family}", "-O3", "-o", tmp_path / f"{name}.{family}", source, *wait, "-lm")
        directory = tmp_path / family
        directory.mkdir()
        said = ""
        for name, nodes in (*((name, 2) for name in names), ("records", 7)):
            said = run(build / "bin" / "xmprun", "-n", nodes, tmp_path / f"{name}.{family}", cwd=directory)
        assert numbers(said) == [6, 2.5]
        check_map(directory / "coordinates.nc")
        check_steps(directory / "steps.nc")
        check_records(directory / "records.nc")
    checker = pathlib.Path(os.sys.executable).with_name("compliance-checker")
    report = run(checker, "--test=cf:1.8", *(directory / f"{name}.nc" for name in names))
    assert report.count("All tests passed") == len(names), report


def check_map(path):
    with netCDF4.Dataset(path) as data:
        latitude, longitude = -87.5 + 5 * np.arange(36), 2.5 + 5 * np.arange(72)
        assert (data["latitude"][:] == latitude).all() and (data["longitude"][:] == longitude).all()
        expected = np.add.outer(300 - latitude**2 / 150, np.cos(np.radians(longitude)))
        assert data["air_temperature"].dimensions == ("latitude", "longitude")
        assert np.allclose(data["air_temperature"][:], expected, rtol=1e-6)


def check_steps(path):
    heat = np.where(np.arange(200) < 100, 400.0, 300.0)
    with netCDF4.Dataset(path) as data:
        assert (data["time"][:] == 0.5 * np.arange(12)).all()
        for record in data["temperature"][:]:
            assert np.allclose(record, heat, rtol=1e-6)
            heat[1:-1] += 0.25 * (heat[:-2] - 2 * heat[1:-1] + heat[2:])


def check_records(path):
    with netCDF4.Dataset(path) as data:
        assert (data["time"][:] == np.arange(6)).all()
        assert (data["air_temperature"][:] == np.add.outer(0.5 * np.arange(6), 280 + np.arange(10))).all()
        assert (data["air_pressure"][:] == np.add.outer(-np.arange(6), 1013 + 0.5 * np.arange(10))).all()


def test_heat2d_in_fortran(outputs):
    hottest = list(heat_records())[-1].max()
    for _, output in outputs("heat2d/heat2d.f90", only=["openmpi"]):
        assert numbers(output)[0] == pytest.approx(hottest, abs=1e-9)


def picture(path):
    """The grey levels of a portable graymap, as rows."""
    head, pixels = path.read_bytes().split(b"\n", 1)
    columns, rows = map(int, head.split()[1:3])
    return np.frombuffer(pixels, np.uint8).reshape(rows, columns)


def test_life(outputs):
    alive = np.zeros((200, 320), int)
    for j, i in [(0, 1), (1, 3), (2, 0), (2, 1), (2, 4), (2, 5), (2, 6)]:
        alive[200 // 3 + j, 320 // 3 + i] = alive[400 // 3 - j, 640 // 3 - i] = 1
    trace, populations = alive.copy(), []
    for generation in range(1, 301):
        shifts = [(j, i) for j in (-1, 0, 1) for i in (-1, 0, 1) if (j, i) != (0, 0)]
        neighbours = sum(np.roll(alive, shift, (0, 1)) for shift in shifts)
        alive = ((neighbours == 3) | (neighbours == 2) & (alive == 1)).astype(int)
        trace = np.where(alive == 1, 255, np.where(trace > 192, 192, np.where(trace > 40, trace - 1, trace)))
        if generation % 100 == 0:
            populations += [generation, alive.sum()]
    for directory, output in outputs("life/life.c", 300):
        assert numbers(output) == populations
        assert (picture(directory / "life.pgm") == trace).all()


def test_cg(outputs):
    """The five-point matrix has sines as eigenvectors, so the solution is a sum of them."""
    n = 128
    k = np.arange(1, n + 1)
    sines = np.sin(np.pi * np.outer(k, k) / (n + 1))
    eigenvalues = 2 - 2 * np.cos(np.pi * k / (n + 1))
    right = np.full((n, n), 1.0 / (n + 1) ** 2)
    solution = sines @ (sines @ right @ sines / np.add.outer(eigenvalues, eigenvalues)) @ sines * (2 / (n + 1)) ** 2
    for _, output in outputs("cg/cg.c"):
        assert 1e-11 < numbers(re.search("residual (.*) of", output)[1])[0] < 1e-10
        assert float(output.split("=")[1].split()[0]) == pytest.approx(solution[n // 2 - 1, n // 2 - 1], rel=1e-8)


def test_matmul(outputs):
    size = 192
    i, j = np.mgrid[0:size, 0:size]
    product = np.sin(i + 0.5 * j) @ np.cos(0.25 * i - j)
    for _, output in outputs("matmul/matmul.c", options=[f"-DN={size}"]):
        largest, _, corner = re.search(r"= (.*), c\[(\d+)\]\[0\] = (.*)", output).groups()
        assert float(largest) == pytest.approx(np.abs(product).max(), abs=1e-8)
        assert float(corner) == pytest.approx(product[-1, 0], abs=1e-8)


def test_fft(outputs):
    rows, columns = 64, 128
    size = rows * columns
    time = np.arange(size) / size
    signal = np.cos(2 * np.pi * 50 * time) + 0.5 * np.sin(2 * np.pi * 3000 * time) - time
    asked = [0, 1, 50, 3000, size // 2, size - 50]
    expected = [(signal * np.exp(-2j * np.pi * (k * np.arange(size) % size) / size)).sum() / size for k in asked]
    for _, output in outputs("fft/fft.c", options=[f"-DROWS={rows}", f"-DCOLUMNS={columns}"]):
        found = re.findall(r"X\[(\d+)\] = (\S+) (\S+) i", output)
        assert [int(k) for k, _, _ in found] == asked
        for (_, real, imaginary), value in zip(found, expected):
            assert cmath.isclose(complex(float(real), float(imaginary)), value, abs_tol=2e-9)


def test_histogram(outputs):
    limit, bins, width = 20000, 24, 20
    known = {1: 0}

    def steps(n):
        path = []
        while n not in known:
            path.append(n)
            n = n // 2 if n % 2 == 0 else 3 * n + 1
        for count, passed in enumerate(reversed(path), known[n] + 1):
            known[passed] = count

    for n in range(1, limit + 1):
        steps(n)
    counted = [0] * bins
    for n in range(1, limit + 1):
        counted[min(known[n] // width, bins - 1)] += 1
    for _, output in outputs("histogram/histogram.c", limit):
        assert [int(line.split()[2]) for line in output.splitlines()] == counted


def random_numbers(keys):
    key = (keys + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ key >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ key >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return ((key ^ key >> np.uint64(31)) >> np.uint64(11)) / 2.0**53


def test_particles(outputs):
    count, steps = 5000, 80
    keys = 4 * np.arange(count, dtype=np.uint64)
    x, y, vx, vy = (random_numbers(keys + np.uint64(k)) for k in range(4))
    x, vx, vy = x * 0.25, vx * 0.02, vy * 0.02 - 0.01
    for _ in range(steps):
        x, y = x + vx, y + vy
        x, y = (np.where(z < 0, z + 1, np.where(z >= 1, z - 1, z)) for z in (x, y))
    cells = np.zeros((8, 8), int)
    np.add.at(cells, ((y * 8).astype(int), (x * 8).astype(int)), 1)
    for _, output in outputs("particles/particles.c", count, steps):
        assert numbers(output) == list(cells.ravel())


def test_spmv(outputs):
    size = 2000
    rows = [3 + size // (4 + i) for i in range(size)]
    matrix = [[((i + 97 * k * k) % size, 1 / (1 + k) + i % 7 * 0.125) for k in range(rows[i])] for i in range(size)]
    vector = [1 / math.sqrt(size)] * size
    for _ in range(60):
        product = [sum(value * vector[column] for column, value in row) for row in matrix]
        eigenvalue = math.sqrt(sum(value * value for value in product))
        vector = [value / eigenvalue for value in product]
    for _, output in outputs("spmv/spmv.c"):
        assert numbers(output)[0] == sum(rows)
        assert numbers(output)[1] == pytest.approx(eigenvalue, abs=2e-9)


@pytest.mark.parametrize("source", ["monte_carlo/monte_carlo.c", "monte_carlo/monte_carlo.f90"])
def test_monte_carlo(outputs, source):
    factor, modulus, points = 630360016, 2147483647, 10000
    x = np.array([pow(factor, 2 * points * batch, modulus) for batch in range(1000)])
    hits = 0
    for _ in range(points):
        y = x * factor % modulus
        hits += int((x * x + y * y < modulus * modulus).sum())
        x = y * factor % modulus
    for _, output in outputs(source):
        assert numbers(output)[0] == hits
        assert numbers(output)[2] == pytest.approx(4 * hits / 1e7, abs=1e-6)


def test_mandelbrot(outputs):
    columns, rows = 61, 40

    def escape(point):
        z, n = 0j, 0
        while n < 255 and z.real * z.real + z.imag * z.imag < 4:
            z, n = complex(z.real * z.real - z.imag * z.imag + point.real, 2 * z.real * z.imag + point.imag), n + 1
        return n

    across = [-2.25 + 3.0 * (i + 0.5) / columns for i in range(columns)]
    down = [-1.0 + 2.0 * (j + 0.5) / rows for j in range(rows)]
    iterations = np.array([[escape(complex(x, y)) for x in across] for y in down])
    exact = ["-ffp-contract=off"]  # as Python computes, also where the processor multiplies and adds at once
    for directory, output in outputs("mandelbrot/mandelbrot.c", columns, rows, options=exact):
        assert numbers(output) == [iterations.sum(), columns, rows]
        assert (picture(directory / "mandelbrot.pgm") == 255 - iterations).all()


def test_library(made, tmp_path):
    points, pluck = 2001, 500
    i = np.arange(points)
    height = np.where(i <= pluck, i / pluck, (points - 1 - i) / (points - 1 - pluck))
    before, expected = height.copy(), []
    for step in range(2001):
        if step % 500 == 0:
            expected += [step, height.argmax(), height.max(), (height**2).sum()]
        following = height.copy()
        following[1:-1] = 2 * height[1:-1] - before[1:-1] + 0.81 * (height[:-2] - 2 * height[1:-1] + height[2:])
        before, height = height, following
    output = made("library", "string")
    assert numbers(output) == pytest.approx(expected, abs=2e-6)
    run("make", "-C", tmp_path / "library", "clean", "string", "CC=gcc")
    assert run(tmp_path / "library" / "string") == output


def test_cpp_main(made):
    output = made("cpp_main", "tables")
    curves = [
        ("bell", lambda x: math.exp(-x * x), -6, 6, math.sqrt(math.pi) * math.erf(6), 1e-9),
        ("arch", lambda x: math.sqrt(1 - x * x), -1, 1, math.pi / 2, 1e-5),  # its slope at the ends costs accuracy
        ("wave", lambda x: x * math.sin(x), 0, 10, math.sin(10) - 10 * math.cos(10), 1e-9),
    ]
    for line, (name, function, first, last, integral, accuracy) in zip(output.splitlines(), curves):
        values = [function(max(first, min(last, first + (last - first) * k / 999))) for k in range(1000)]
        assert line.startswith(name)
        assert numbers(line) == pytest.approx([integral, min(values), max(values)], abs=max(accuracy, 1e-6))
        assert numbers(line)[0] == pytest.approx(integral, abs=accuracy)
    assert len(output.splitlines()) == len(curves)
