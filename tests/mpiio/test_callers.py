"""Every way to call MPI-IO is served by the preloaded library, on both MPIs: what the report says, and the bytes in the file.
Programs are started by `kumihimo files run`."""

import array
import importlib.util
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import pytest
from made_once import made_once

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faults"))
from launch import OPEN_MPI

HERE = pathlib.Path(__file__).parent / "callers"
RANKS = 3
INTEGERS = 500  # of each rank, in every caller
FOREIGN = ("KUMIHIMO_", "OMPI_COMM_", "PMI_", "LD_PRELOAD")
CLEAN = {**{name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}, **OPEN_MPI}


def run(*words, env=None, cwd=None):
    words = [str(word) for word in words]
    return subprocess.run(
        words, env={**CLEAN, **(env or {})}, cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )


def succeed(*words, **options):
    done = run(*words, **options)
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


@pytest.fixture(scope="session")
def families(build):
    """What `kumihimo info` says of the MPI families."""
    return json.loads(succeed(build / "bin" / "kumihimo", "info", "--json").stdout)["families"]


@pytest.fixture(params=["openmpi", "mpich"])
def family(request, families):
    if request.param not in families:
        pytest.skip(f"this build has no {request.param}")
    return request.param


@pytest.fixture(scope="session")
def compiled(families, tmp_path_factory):
    """compiled(family, source, options...): the program, compiled once."""

    def compile_once(family, source, *options, wrapper=None, environment=None, shared=False):
        kind = "c" if source.endswith(".c") else "fortran"
        compiler = wrapper or families[family][f"{kind}_wrapper"]
        if compiler is None:
            pytest.skip(f"no Fortran wrapper of {family}")
        words = [compiler, *(["-shared", "-fPIC"] if shared else []), HERE / source, *options]

        def make(program):
            succeed(*words, "-o", program, env=environment, cwd=program.parent)

        return made_once(tmp_path_factory, f"{source}-{family}{'.so' if shared else ''}", make)

    return compile_once


@pytest.fixture
def elsewhere(build):
    """Settings with which files of another machine are those of this one, behind a connection."""
    iod = build / "lib" / "kumihimo-iod"
    return {"KUMIHIMO_IOD": str(iod), "KUMIHIMO_STAMPI_COMMAND": f"{iod} --stdio"}


@pytest.fixture
def served(build, families, tmp_path):
    """served(family, program words, options...): runs it preloaded; returns (process, entries of the report)."""

    def start(family, *words, rules="*.dat=direct", ranks=RANKS, env=None, mode="run"):
        report = tmp_path / "report.json"
        report.unlink(missing_ok=True)
        command = [build / "bin" / "kumihimo", "files", mode, "--io", rules, "--report", report, "--"]
        done = run(*command, families[family]["mpiexec"], "-n", ranks, *words, env=env, cwd=tmp_path)
        entries = [json.loads(line) for line in report.read_text().splitlines()] if report.exists() else []
        return done, entries

    return start


def integers_in(path):
    values = array.array("i")
    values.frombytes(path.read_bytes())
    return list(values)


def assert_served(done, entries, path, least):
    """The run went well, and the engine moved at least as many bytes of this file as the program asked for."""
    assert done.returncode == 0, done.stdout + done.stderr
    mine = [entry for entry in entries if entry["file"] == str(path)]
    assert mine, f"{path} was not served: {entries}\n{done.stderr}"
    assert all(entry["engine"] == "direct" and entry["ranks"] == RANKS and entry["failures"] == 0 for entry in mine)
    assert sum(entry["bytes"]["written"] for entry in mine) >= least
    assert sum(entry["file_system"]["bytes_written"] for entry in mine) >= least


@pytest.mark.parametrize("source", ["plain.c", "mpif.f90", "use_mpi.f90", "use_mpi_f08.f90"])
def test_compiled_programs(family, compiled, served, tmp_path, source):
    path = tmp_path / "x.dat"
    done, entries = served(family, compiled(family, source), path)
    assert_served(done, entries, path, 4 * INTEGERS * RANKS)
    assert done.stdout == f"wrote {INTEGERS * RANKS} integers\n"
    assert integers_in(path) == list(range(INTEGERS * RANKS))
    entry = entries[0]
    assert entry["bytes"] == {"read": 4 * INTEGERS * RANKS, "written": 4 * INTEGERS * RANKS}
    calls = entry["calls"]
    assert calls["write_all"] == RANKS and calls["write"] == RANKS and calls["read"] + calls["read_all"] == RANKS


