"""Files, names, numbers and streams that no command expects: one message and an exit code, never a traceback."""

import os
import pathlib
import subprocess
import sys

import pytest
from kumihimo.commands import outermost

CONTENTS = {
    "cut.json": b'{"format": ',
    "list.json": b"[]",
    "null.json": b"null",
    "other.json": b'{"format": "kumihimo-bench", "version": 1, "variants": [5]}',
    "bytes.json": b"\xff\xfe\x00\x80",
    "deep.json": b"[" * 100000,
    "digits.json": b'{"format": ' + b"9" * 6000 + b"}",
    "empty.json": b"",
    os.fsdecode(b"n\xff.json"): b"{}",
    "quote": b'"not closed',
    os.fsdecode(b"u\xff.c"): b"#pragma xmp nods p[*]\nint main(void) { return 0; }\n",
}
PATHS = [*CONTENTS, "directory", "loop", "missing/file", "/dev/null", "", ":", "missing:variant"]
READERS = (
    "bench show {}",
    "bench record {} --database db",
    "bench compare {} {} --database none",
    "bench report {} -o out.html",
    "bench list --database {}",
    "bench run --resume {}",
    "files recover {}",
)
NUMBERS = ("0", "-1", "x", "1e99", "9" * 5000, "\u00b2", "\u0664", "", "4,,5", "1G-", "nan", os.fsdecode(b"\xff"))
OPTIONS = ("-n", "--shape", "--sizes", "--launches", "--memory", "--limit", "--set", "--variant", "--mpi", "--repetitions")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    directory = tmp_path_factory.mktemp("bad")
    for name, data in CONTENTS.items():
        (directory / name).write_bytes(data)
    (directory / "directory").mkdir()
    (directory / "loop").symlink_to("loop")
    return directory


def run(place, *words, **more):
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        words, cwd=place, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120, check=False, **more
    )


def check(done, words):
    told = done.stderr.decode("utf-8", "replace")
    assert "Traceback" not in told and "internal error" not in told and done.returncode >= 0, f"{words}\n{told}"
    return told


def commands(build):
    """Each path with one reader, each number with one option: all meet somebody."""
    kumihimo = build / "bin" / "kumihimo"
    for number, path in enumerate(PATHS):
        for reader in (READERS[number % len(READERS)], "bench show {}"):
            yield [kumihimo, *(word.replace("{}", path) for word in reader.split(" "))]
    for number in NUMBERS:
        for option in ("--shape", OPTIONS[NUMBERS.index(number) % len(OPTIONS)]):
            words = [option + number] if option == "-n" else [f"{option}={number}"]
            yield [kumihimo, "bench", "run", "--output", "/dev/null/x", *words]
    yield [build / "bin" / "xmpcc", "@quote"]


def test_files_and_numbers(build, place):
    for words in commands(build):
        done = run(place, *words, stdout=subprocess.DEVNULL)
        assert check(done, words).strip() or done.returncode == 0
        assert done.returncode != 0 or words[1:3] in (["bench", "list"], ["files", "recover"]), words


def test_a_name_that_is_no_utf8(build, place):
    """Goes out as it came in: as bytes where it is printed, escaped in messages."""
    name = os.fsdecode(b"u\xff.c")
    shown = run(place, build / "bin" / "xmpcc", "-show", "-c", name, stdout=subprocess.PIPE)
    assert shown.returncode == 0 and check(shown, name) == ""
    assert b"u\xff" in shown.stdout
    refused = run(place, build / "bin" / "xmpcc", "-c", name)
    assert refused.returncode == 1
    assert "u\\udcff.c:1:13: error: unknown directive 'nods'" in check(refused, name)


PRINTERS = ["kumihimo help", "kumihimo bench run --help", "kumihimo info", "kumihimo bench list --database list.db"]
PRINTERS += ["xmpcc --help", "xmpf90 --help", "xmprun --help"]


@pytest.mark.parametrize("words", PRINTERS)
def test_output_that_nobody_takes(build, place, words):
    """A pipe without a reader, a full disk, no output at all."""
    command, *arguments = words.split()
    command = build / "bin" / command
    reading, writing = os.pipe()
    os.close(reading)
    for stream, codes in ((writing, (141,)), (os.open("/dev/full", os.O_WRONLY), (1,))):
        done = run(place, command, *arguments, stdout=stream)
        os.close(stream)
        told = check(done, words)
        assert done.returncode in codes and "Exception" not in told
        assert told in ("", f"{command.name}: write error: No space left on device\n")
    with open("/dev/full", "w") as full:  # nor errors
        silent = subprocess.run([command, "--mpi=nosuch"], cwd=place, stdout=full, stderr=full, timeout=120, check=False)
    assert silent.returncode in (1, 2)
    closed = run(place, "sh", "-c", 'exec "$@" >&-', "sh", command, *arguments)
    assert "Exception" not in check(closed, words)


def test_what_nobody_foresaw(place):
    """The message names the place in our code; the exit code is EX_SOFTWARE. (A process of its own: it gives up its output.)"""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import outermost; sys.exit(outermost.call('xmprun', lambda: {}['a\\nb']))"
    )
    done = run(place, sys.executable, "-c", program, pathlib.Path(outermost.__file__).parent)
    assert done.returncode == 70
    told = done.stderr.decode()
    assert told.startswith("xmprun: internal error (KeyError in <string>:1: ") and told.count("\n") == 1
