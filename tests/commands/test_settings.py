"""Settings that make no sense, and settings that differ between ranks, whatever room they belong to: every one that `kumihimo
info` lists, in a program that uses its room. A run ends with a right result, or with one message that names the setting and
what it takes, a nonzero exit status, and no signal."""

import collections
import json
import os
import pathlib
import random
import re
import subprocess

import pytest
from command_support import CLEAN, families, run, succeed
from long_form import LONG_FORM
from made_once import made_once

HERE = pathlib.Path(__file__).parent
SEED = int(os.environ.get("KUMIHIMO_TEST_SEED") or 12)
ABSURD = ("x", "-1", "18446744073709551616", "1e3", "two_phas", "/dev/null/directory/file", "=,:@[", "a" * 3000)
FAMILIES = ("openmpi", "mpich")
LIMIT = 120
DIED = re.compile(r"terminate called|Segmentation|core dumped|[Ss]ignal: |on signal|EXIT STRING: (?!Terminated)|Traceback")
RIGHT = {"files": "sum 201\n", "collectives": "wrong 0\n", "runtime": "wrong 0\n"}  # of two ranks


@pytest.fixture(scope="module")
def settings(build):
    """{name: entry}, with KUMIHIMO_* out of this process's environment."""
    return {entry["name"]: entry for entry in json.loads(succeed(build / "bin" / "kumihimo", "info", "--json").out)["settings"]}


