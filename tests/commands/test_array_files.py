"""`kumihimo files ls, dump, diff, verify`: against NumPy and netCDF4; what is damaged is told, never a traceback."""

import contextlib
import itertools
import json
import math
import os
import pathlib
import struct
import sys
import tempfile

import netCDF4
import numpy as np
import pytest
from command_support import run, succeed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kumihimo.commands.array_files import diff, flat, netcdf, opening, packages, sections, verify
from kumihimo.commands.failure import Failure

FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
FORMATS = {"NETCDF3_CLASSIC": 5, "NETCDF3_64BIT_OFFSET": 5, "NETCDF3_64BIT_DATA": 10}
TYPES = ["i1", "i2", "i4", "f4", "f8", "u1", "u2", "u4", "i8", "u8"]
VENV = {"VIRTUAL_ENV": sys.prefix}  # NumPy is there


@contextlib.contextmanager
def scratch():
    with tempfile.TemporaryDirectory() as directory:
        yield pathlib.Path(directory)


def write_flat(path, arrays, orders=None, **changes):
    """A flat file and its description, as XMP-IO writes them. arrays: {name: array}."""
    listed, offset = [], 0
    with open(path, "wb") as file:
        for name, array in arrays.items():
            order = (orders or {}).get(name, "C")
            data = array.tobytes(order)
            checksum = flat.checksum_text(flat.checksum(np, np.frombuffer(data, "u1"), array.dtype.itemsize))
            kind = "bytes" if array.dtype.kind == "V" else array.dtype.name
            one = {"name": name, "offset": offset, "type": kind, "element_bytes": array.dtype.itemsize}
            one |= {"shape": list(array.shape), "order": "row-major" if order == "C" else "column-major", "checksum": checksum}
            listed.append(one)
            offset += file.write(data)
    text = {"format": "Kumihimo flat file", "version": 1, "bytes": offset, "byte_order": "little", "arrays": listed}
    pathlib.Path(f"{path}.json").write_text(json.dumps({**text, **changes}))
    return path


def values_of(path, name):
    file = opening.File(str(path))
    return np.array(file.variable(name).view(np, file.data))


def read_or_refuse(path):
    """All of a file: what is damaged is told by a Failure, and nothing else is raised."""
    with contextlib.suppress(Failure):
        file = opening.File(str(path))
        verify._report(str(path))
        for variable in file.variables:
            variable.view(np, file.data)


# ---- reading ----


@FEW
@given(st.data())
def test_netcdf_as_netcdf4_reads_it(data):
    form = data.draw(st.sampled_from(sorted(FORMATS)))
    lengths = data.draw(st.lists(st.integers(1, 5), max_size=3))
    records = data.draw(st.integers(0, 3))
    dimensions = [f"d{i}" for i in range(len(lengths))]
    random = np.random.default_rng(data.draw(st.integers(0, 1 << 30)))
    with scratch() as directory:
        path = directory / "x.nc"
        with netCDF4.Dataset(path, "w", format=form) as made:
            made.createDimension("time", None)
            for name, length in zip(dimensions, lengths):
                made.createDimension(name, length)
            made.title = "a title"
            for number in range(data.draw(st.integers(0, 4))):
                used = data.draw(st.lists(st.sampled_from(dimensions), max_size=3, unique=True)) if dimensions else []
                over_time = data.draw(st.booleans())
                kind = data.draw(st.sampled_from(TYPES[: FORMATS[form]]))
                variable = made.createVariable(f"v{number}", kind, (["time"] if over_time else []) + used)
                variable.units = "m s-1"
                variable.factor = np.array([1.5, 2.5])
                shape = ([records] if over_time else []) + [lengths[dimensions.index(name)] for name in used]
                if 0 not in shape:
                    variable[:] = random.integers(0, 100, shape).astype(kind)
        with netCDF4.Dataset(path) as expected:
            expected.set_auto_mask(False)
            file = opening.File(str(path))
            assert file.about.attributes == {"title": "a title"}
            assert [variable.name for variable in file.variables] == list(expected.variables)
            for variable in file.variables:
                other = expected[variable.name]
                assert variable.shape == other.shape
                assert variable.source.attributes == {"units": "m s-1", "factor": [1.5, 2.5]}
                assert np.array_equal(values_of(path, variable.name), other[...])
        assert not verify._report(str(path))["wrong"]
        whole = path.read_bytes()
        header = netcdf.read_header("x", whole).bytes
        for end in {0, 3, data.draw(st.integers(0, header - 1))}:
            path.write_bytes(whole[:end])
            with pytest.raises(Failure):
                opening.File(str(path))


