"""The habits of all commands: help, versions, mistakes, and what `kumihimo` says of its own commands."""

import json

import pytest
from command_support import run, succeed

LEAVES = ["info", "doctor", "files run", "files advise", "files recover"]
LEAVES += [f"bench {name}" for name in ("list", "run", "show", "record", "compare", "report")]
GROUPS = ["", "files", "bench"]


@pytest.fixture
def kumihimo(build):
    return build / "bin" / "kumihimo"


@pytest.mark.parametrize("words", [*LEAVES, *GROUPS])
def test_help_that_was_asked_for(kumihimo, words):
    """On standard output, the same in all ways of asking."""
    *above, last = words.split() or [""]
    asked = [[*words.split(), "--help"], [*words.split(), "-h"], ["help", *words.split()], [*above, "help", *last.split()]]
    told = {succeed(kumihimo, *one).out for one in asked}
    assert len(told) == 1 and told.pop().startswith(" ".join(["usage: kumihimo", *words.split()]))


@pytest.mark.parametrize("words", [*LEAVES, *GROUPS])
def test_versions(kumihimo, words):
    assert succeed(kumihimo, *words.split(), "--version").out.startswith("kumihimo (Kumihimo) ")


@pytest.mark.parametrize("words", LEAVES)
def test_options_that_nobody_knows(kumihimo, words):
    done = run(kumihimo, *words.split(), "--hlep", "x", "y")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"kumihimo {words}: unknown option '--hlep'; did you mean '--help'? (kumihimo {words} --help)\n"


@pytest.mark.parametrize("words", GROUPS)
def test_no_command_at_all(kumihimo, words):
    done = run(kumihimo, *words.split())
    assert (done.code, done.out) == (2, "") and done.err.startswith("usage: kumihimo")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("dcotor", "kumihimo: unknown command 'dcotor'; did you mean 'doctor'? (kumihimo --help)"),
        ("files advice", "kumihimo files: unknown command 'advice'; did you mean 'advise'? (kumihimo files --help)"),
        ("bench hlep", "kumihimo bench: unknown command 'hlep'; did you mean 'help'? (kumihimo bench --help)"),
        ("help bench recrod", "kumihimo bench: unknown command 'recrod'; did you mean 'record'? (kumihimo bench --help)"),
        ("zzz", "kumihimo: unknown command 'zzz' (kumihimo --help)"),
        ("--verison", "kumihimo: unknown option '--verison'; did you mean '--version'? (kumihimo --help)"),
        ("info --jsno", "kumihimo info: unknown option '--jsno'; did you mean '--json'? (kumihimo info --help)"),
        ("info all", "kumihimo info: one operand too many: 'all' (kumihimo info --help)"),
        ("info --json=1", "kumihimo info: --json takes no operand (kumihimo info --help)"),
        ("info -- --json", "kumihimo info: one operand too many: '--json' (kumihimo info --help)"),
        ("help info x", "kumihimo info: has no commands of its own: 'x' (kumihimo info --help)"),
        ("bench show", "kumihimo bench show: missing: RESULT (kumihimo bench show --help)"),
        ("bench show x --format", "kumihimo bench show: missing operand after '--format' (kumihimo bench show --help)"),
    ],
)
def test_mistakes_are_told_in_one_line(kumihimo, words, message):
    done = run(kumihimo, *words.split())
    assert (done.code, done.out, done.err) == (2, "", message + "\n")


def test_operations_and_records_as_json(kumihimo, tmp_path):
    database = tmp_path / "a database"
    listed = json.loads(succeed(kumihimo, "bench", "list", "--json", "--database", database).out)
    told = succeed(kumihimo, "bench", "list", "--database", database).out
    assert listed["schema"] == 1 and listed["database"] == str(database)
    assert {"name": "Bcast", "group": "collective"}.items() <= next(
        one for one in listed["operations"] if one["name"] == "Bcast"
    ).items()
    assert all(f"  {one['name']} " in told and one["help"] in told for one in listed["operations"])
    assert listed["records"] and all(f"  {one['name']}:" in told and one["key"]["ranks"] for one in listed["records"])
    unusable = succeed(kumihimo, "bench", "list", "--json", "--database", "/dev/null/x").out
    assert json.loads(unusable)["database"] is None


@pytest.mark.parametrize(("place", "message"), [("missing/report.html", "there is no directory missing"), (".", "a directory")])
def test_a_report_that_has_no_place(kumihimo, tmp_path, place, message):
    record = json.loads(succeed(kumihimo, "bench", "list", "--json", "--database", tmp_path / "db").out)["records"][0]["name"]
    done = run(kumihimo, "bench", "report", record, "--database", tmp_path / "db", "-o", place, cwd=tmp_path)
    assert (done.code, done.out) == (2, "") and f"--output {place}" in done.err and message in done.err