def test_other_files_pass_through(family, compiled, served, tmp_path):
    path = tmp_path / "x.other"
    done, entries = served(family, compiled(family, "plain.c"), path)
    assert done.returncode == 0 and entries == [], done.stderr
    assert integers_in(path) == list(range(INTEGERS * RANKS))


def test_prefix(family, compiled, served, tmp_path):
    path = tmp_path / "x.other"
    done, entries = served(family, compiled(family, "plain.c"), f"kumihimo:{path}")
    assert_served(done, entries, path, 4 * INTEGERS * RANKS)
    assert integers_in(path) == list(range(INTEGERS * RANKS))


def assert_elsewhere(done, entries, said):
    assert done.returncode == 0 and done.stdout.startswith(said), done.stdout + done.stderr
    assert {(entry["engine"], entry["failures"]) for entry in entries} == {("stampi", 0)}


def test_pnetcdf(compiled, served, elsewhere, tmp_path):
    """Debian's, which is Open MPI's. What it does by system calls works for files of other machines, too."""
    library = pathlib.Path("/usr/include/pnetcdf.h")
    if not library.exists():
        pytest.skip("Debian's PnetCDF is not installed")
    program = compiled("openmpi", "pnetcdf.c", "-lpnetcdf")
    path, away = tmp_path / "x.dat", f"stampi://elsewhere{tmp_path}/x.dat"
    done, entries = served("openmpi", program, path)
    assert_served(done, entries, path, 4 * INTEGERS * RANKS)
    done, entries = served("openmpi", program, path, "read", rules="*=off")  # the native library reads what we wrote
    assert done.returncode == 0 and entries == [] and done.stdout.startswith("read"), done.stderr
    right = path.read_bytes()
    path.write_bytes(b"x" * 2 * len(right))
    done, entries = served("openmpi", program, away, env=elsewhere)
    assert_elsewhere(done, entries, "wrote")
    assert path.read_bytes() == right
    assert_elsewhere(*served("openmpi", program, away, "read", env=elsewhere), "read")
    done, _ = served("openmpi", program, away, "new", env=elsewhere)
    assert done.returncode != 0 and "File exists" in done.stderr and path.read_bytes() == right, done.stderr


def test_pnetcdf_leaves_a_metafile_as_it_is(compiled, served, elsewhere, tmp_path):
    """The name behind its prefix is that of a file of this machine, which PnetCDF would empty."""
    if not pathlib.Path("/usr/include/pnetcdf.h").exists():
        pytest.skip("Debian's PnetCDF is not installed")
    program, meta = compiled("openmpi", "pnetcdf.c", "-lpnetcdf"), tmp_path / "x.toml"
    meta.write_text(f'stripe = 1000\nfiles = ["a", "stampi://elsewhere{tmp_path}/b"]\n')
    done, _ = served("openmpi", program, f"stampi+meta:{meta}", env=elsewhere)
    assert done.returncode == 0 and meta.read_text().startswith("stripe"), done.stderr
    done, _ = served("openmpi", program, f"stampi+meta:{meta}", "read", env=elsewhere)
    assert done.returncode == 0 and done.stdout.startswith("read"), done.stderr


def test_parallel_hdf5(family, compiled, served, elsewhere, tmp_path):
    wrapper = shutil.which(f"h5pcc.{family}")
    if wrapper is None:
        pytest.skip(f"Debian's libhdf5-{family}-dev is not installed")
    program = compiled(family, "hdf5.c", "-shlib", wrapper=wrapper)
    path = tmp_path / "x.dat"
    done, entries = served(family, program, path)
    assert_served(done, entries, path, 4 * INTEGERS * RANKS)
    done, entries = served(family, program, path, "read", rules="*=off")
    assert done.returncode == 0 and entries == [] and done.stdout.startswith("read"), done.stderr
    right = path.read_bytes()  # and written anew it differs in times
    path.write_bytes(b"x" * 2 * len(right))
    assert_elsewhere(*served(family, program, f"stampi://elsewhere{path}", env=elsewhere), "wrote")
    assert path.stat().st_size == len(right)
    assert_elsewhere(*served(family, program, f"stampi://elsewhere{path}", "read", env=elsewhere), "read")