@FEW
@given(st.binary(max_size=300), st.sampled_from(sorted(netcdf.MAGIC)), st.integers(0, 400), st.binary(min_size=1, max_size=8))
def test_any_header_ends_well(noise, magic, place, change):
    with scratch() as directory:
        path = directory / "x.nc"
        with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as made:
            made.createDimension("x", 3)
            made.createVariable("v", "f8", ("x",))[:] = 1
        whole = bytearray(path.read_bytes())
        whole[place : place + len(change)] = change
        for text in (magic + noise, bytes(whole)):
            path.write_bytes(text)
            read_or_refuse(path)


@FEW
@given(st.data())
def test_damaged_descriptions_end_well(data):
    with scratch() as directory:
        path = write_flat(directory / "x", {"u": np.arange(12.0).reshape(3, 4), "k": np.arange(5, dtype="i2")})
        name = pathlib.Path(f"{path}.json")
        text = name.read_text()
        value = data.draw(
            st.sampled_from(["null", "-1", "1e9", '"x"', "[]", "{}", "99999999999999999999", "true", '"\\ud800"'])
        )
        target = data.draw(
            st.sampled_from(['"u"', "0", "96", '"float64"', "8", "[3, 4]", "12", '"row-major"', '"little"', "106"])
        )
        cut = data.draw(st.integers(0, len(text)))
        name.write_text(text.replace(target, value) if data.draw(st.booleans()) else text[:cut])
        read_or_refuse(path)