@pytest.fixture(scope="module")
def launch(build, tmp_path_factory):
    """launch(family, library, settings of rank 0, settings of the others): what became of a program that uses the library."""
    known = families(build)

    def make(programs):
        programs.mkdir()
        for family in set(FAMILIES) & set(known):
            wrapper, xmpcc = [known[family]["c_wrapper"]], [build / "bin" / "xmpcc", f"--mpi={family}"]
            for name, compiler in {"files": wrapper, "collectives": wrapper, "runtime": xmpcc}.items():
                succeed(*compiler, HERE / "settings" / f"{name}.c", "-o", programs / f"{name}-{family}")

    programs = made_once(tmp_path_factory, "programs of settings", make)
    directory = tmp_path_factory.mktemp("settings")
    started = 0

    def launched(family, library, first, others):
        if family not in known:
            pytest.skip(f"this build has no {family}")
        nonlocal started
        started += 1
        output = directory / f"file{started}"
        preload = {"files": "libkumihimo_io.so", "collectives": "libkumihimo_coll.so"}.get(library)
        words = [str(HERE.parents[1] / "cmake" / "mpirun-test"), family, "1"]
        for part, own in enumerate((first, others)):
            own = {"KUMIHIMO_IO": "**=direct", **own} if library == "files" else own
            variables = [f"{name}={value}" for name, value in own.items()]
            variables += [f"LD_PRELOAD={known[family]['directory']}/{preload}"] if preload else []
            words += [":", "-n", "1"] if part else []
            words += ["env", *variables, str(programs / f"{library}-{family}"), str(output)]
        environment = {**CLEAN, "KUMIHIMO_MPIEXEC": known[family]["mpiexec"]}
        process = subprocess.Popen(
            words,
            cwd=directory,  # where absurd names of files end up
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        try:
            out, err = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.communicate()
            pytest.fail(f"hangs: {' '.join(words)}")
        return Outcome(library, process.returncode, out, err, words)

    return launched


class Outcome:
    def __init__(self, library, code, out, err, words):
        self.library, self.code, self.out, self.err, self.words = library, code, out, err, words

    def __repr__(self):
        return f"{' '.join(self.words)[:2000]}\nexit code {self.code}\n--- out\n{self.out}\n--- err\n{self.err[:4000]}"

    @property
    def right(self):
        return self.code == 0 and self.out == RIGHT[self.library]

    def check_no_death(self):
        assert 0 <= self.code < 128 and not DIED.search(self.err), self

    def check(self, entry, value):
        """'accepted', 'told' (the MPI library serves instead of libkumihimo_coll) or 'refused'."""
        self.check_no_death()
        messages = self.err.count(f"{entry['name']}={value[:20]}")
        if self.right and messages == 0:
            return "accepted"
        assert messages == 1, self
        assert entry["kind"] == "text" or entry["allowed"] in self.err, self
        assert self.right if self.library == "collectives" else self.code != 0, self
        return "told" if self.right else "refused"


def cases(settings):
    """(name, value, library, family), all of them or a sample."""
    every = [
        (name, value, library, family)
        for name, entry in settings.items()
        for value in ABSURD
        for library in entry["libraries"]
        for family in FAMILIES
    ]
    return every if LONG_FORM else random.Random(SEED).sample(every, 8)


@pytest.mark.timeout(3600)
def test_absurd_values(settings, launch):
    counts = collections.Counter()
    for name, value, library, family in cases(settings):
        setting = {name: value}
        counts[launch(family, library, setting, setting).check(settings[name], value)] += 1
    print(dict(counts))
    assert counts["refused"] > 0


@pytest.mark.parametrize("family", FAMILIES)
def test_what_ended_in_a_terminate_or_was_ignored(settings, launch, family):
    bad = [("runtime", "KUMIHIMO_TIMEOUT", "x"), ("runtime", "KUMIHIMO_SEGMENT_CACHE", "x"), ("runtime", "KUMIHIMO_LOG", "x")]
    bad += [("files", name, "x") for name in ("KUMIHIMO_TIMEOUT", "KUMIHIMO_XMPIO_MESSAGES", "KUMIHIMO_IO_ADVISE")]
    bad += [("files", "KUMIHIMO_IO_COLLECTIVE", "two_phas"), ("files", "KUMIHIMO_IOD_LOG", "/dev/null/directory/file")]
    for library, name, value in bad:
        done = launch(family, library, {name: value}, {name: value})
        assert done.check(settings[name], value) == "refused"
        assert value != "two_phas" or "did you mean two_phase?" in done.err


@pytest.mark.parametrize("family", FAMILIES)
def test_a_bad_value_on_one_rank_is_an_error_on_all(launch, family):
    done = launch(family, "files", {}, {"KUMIHIMO_IOD_LOG": "/dev/null/directory/file"})
    done.check_no_death()
    assert done.code != 0 and done.out.count("open failed with class") == 2, done
    assert done.err.count("rank 1: setting KUMIHIMO_IOD_LOG=/dev/null/directory/file") == 1, done


def other_value(name, entry, directory):
    """One that makes sense, and another than the default."""
    known = {
        "KUMIHIMO_IO": "**=off",
        "KUMIHIMO_TRANSPORT": "faulty",
        "KUMIHIMO_FAULTY_TRANSPORT": "mpi delay=5",
        "KUMIHIMO_FAULTY_IO": "direct delay=5",
        "KUMIHIMO_COLL_TUNE": "bcast:@linear",
        "KUMIHIMO_COLL_TABLE": "none",
        "KUMIHIMO_COLL_SHAPE": "2",
        "KUMIHIMO_TIMEOUT": "5",
        "KUMIHIMO_XMPIO_HINTS": "striping_factor=1",
        "KUMIHIMO_NODES_PER_MACHINE": "1",
    }
    if entry["kind"] in ("number", "bytes"):
        limits = re.search(r"from (\w+) to (\w+)", entry["allowed"])
        return known.get(name) or next(limit for limit in limits.groups() if limit != entry["default"])
    if entry["kind"] == "word":
        words = entry["allowed"].removeprefix("one of ").split(", ")
        return next(word for word in words if word != entry["default"])
    kinds = {"flag": "0" if entry["default"] in ("1", "true") else "1", "file": "-", "directory": str(directory)}
    return kinds.get(entry["kind"]) or known.get(name, "x")


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("where", ["on rank 0", "on the others"])
@pytest.mark.parametrize("library", RIGHT)
@pytest.mark.parametrize("family", FAMILIES)
def test_settings_that_differ(settings, launch, tmp_path, family, library, where):
    """Rank 0's count, with one warning; all of them differ at once, or (long) each in a run of its own."""
    mine = {name: entry for name, entry in settings.items() if entry["concerns"] == "job" and library in entry["libraries"]}
    values = {name: other_value(name, entry, tmp_path) for name, entry in mine.items()}
    for differing in [values, *([{name: value} for name, value in values.items()] if LONG_FORM else [])]:
        done = launch(family, library, *((differing, {}) if where == "on rank 0" else ({}, differing)))
        done.check_no_death()
        assert done.right, done
        assert done.err.count("ranks have different settings") == 1, done
        assert all(f"  {name}: " in done.err for name in differing), done


@pytest.mark.parametrize("family", FAMILIES)
def test_an_unknown_setting_is_told_once(launch, family):
    for library in RIGHT:
        setting = {"KUMIHIMO_TIMOUT": "5"}
        done = launch(family, library, setting, setting)
        assert done.right and done.err.count("KUMIHIMO_TIMOUT is set, but there is no such setting") == 1, done
        assert "did you mean KUMIHIMO_TIMEOUT?" in done.err


def test_the_commands_own_settings(settings, build, tmp_path, programs):
    """Those that no library reads."""
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    (tmp_path / "a.f90").write_text("end\n")
    program = next(iter(programs.values()))
    users = [
        (build / "bin" / "xmprun", "-n", "1", program),
        (build / "bin" / "xmpcc", "-c", "a.c"),
        (build / "bin" / "xmpf90", "-c", "a.f90"),
        (build / "bin" / "kumihimo", "bench", "list"),
        (build / "bin" / "kumihimo", "info"),
    ]
    names = [name for name, entry in settings.items() if not entry["libraries"]]
    for value in ABSURD if LONG_FORM else ABSURD[:2]:
        for name in names:
            for words in users:
                done = run(*words, cwd=tmp_path, env={name: value})
                assert 0 <= done.code < 128 and "Traceback" not in done.err, (name, value, done)
                assert done.code == 0 or name in done.err or value[:20] in done.err, (name, value, done)


def test_commands_and_libraries_know_the_same_names(build, launch):
    """What belongs to a command is not unknown to the libraries."""
    from kumihimo.commands import settings as of_commands

    own = {name: "x" for name, _, _ in of_commands.COMMANDS}
    done = launch(FAMILIES[0], "files", own, own)
    assert done.right and "no such setting" not in done.err, done
