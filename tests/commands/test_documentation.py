"""Manual pages and completions, made of the parsers: every page passes its linters, every shell completes."""

import shutil
import subprocess

import pytest
from command_support import succeed

COMPLETIONS = [
    ("kumihimo ", {"info", "doctor", "files", "bench", "help"}),
    ("kumihimo files rec", {"recover"}),
    ("kumihimo help bench c", {"compare"}),
    ("kumihimo doctor --js", {"--json"}),
    ("kumihimo files run --mpi=open", {"openmpi"}),
    ("kumihimo bench show x.json --format=cs", {"csv"}),
    ("xmpcc --coindex-base=", {"0", "1"}),
    ("xmprun --launcher=sr", {"srun"}),
]
BASH = """
. "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
$(complete -p "$1" | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
printf '%s\\n' "${COMPREPLY[@]}"
"""
ZSH = """
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=($1 \\$fpath); autoload -U compinit; compinit -D -u; PS1=; bindkey '^I' complete-word; echo REA''DY"
zpty -r shell out '*READY*'
zpty -w -n shell "$2"$'\\t'
zpty -r shell out "*$3*" && print -r -- "$3"
"""


@pytest.fixture(scope="module")
def share(build):
    return build / "share"


def pages(share):
    found = sorted((share / "man" / "man1").glob("*.1"))
    assert {"xmpcc.1", "xmpf90.1", "xmprun.1", "kumihimo.1", "kumihimo-files-run.1"} <= {page.name for page in found}
    return found


def test_every_command_has_a_page_that_says_what_its_help_says(build, share):
    names = {page.stem for page in pages(share)}
    for group in ("", "files", "bench"):
        listed = succeed(build / "bin" / "kumihimo", *group.split(), "--help").out
        commands = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line.split()[0] != "help"]
        assert {"-".join(["kumihimo", *group.split(), command]) for command in commands} <= names and commands
    page = (share / "man" / "man1" / "kumihimo-files-recover.1").read_text()
    assert "\\-\\-journals=DIRECTORY" in page and "writes into the file what journals hold" in page


@pytest.mark.parametrize("linter", ["mandoc -T lint -W warning", "groff -man -ww -Tutf8 -z"])
def test_manual_pages_pass_their_linters(share, linter):
    if not shutil.which(linter.split()[0]):
        pytest.skip(f"needs {linter.split()[0]}")
    for page in pages(share):
        done = subprocess.run([*linter.split(), page], capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stdout + done.stderr) == (0, ""), page


@pytest.mark.parametrize(("line", "expected"), COMPLETIONS)
def test_bash_completes(share, line, expected):
    words = line.replace("=", " = ").split(" ")
    file = share / "bash-completion" / "completions" / words[0]
    found = set(succeed("bash", "--norc", "-c", BASH, "bash", file, *words).out.split())
    assert expected <= found and all(one.startswith(words[-1]) for one in found), found


@pytest.mark.parametrize(("line", "expected"), COMPLETIONS)
def test_fish_completes(share, line, expected, tmp_path):
    if not shutil.which("fish"):
        pytest.skip("needs fish")
    file = share / "fish" / "vendor_completions.d" / f"{line.split()[0]}.fish"
    script = 'source "$argv[1]"; complete -C "$argv[2]"'
    told = succeed("fish", "--no-config", "-c", script, file, line, env={"HOME": str(tmp_path)}).out
    found = {one.split("\t")[0].rpartition("=")[2] for one in told.splitlines()}
    assert expected <= found, told


@pytest.mark.parametrize(("line", "expected"), COMPLETIONS)
def test_zsh_completes(share, line, expected):
    if not shutil.which("zsh"):
        pytest.skip("needs zsh")
    for word in expected if len(expected) == 1 else ():
        assert succeed("zsh", "-f", "-c", ZSH, "zsh", share / "zsh" / "site-functions", line, word).out == f"{word}\n"
    for file in (share / "zsh" / "site-functions").iterdir():
        succeed("zsh", "-f", "-n", file)


def test_options_that_take_no_operand_of_their_own_leave_the_next_word_alone(share):
    """--io[=RULES] of xmprun: what follows is a program, for which bash completes files."""
    file = share / "bash-completion" / "completions" / "xmprun"
    assert succeed("bash", "--norc", "-c", BASH, "bash", file, "xmprun", "--io", "").out == "\n"
