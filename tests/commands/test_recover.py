"""kumihimo files recover: the command. What it finds in journals is proved in tests/iod/recover."""

from command_support import run, succeed


def recover(build, *words, code=0):
    done = run(build / "bin" / "kumihimo", "files", "recover", *words)
    assert done.code == code, done
    return done


def test_a_complete_file(build, tmp_path):
    (tmp_path / "a.nc").write_bytes(b"data")
    assert "nothing was left" in recover(build, tmp_path / "a.nc", "--journals", tmp_path).out
    assert "nothing was left" in recover(build, tmp_path / "a.nc", "--replay").out


def test_a_marker_is_told_and_discarded(build, tmp_path):
    file, marker = tmp_path / "a.nc", tmp_path / ".a.nc.kumihimo-incomplete-1"
    file.write_bytes(b"data")
    marker.touch()
    told = recover(build, file, code=1).out
    assert "is incomplete" in told and str(marker) in told and "Nothing was changed" in told
    assert marker.exists()
    recover(build, "--discard", file)
    assert not marker.exists() and file.read_bytes() == b"data"


def test_what_is_no_journal_is_told_and_kept(build, tmp_path):
    file, strange = tmp_path / "a.nc", tmp_path / "kumihimo-journal-1-0"
    strange.write_bytes(b"something else")
    (tmp_path / ".a.nc.kumihimo-incomplete-0").touch()
    assert "is no journal" in recover(build, file, f"--journals={tmp_path}", code=1).out
    recover(build, file, "--discard", "--journals", tmp_path)
    assert strange.exists()


def test_wrong_command_lines(build, tmp_path):
    assert "which file" in recover(build, code=2).err
    assert "not both" in recover(build, "f", "--replay", "--discard", code=2).err
    assert "unknown option" in recover(build, "f", "--force", code=2).err
    assert "recover FILE" in succeed(build / "bin" / "kumihimo", "files", "--help").out
