"""What xmprun shows of a program that fails: all that the program wrote, in its order and at once, nothing of the launcher's
that we know, and last one line about what ended."""

import os
import re
import signal
import subprocess

import pytest
from command_support import CLEAN, families, run, succeed
from kumihimo.commands import launcher_text
from made_once import made_once
from waiting import ended, wait_for

DASHES = "-" * 74 + "\n"
ABORT = f"{DASHES}MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD\nwith errorcode 5.\n\nNOTE: ...\n{DASHES}"
KILL = f"{DASHES}mpiexec noticed that process rank 3 with PID 0 on node vm exited on signal 9 (Killed).\n{DASHES}"
EXIT = f"{DASHES}mpiexec detected that one or more processes exited with non-zero status\n\n"
EXIT += f"  Process name: [[31861,1],2]\n  Exit code:    3\n{DASHES}"


def banner(code, mixed):
    """Of MPICH: the code of the process that it names, the bitwise or of the signals of all."""
    text = f"\n{'=' * 83}\n=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   PID 77 RUNNING AT vm\n"
    text += f"=   EXIT CODE: {code}\n{'=' * 83}\n"
    return f"{text}YOUR APPLICATION TERMINATED WITH THE EXIT STRING: {signal.strsignal(mixed)} (signal {mixed})\n"


BANNER = banner(9, 9)
NINE = r"was ended by signal 9 \(Killed\)"
OTHER = f"{DASHES}WARNING: a network device was not found.\n{DASHES}"

# Says the same as launchers do, on both streams; then ends as it is told.
PROGRAM = """
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) fprintf(stderr, "%s[vm:1] [[1,0],0] ORTE_ERROR_LOG: mine\\nno end of line", argv[2]);
    if (rank == 0) printf("%s", argv[3]);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && strcmp(argv[1], "kill") == 0) raise(SIGKILL);
    if (rank == 1 && strcmp(argv[1], "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 5);
    if (rank == 1) exit(atoi(argv[1]));
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}
"""
WRONG_XMP = """
#include <stdio.h>
#include <stdlib.h>
#pragma xmp nodes p[*]
#pragma xmp template t[:]
#pragma xmp distribute t[block] onto p
static void farewell(void) { fputs("at exit\\n", stderr); }
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    atexit(farewell);
#pragma xmp template_fix t[n]
    return 0;
}
"""


@pytest.fixture(scope="module")
def places(build, tmp_path_factory):
    def make(directory):
        directory.mkdir()
        (directory / "ending.c").write_text(PROGRAM)
        (directory / "wrong.c").write_text(WRONG_XMP)
        for family in families(build):
            for name in ("ending", "wrong"):
                succeed(build / "bin" / "xmpcc", f"--mpi={family}", f"{name}.c", "-o", f"{name} {family}", cwd=directory)

    return made_once(tmp_path_factory, "a place of failures", make)


@pytest.fixture(params=["openmpi", "mpich"])
def family(request, build):
    if request.param not in families(build):
        pytest.skip(f"this build has no {request.param}")
    return request.param


@pytest.mark.parametrize(
    ("how", "codes", "last"),
    [
        ("kill", (137, 9), rf"xmprun: (rank 1 {NINE}|rank [01] {NINE}, perhaps after another failed)"),
        ("abort", (5,), "xmprun: (rank 1 ended the job by MPI_Abort|the program ended) with exit code 5"),
        # MPICH's launcher may tell of the rank that it killed for it.
        ("3", (3, 9), rf"xmprun: ((rank 1|the program) ended with exit code 3|rank 0 {NINE}, perhaps after another failed)"),
    ],
)
def test_the_launcher_is_silent_and_the_program_is_not(build, places, family, how, codes, last):
    program = places / f"ending {family}"
    table = f"\n{'=' * 83}\n=   mine\n{'=' * 83}\n"
    done = run(build / "bin" / "xmprun", "-n", "2", program, how, ABORT + BANNER, table + "no end")
    assert done.code in codes
    written = ABORT + BANNER + "[vm:1] [[1,0],0] ORTE_ERROR_LOG: mine\nno end of line"
    assert done.err.startswith(written) and done.out.replace("\r", "").rstrip("\n") == table + "no end"
    begin, *others, line = done.err.removeprefix(written).splitlines()
    assert begin == "" or begin.startswith("Abort(5) on node 1"), done  # the line that had no end has one now
    assert re.fullmatch(last, line), done
    others = [one for one in others if one and not one.startswith("Abort(5) on node 1")]  # which the rank itself writes
    assert others == [], done


def test_an_xmp_programs_error_stands_last_but_for_one_line(build, places, family):
    done = run(build / "bin" / "xmprun", "-n", "2", places / f"wrong {family}", "-1")
    assert done.code == 1 and done.err.startswith("kumihimo: error: dimension 1 of template t has no elements")
    lines = done.err.splitlines()
    lines = [line for line in lines if line != "at exit"]  # which MPICH sometimes lets happen
    assert lines[1].startswith("  at wrong.c:11: ") and len(lines) == 5 and lines[4].startswith("xmprun: "), done


def test_what_a_program_writes_at_its_exit_is_written(build, places):
    """MPICH's abort calls exit(): there the program has the standard error that the abort itself had not."""
    if "mpich" not in families(build):
        pytest.skip("this build has no mpich")
    done = run(build / "bin" / "xmprun", "-n", "1", places / "wrong mpich", "-1")
    assert done.err.splitlines()[-2] == "at exit" and "Abort(" not in done.err, done