def test_h5py(compiled, served, elsewhere, tmp_path):
    """Debian's, which is Open MPI's, and its Python."""
    python, needs = "/usr/bin/python3", "import h5py, mpi4py"
    if run(python, "-c", needs, env={"OMPI_COMM_WORLD_SIZE": "1"}).returncode != 0:
        pytest.skip("Debian's python3-h5py-mpi is not installed")
    words, path = (python, HERE / "h5py_caller.py"), tmp_path / "x.dat"
    done, entries = served("openmpi", *words, path)
    assert_served(done, entries, path, 4 * INTEGERS * RANKS)
    right = path.read_bytes()
    path.write_bytes(b"x" * 2 * len(right))
    assert_elsewhere(*served("openmpi", *words, f"stampi://elsewhere{path}", env=elsewhere), "wrote")
    assert path.read_bytes() == right


def test_mpi4py(family, served, tmp_path):
    """Its wheels take the MPI library that is in the process already: that of the preloaded library."""
    if importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpi4py is not installed (tools/requirements.txt)")
    environment = {}
    if family == "mpich":  # the wheel asks for the name of MPICH's common ABI, which Debian's package lacks
        (tmp_path / "abi").mkdir()
        (tmp_path / "abi" / "libmpi.so.12").symlink_to(_library_behind("libmpich.so.12"))
        environment["LD_LIBRARY_PATH"] = str(tmp_path / "abi")
    path = tmp_path / "x.dat"
    done, entries = served(family, sys.executable, HERE / "python_caller.py", path, env=environment)
    assert_served(done, entries, path, 4 * INTEGERS * RANKS)
    assert integers_in(path) == list(range(INTEGERS * RANKS))


def _library_behind(name):
    listing = succeed("/sbin/ldconfig", "-p").stdout
    return next(line.split("=> ")[1] for line in listing.splitlines() if line.split()[:1] == [name])


def test_error_handlers_conversion_and_senseless_calls(family, compiled, served, tmp_path):
    done, entries = served(family, compiled(family, "handlers.c"), tmp_path / "x.dat", env={"KUMIHIMO_XMPIO_MESSAGES": "0"})
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
    assert len(entries) == 2 and entries[0]["failures"] > 0


def test_error_handlers_of_fortran(family, compiled, served, tmp_path):
    done, entries = served(family, compiled(family, "handlers.f90"), tmp_path / "x.dat", env={"KUMIHIMO_XMPIO_MESSAGES": "0"})
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
    assert len(entries) == 1 and entries[0]["failures"] == RANKS


def test_advice_on_files_that_the_mpi_library_serves(family, compiled, served, tmp_path):
    """Nothing is served, the file is as without us, and the prediction comes from the program's own calls."""
    path = tmp_path / "x.dat"
    done, entries = served(family, compiled(family, "plain.c"), path, mode="advise")
    assert done.returncode == 0 and len(entries) == 1, done.stderr
    advice = entries[0]
    assert (advice["advice"], advice["engine"], advice["ranks"], advice["replayed_part"]) == (str(path), "direct", RANKS, 1)
    assert advice["calls"] == {"read": RANKS, "write": 2 * RANKS}
    assert advice["bytes"] == {"read": 4 * INTEGERS * RANKS, "written": 4 * INTEGERS * RANKS}
    assert advice["seconds"] > 0 and advice["predicted_seconds"] > 0
    assert integers_in(path) == list(range(INTEGERS * RANKS))
    assert sorted(name.name for name in tmp_path.glob("x.dat*")) == ["x.dat"]


def test_advice_on_a_prefix_and_on_other_files(family, compiled, served, tmp_path):
    for name, count in ((f"kumihimo:{tmp_path}/y.other", 1), (f"{tmp_path}/z.other", 0)):
        done, entries = served(family, compiled(family, "plain.c"), name, mode="advise")
        assert done.returncode == 0 and len(entries) == count, done.stderr
    assert integers_in(tmp_path / "y.other") == integers_in(tmp_path / "z.other") == list(range(INTEGERS * RANKS))