@FEW
@given(st.integers(0, 40), st.sampled_from([1, 2, 3, 4, 8, 12, 16]), st.integers(1, 64), st.integers(0, 1 << 30))
def test_checksum_by_its_definition(count, width, window, seed):
    data = np.random.default_rng(seed).integers(0, 256, count * width, dtype="u1")
    words = [data[i : i + width].tobytes() for i in range(0, data.size, width)]
    words = [(word[j : j + 8] + bytes(8))[:8] for word in words for j in range(0, width, 8)]
    total = 0
    for number, word in enumerate(words):
        z = (int.from_bytes(word, "little") + number * 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        total += z ^ z >> 31
    assert flat.checksum(np, data, width, window) == total % 2**64


SHAPES = st.lists(st.integers(0, 5), max_size=4)


@FEW
@given(SHAPES, st.booleans(), st.integers(1, 40))
def test_windows_are_the_array_in_its_order(shape, column_major, limit):
    array = np.arange(math.prod(shape)).reshape(shape, order="F" if column_major else "C")
    order = list(range(len(shape)))[:: -1 if column_major else 1]
    seen = []
    for window in opening.windows(shape, order, limit):
        assert 0 < array[window].size <= limit
        seen += array[window].transpose(order).ravel().tolist()
    assert seen == list(range(array.size))


@FEW
@given(st.lists(st.integers(1, 6), min_size=1, max_size=3), st.data())
def test_slices_as_python_has_them(shape, data):
    words, expected = [], []
    for length in shape[: data.draw(st.integers(0, len(shape)))]:
        if data.draw(st.booleans()):
            index = data.draw(st.integers(-length, length - 1))
            words.append(str(index))
            expected.append(index)
            continue
        first, end = (data.draw(st.one_of(st.none(), st.integers(-8, 8))) for _ in range(2))
        step = data.draw(st.integers(1, 4))
        words.append(":".join("" if one is None else str(one) for one in (first, end, step)))
        expected.append(slice(first, end, step))
    array = np.arange(math.prod(shape)).reshape(shape)
    section = sections.parse(",".join(words), shape)
    assert array[section].tolist() == array[tuple(expected)].tolist()
    assert array[sections.parse(sections.text_of(section), shape)].tolist() == array[section].tolist()


@pytest.mark.parametrize("text", ["9", "-7", "x", "0:1:0", "::-1", "1,1,1", "1:2:3:4", ",", "0,"])
def test_wrong_slices_are_refused(text):
    with pytest.raises(Failure, match="--slice"):
        sections.parse(text, (6, 3))


# ---- diff ----


def apart(a, b, absolute, relative):
    """Whether two numbers of Python differ by more than is allowed, and by how much."""
    if a == b or (a != a and b != b):
        return False, 0.0
    distance = abs(a - b)
    if math.isnan(distance) or math.isinf(distance):
        return True, math.inf
    return distance > max(absolute, relative * max(abs(a), abs(b))), distance


VALUES = st.sampled_from([0.0, 1.0, 1.25, -3.0, 100.0, math.nan, math.inf, -math.inf])


@FEW
@given(st.data())
def test_diff_as_an_element_at_a_time(data):
    shape = data.draw(st.lists(st.integers(1, 4), min_size=0, max_size=3))
    count = math.prod(shape)
    kind = data.draw(st.sampled_from(["f8", "f4", "i8", "u8", "u1"]))
    numbers = VALUES if kind[0] == "f" else st.integers(0, 200) if kind == "u1" else st.integers(2**60, 2**60 + 3)
    first = data.draw(st.lists(numbers, min_size=count, max_size=count))
    second = [data.draw(numbers) if data.draw(st.booleans()) else one for one in first]
    orders = data.draw(st.tuples(st.sampled_from("CF"), st.sampled_from("CF")))
    absolute, relative = data.draw(st.sampled_from([(0.0, 0.0), (1.0, 0.0), (0.0, 0.5), (2.0, 0.1)]))
    a, b = (np.array(values, kind).reshape(shape, order="C") for values in (first, second))
    with scratch() as directory, pytest.MonkeyPatch.context() as patch:
        patch.setattr(diff, "_WINDOW", data.draw(st.integers(1, 20)))
        paths = [write_flat(directory / name, {"u": x}, {"u": o}) for name, x, o in zip("ab", (a, b), orders)]
        files = [opening.File(str(path)) for path in paths]
        options = diff.parser().parse_args([*map(str, paths), f"--absolute={absolute}", f"--relative={relative}"])
        report = diff._compare(np, files, files[0].variables[0], files[1].variables[0], options)
    places = itertools.product(*map(range, shape))
    if orders[0] == "F":
        places = sorted(places, key=lambda indices: indices[::-1])
    wrong = []
    for place in places:
        x, y = a[place].item(), b[place].item()
        differs, distance = apart(x, y, absolute, relative)
        wrong += [(list(place), distance)] if differs else []
    assert report["same"] == (not wrong)
    assert report["different"] == len(wrong)
    if wrong:
        assert report["first"]["indices"] == wrong[0][0]
        largest = max(distance for _, distance in wrong)
        assert report["largest"]["difference"] == (largest if largest < math.inf else "inf")
        assert report["largest"]["indices"] in [place for place, distance in wrong if distance == largest]


# ---- the commands ----


@pytest.fixture
def files(build, tmp_path):
    """files(words...): the command in a directory of its own."""
    return lambda *words, **options: run(build / "bin" / "kumihimo", "files", *words, cwd=tmp_path, env=VENV, **options)


@pytest.fixture
def pair(tmp_path):
    u = np.arange(12.0).reshape(3, 4)
    z = np.array([(1, 2), (3, 4)], dtype="i2, i4").view("V6")
    write_flat(tmp_path / "a", {"u": u, "z": z}, {"u": "F"})
    changed = u.copy()
    changed[1, 2] += 0.25
    changed[2, 0] -= 0.5
    write_flat(tmp_path / "b", {"u": changed, "z": z})
    return tmp_path


def test_people_see(files, pair):
    listed = files("ls", "a").out.splitlines()
    assert listed[0] == "a: flat, 108 bytes"
    assert listed[1].split()[:8] == ["u", "float64", "3", "x", "4", "at", "byte", "0"]
    assert "column-major, sum64:" in listed[1]
    assert files("dump", "a", "u", "--slice", "1:,::2").out == "4.0 6.0\n8.0 10.0\n"
    assert files("dump", "a", "u", "--slice=2").out == "8.0 9.0 10.0 11.0\n"
    assert files("dump", "a", "z").out == "010002000000 030004000000\n"
    done = files("diff", "a", "b")
    assert (done.code, done.err) == (1, "")
    assert done.out == (
        "u: 2 of 12 elements differ\n  first: u[2,0] is 8.0 and 7.5\n  largest: u[2,0] is 8.0 and 7.5, 0.5 apart\nz: the same\n"
    )
    assert files("diff", "b", "a").out.splitlines()[1] == "  first: u[1,2] is 6.25 and 6.0"
    assert files("diff", "a", "b", "u", "--absolute", "0.5").code == 0
    done = files("verify", "a", "b")
    assert (done.code, done.out) == (0, "a: whole, checksums of 2 of 2 arrays\nb: whole, checksums of 2 of 2 arrays\n")


def test_programs_read(files, pair):
    assert json.loads(files("dump", "a", "u", "--slice=0,1:3", "--json").out)["values"] == [1.0, 2.0]
    assert [one["file"] for one in json.loads(files("ls", ".", "--json").out)] == ["./a", "./b"]
    report = json.loads(files("diff", "a", "b", "--json").out)
    assert not report["same"]
    assert report["variables"][0]["largest"]["indices"] == [2, 0]
    write_flat(pair / "odd", {"w": np.array([math.nan, -math.inf, 1 + 2j])})
    assert json.loads(files("dump", "odd", "--json").out)["values"] == [["nan", 0.0], ["-inf", 0.0], [1.0, 2.0]]


def test_damage_is_told(files, pair):
    data = bytearray((pair / "a").read_bytes())
    data[-1] ^= 1
    (pair / "a").write_bytes(data)
    done = files("verify", "a", "b", "--json")
    assert done.code == 1
    assert [len(one["wrong"]) for one in json.loads(done.out)] == [1, 0]
    assert "'z' is damaged" in done.out
    (pair / "a").write_bytes(data[:100])
    done = files("verify", "a")
    assert done.code == 1
    assert "100 bytes, the description says 108; 'z' ends at byte 108, behind the file" in done.out
    assert files("dump", "a", "u", "--slice=0").code == 0
    assert files("dump", "a", "z").code == 2
    for path in ("absent", "b.json", "."):
        done = files("dump", path)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done
    assert "which variable? there are: u, z" in files("dump", "b").err
    assert files("diff", "a", "b", "--absolute=-1").code == 2
    sound = (pair / "b.json").read_text()
    for wrong, told in (("float99", "'float99' is no type"), ("int16", "elements of the type int16 in")):
        (pair / "b.json").write_text(sound.replace('"float64"', f'"{wrong}"'))
        assert told in files("verify", "b").err


def test_netcdf_damage_is_told(files, tmp_path):
    with netCDF4.Dataset(tmp_path / "x.nc", "w", format="NETCDF3_CLASSIC") as made:
        made.createDimension("time", None)
        made.createDimension("x", 5)
        made.createVariable("v", "f8", ("time", "x"))[:] = np.ones((4, 5))
        made.createVariable("k", "i2", ("x",))[:] = 7
    whole = (tmp_path / "x.nc").read_bytes()
    assert files("verify", "x.nc").code == 0
    (tmp_path / "x.nc").write_bytes(whole[:-1])
    assert f"{len(whole) - 1} bytes, the header asks for {len(whole)}" in files("verify", "x.nc").out
    # A variable that begins inside another, and a size that is not that of the shape.
    header = netcdf.read_header("x", whole)
    v, k = header.variables
    for before, after, told in (
        (
            struct.pack(">II", 12, k.begin),
            struct.pack(">II", 12, k.begin - 4),
            f"'k' begins at byte {k.begin - 4}, inside the header",
        ),
        (struct.pack(">II", 40, v.begin), struct.pack(">II", 40, k.begin + 4), "begins at byte"),
        (struct.pack(">II", 12, k.begin), struct.pack(">II", 99, k.begin), "'k' has 99 bytes by the header, 12 by its shape"),
    ):
        assert whole.count(before) == 1
        (tmp_path / "x.nc").write_bytes(whole.replace(before, after))
        done = files("verify", "x.nc")
        assert done.code == 1 and told in done.out, done
    (tmp_path / "h.nc").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    assert "HDF5 (netCDF-4)" in files("ls", "h.nc").err


def test_plots(files, pair):
    assert files("dump", "a", "u", "--plot").out.splitlines()[0] == "u[0:3,0:4]: 0 to 11"
    done = files("dump", "a", "u", "--slice=1", "--plot=line.png")
    assert done.code == 0, done
    assert files("dump", "a", "u", "--plot=map.png").code == 0
    for name in ("line.png", "map.png"):
        picture = (pair / name).read_bytes()
        assert picture.startswith(b"\x89PNG")
        assert len(picture) > 5000
    assert (
        "a plot needs a section of one or two dimensions, --slice leaves 0"
        in files("dump", "a", "u", "--slice=1,1", "--plot").err
    )
    assert "a plot needs numbers" in files("dump", "a", "z", "--plot").err


def test_without_numpy_it_says_what_to_do(monkeypatch, pair):
    monkeypatch.setitem(sys.modules, "numpy", None)  # as if it were not installed
    monkeypatch.setattr(packages.subprocess, "run", lambda *_, **__: type("Done", (), {"returncode": 1}))
    with pytest.raises(Failure, match="needs the Python package numpy, .* pip install numpy, or apt install python3-numpy"):
        packages.need("numpy", "this")


def test_only_what_is_shown_is_read(build, tmp_path):
    """A section of a file of 5 GiB, most of which is a hole, in little memory."""
    rows = 5 << 17
    one = {"name": "u", "offset": 0, "type": "float64", "element_bytes": 8, "shape": [rows, 1024], "order": "row-major"}
    text = {"format": "Kumihimo flat file", "version": 1, "bytes": rows * 8192, "byte_order": "little", "arrays": [one]}
    (tmp_path / "u.json").write_text(json.dumps(text))
    with open(tmp_path / "u", "wb") as file:
        file.seek(rows * 8192 - 8)
        file.write(struct.pack("<d", 2.5))
    words = [build / "bin" / "kumihimo", "files", "dump", tmp_path / "u", "--slice=-1,-2:"]
    program = "import os, resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
    program += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    out = succeed(sys.executable, "-c", program, *words, env=VENV).out.split()
    assert out[:2] == ["0.0", "2.5"]
    assert int(out[2]) < 200 * 1024, "KiB"
    assert os.path.getsize(tmp_path / "u") == 5 << 30