def test_verbose_shows_the_launcher(build, places, family):
    done = run(build / "bin" / "xmprun", "--verbose", "-n", "2", places / f"ending {family}", "kill", "", "")
    assert done.code in (137, 9) and done.err.startswith("xmprun: ") and " -n 2 " in done.err.splitlines()[0]
    assert "exited on signal 9" in done.err or "BAD TERMINATION" in done.out


def test_a_launcher_that_cannot_start_anything_says_why(build, family):
    done = run(build / "bin" / "xmprun", f"--mpi={family}", "-n", "2", "--no-such-option-of-any-launcher", "/bin/true")
    assert done.code != 0 and "no-such-option" in done.err + done.out


def test_output_comes_at_once(build, family):
    """A line without an end, as of a prompt, before the program goes on: it waits for an answer."""
    script = "printf 'a question? ' >&2; read answer; echo you said $answer >&2; exit 4"
    words = [build / "bin" / "xmprun", f"--mpi={family}", "-n", "1", "sh", "-c", script]
    with subprocess.Popen(words, env=CLEAN, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        asked = b""
        while not asked.endswith(b"? "):
            asked += os.read(process.stderr.fileno(), 100)
        process.stdin.write(b"yes\n")
        process.stdin.flush()  # and stays open: Hydra complains of an input that ends while the program does
        assert process.stderr.read().decode().splitlines()[0] == "you said yes"
        assert process.wait(timeout=60) == 4


def test_options_for_output_are_the_launchers(build, places):
    if "openmpi" not in families(build):
        pytest.skip("this build has no openmpi")
    done = run(build / "bin" / "xmprun", "--tag-output", "-n", "2", places / "ending openmpi", "0", "x\n", "")
    assert "[1,0]<stderr>:x" in done.err


def test_no_launcher_outlives_xmprun(build, family, tmp_path):
    fifo = tmp_path / "numbers"
    os.mkfifo(fifo)
    words = [build / "bin" / "xmprun", f"--mpi={family}", "-n", "1", "sh", "-c", f"echo $PPID $$ >{fifo}; exec sleep 100"]
    process = subprocess.Popen(words, env=CLEAN, stdin=subprocess.DEVNULL)
    launcher, rank = map(int, fifo.read_text().split())
    process.kill()
    process.wait()
    assert wait_for(lambda: ended(launcher))
    if not ended(rank):  # what its launcher leaves behind is not ours
        os.kill(rank, signal.SIGKILL)


# ---- What launchers say, without running them ----


def fed(text, step):
    one = launcher_text.LauncherText("token")
    return one, "".join(one.feed(text[at : at + step]) for at in range(0, len(text), step)) + one.end()


@pytest.mark.parametrize("step", [1, 7, 10000])
def test_known_forms_are_kept_back_and_others_shown(step):
    for form in (ABORT, KILL, EXIT, BANNER):
        one, shown = fed(OTHER + form + "a line\n" + DASHES + "no end", step)
        assert shown == OTHER + "a line\n" + DASHES + "no end" and one.kept == form
    _, shown = fed("[vm:12] [[31812,0],0] ORTE_ERROR_LOG: x\n[vm:12] 1 more process has sent help message help.txt\n", step)
    assert shown == ""


@pytest.mark.parametrize("step", [1, 7, 10000])
def test_where_ranks_write_through_the_launcher_all_is_shown(step):
    one, shown = fed(f"a\ntoken\n{ABORT}b token\ntok", step)
    assert shown == f"a\n{ABORT}b tok" and one.kept == ""


@pytest.mark.parametrize("step", [1, 7, 10000])
def test_a_banner_is_kept_back_where_ranks_write_at_once(step):
    rule = 83 * "="
    one = launcher_text.SharedText()
    text = f"a table\n{rule}\n=   b\n{rule}\n\nquestion? "
    shown = "".join(one.feed(text[at : at + step]) for at in range(0, len(text), step))
    assert shown == text and one.kept == ""  # a prompt is not waited for
    text = BANNER + "late\n"
    shown += "".join(one.feed(text[at : at + step]) for at in range(0, len(text), step)) + one.end()
    assert shown == f"a table\n{rule}\n=   b\n{rule}\n\nquestion? \nlate\n" and one.kept == BANNER.removeprefix("\n")


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        (ABORT, 5, "rank 1 ended the job by MPI_Abort with exit code 5"),
        (KILL, 137, "rank 3 was ended by signal 9 (Killed)"),
        (EXIT, 3, "rank 2 ended with exit code 3"),
        (BANNER, 9, "rank 6 was ended by signal 9 (Killed), perhaps after another failed"),
        (banner(11, 11), 11, "rank 6 was ended by signal 11 (Segmentation fault)"),
        (banner(6, 6 | 9), 15, "rank 6 was ended by signal 6 (Aborted)"),
        (banner(9, 11 | 9), 11, "rank 6 was ended by signal 9 (Killed), perhaps after another failed"),
        (banner(8, 8 | 9), 9, "rank 6 ended with exit code or signal 8"),
        ("", 139, "a rank was ended by signal 11 (Segmentation fault)"),
        ("", 7, "the program ended with exit code 7"),
    ],
)
def test_what_ended(text, code, expected):
    told = launcher_text.ending(text, {77: 6})
    assert launcher_text.statement(told, code) == expected