def test_advice_comes_at_the_end(family, compiled, served, tmp_path):
    """Also on files that are gone by then, and on those that threads of different ranks close in different orders."""
    paths = [tmp_path / name for name in ("a.dat", "b.dat")]
    threads = ["threads"] if family == "openmpi" else []
    done, entries = served(family, compiled(family, "advised.c", "-lpthread"), *paths, *threads, ranks=2, mode="advise")
    assert done.returncode == 0 and len(entries) == 4, done.stderr
    assert all(entry["predicted_seconds"] > 0 and entry["replayed_part"] == 1 for entry in entries)
    read = sorted(entry["advice"] for entry in entries if entry["calls"] == {"read": 2, "write": 0})
    assert read == [str(path) for path in paths]
    assert not list(tmp_path.glob("*.dat*"))


def test_advice_names_catwalk_and_the_command_to_run_next(family, compiled, served, tmp_path):
    path = tmp_path / "it's.dat"
    program = compiled(family, "scattered.c")
    _, entries = served(family, program, path, 60000, ranks=2, mode="advise")
    engines = {entry["engine"]: entry for entry in entries[0]["engines"]}
    assert list(engines) == ["direct", "catwalk"] and all(entry["predicted_seconds"] > 0 for entry in engines.values())
    seconds = {name: entry["predicted_seconds"] for name, entry in engines.items()}
    faster = [name for name in engines if entries[0]["seconds"] / seconds[name] > 1.1]
    assert [name for name in engines if engines[name]["verdict"] == "faster"] == faster
    words = shlex.split(entries[0]["next"])
    if faster:
        best = min(faster, key=seconds.get)
        assert words[:6] == ["kumihimo", "files", "run", "--io", f"{path}={best}", "--"]
        assert words[-3:] == [str(program), str(path), "60000"]
    else:
        assert words == []


def test_advice_on_a_short_run_says_so(family, compiled, served, tmp_path):
    done, entries = served(family, compiled(family, "plain.c"), tmp_path / "x.dat", mode="advise")
    short = entries[0]["seconds"] < 0.05
    assert done.returncode == 0 and all((entry["verdict"] == "too short to tell") == short for entry in entries[0]["engines"])
    assert not short or entries[0]["next"] == ""


def test_a_setting_that_makes_no_sense(family, compiled, served, tmp_path):
    """Is told on all ranks; nobody guesses what was meant."""
    done, entries = served(family, compiled(family, "plain.c"), tmp_path / "x.dat", env={"KUMIHIMO_SHM": "sometimes"})
    assert done.returncode != 0 and not entries
    assert done.stderr.count("setting KUMIHIMO_SHM=sometimes is not one of auto, memfd, posix, off") == 1


def test_a_rank_without_memory_ends_the_job(family, compiled, served, tmp_path):
    done, _ = served(family, compiled(family, "no_memory.c"), tmp_path / "x.dat", ranks=2)
    assert done.returncode != 0
    assert "kumihimo: error: MPI_File_set_view: std::bad_alloc" in done.stderr
    assert "terminate called" not in done.stderr


# ---- Other libraries in the link order ----


@pytest.mark.parametrize("by_name", [False, True])
@pytest.mark.parametrize("tool_first", [True, False])
@pytest.mark.parametrize("name", ["x.dat", "x.other"])
def test_beside_another_tool(build, families, family, compiled, tmp_path, tool_first, by_name, name):
    """A tool before us sees all calls, one behind us those that we do not serve; nobody loops, nothing is served twice."""
    tool = compiled(family, "counting_tool.c", "-ldl", shared=True)
    ours = pathlib.Path(families[family]["directory"]) / "libkumihimo_io.so"
    report, path = tmp_path / "report.json", tmp_path / name
    preload = ":".join(str(library) for library in ((tool, ours) if tool_first else (ours, tool)))
    environment = {
        "KUMIHIMO_IO": "*.dat=direct",
        "KUMIHIMO_IO_REPORT": str(report),
        **({"COUNT_BY_NAME": "1"} if by_name else {}),
    }
    words = [families[family]["mpiexec"], "-n", RANKS, "env", f"LD_PRELOAD={preload}", compiled(family, "plain.c"), path]
    done = run(*words, env=environment)
    assert done.returncode == 0, done.stderr
    assert integers_in(path) == list(range(INTEGERS * RANKS))
    assert report.exists() is (name == "x.dat")
    if report.exists():
        assert len(report.read_text().splitlines()) == 1
    seen = done.stderr.count("tool: opens 1 writes 1 closes 1")
    assert seen == (RANKS if tool_first or name == "x.other" else 0), done.stderr


def test_second_copy_stays_passive(families, family, compiled, tmp_path):
    """Linked and preloaded: the first copy serves, the other passes on."""
    ours = pathlib.Path(families[family]["directory"]) / "libkumihimo_io.so"
    copy = tmp_path / "libcopy.so"
    shutil.copy(ours, copy)
    report, path = tmp_path / "report.json", tmp_path / "x.dat"
    environment = {"KUMIHIMO_IO": "*.dat=direct", "KUMIHIMO_IO_REPORT": str(report)}
    words = [families[family]["mpiexec"], "-n", RANKS, "env", f"LD_PRELOAD={ours}:{copy}", compiled(family, "plain.c"), path]
    done = run(*words, env=environment)
    assert done.returncode == 0, done.stderr
    assert len(report.read_text().splitlines()) == 1
    assert integers_in(path) == list(range(INTEGERS * RANKS))


def test_linked_instead_of_preloaded(families, family, compiled, tmp_path):
    directory = families[family]["directory"]
    options = [f"-L{directory}", "-Wl,--no-as-needed", "-lkumihimo_io", "-Wl,--as-needed", f"-Wl,-rpath,{directory}"]
    wrapper = families[family]["fortran_wrapper"]
    program = tmp_path / "linked"
    succeed(wrapper, HERE / "use_mpi.f90", "-o", program, *options, cwd=tmp_path)
    report, path = tmp_path / "report.json", tmp_path / "x.dat"
    environment = {"KUMIHIMO_IO": "*.dat=direct", "KUMIHIMO_IO_REPORT": str(report)}
    done = run(families[family]["mpiexec"], "-n", RANKS, program, path, env=environment)
    assert done.returncode == 0 and len(report.read_text().splitlines()) == 1, done.stderr
    assert integers_in(path) == list(range(INTEGERS * RANKS))


# ---- What the user does wrong ----


def test_library_of_the_wrong_family(build, families, compiled, tmp_path):
    """The command refuses; preloaded by hand, the calls return errors after one clear message, and nothing crashes."""
    if len(families) < 2:
        pytest.skip("this build has one MPI family only")
    for family, other in (("openmpi", "mpich"), ("mpich", "openmpi")):
        program = compiled(family, "plain.c")
        words = ["--", families[other]["mpiexec"], "-n", "2", program, tmp_path / "x.dat"]
        done = run(build / "bin" / "kumihimo", "files", "run", *words)
        assert done.returncode == 2 and f"was built for {family}" in done.stderr
        wrong = pathlib.Path(families[other]["directory"]) / "libkumihimo_io.so"
        done = run(families[family]["mpiexec"], "-n", "1", "env", f"LD_PRELOAD={wrong}", program, tmp_path / "x.dat")
        assert done.returncode == 1, done
        assert f"this program is of {family}" in done.stderr and "wrong: open" in done.stderr
        assert "ignal" not in done.stderr


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("*.dat=nosuch", "unknown engine 'nosuch'"),
        ("*.dat", "no = in"),
        ("[.dat=direct", "a [ without ]"),
        ("=direct", "no pattern"),
    ],
)
def test_bad_rules(family, compiled, served, tmp_path, rules, message):
    done, entries = served(family, compiled(family, "plain.c"), tmp_path / "x.dat", rules=rules, ranks=1)
    assert done.returncode == 1 and entries == [] and "wrong: open" in done.stderr
    assert done.stderr.count(message) == 1 and "engines are direct" in done.stderr and "PATTERN=ENGINE" in done.stderr
    assert not (tmp_path / "x.dat").exists()


OWN_NAMES = {"kumihimo_io_entries", "kumihimo_made", "kumihimo_pollers", "kumihimo_unknown_settings_told"}
OWN_NAMES |= {"ncmpi_inq_file_format", "ncmpi_create"}  # mpiio/interpose/netcdf.cpp
OWN_NAMES |= {"ucp_worker_create", "ucp_worker_progress", "ucp_worker_destroy", "ucp_disconnect_nb"}  # base/mpich_end.cpp


def test_the_library_shows_only_names_of_mpi(families):
    for family in families.values():
        listing = succeed("nm", "-D", "--defined-only", pathlib.Path(family["directory"]) / "libkumihimo_io.so").stdout
        names = {line.split()[-1].split("@")[0] for line in listing.splitlines()} - OWN_NAMES
        assert len(names) in (2 * 62, 2 * 92)
        assert all(name.removeprefix("P").startswith(("MPI_File_", "MPI_Register_datarep")) for name in names)
