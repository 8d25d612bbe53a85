"""kumihimo files recover: the command. What it finds in journals is proved in tests/iod/recover."""

import fcntl

from command_support import run, succeed


def mark_of(file, server=0, opening=0):
    """The name of a mark that a crash leaves of a file."""
    return file.parent / f".{file.name}.kumihimo-incomplete-{server}-{file.stat().st_ino:x}-{opening:032x}"


def recover(build, *words, code=0):
    done = run(build / "bin" / "kumihimo", "files", "recover", *words)
    assert done.code == code, done
    return done


def test_a_complete_file(build, tmp_path):
    (tmp_path / "a.nc").write_bytes(b"data")
    assert "nothing was left" in recover(build, tmp_path / "a.nc", "--journals", tmp_path).out
    assert "nothing was left" in recover(build, tmp_path / "a.nc", "--replay").out


def test_a_marker_is_told_and_discarded(build, tmp_path):
    file = tmp_path / "a.nc"
    file.write_bytes(b"data")
    marker = mark_of(file, server=1)
    marker.touch()
    told = recover(build, file, code=1).out
    assert "is incomplete" in told and str(marker) in told and "Nothing was changed" in told
    assert marker.exists()
    recover(build, "--discard", file)
    assert not marker.exists() and file.read_bytes() == b"data"


def test_what_a_living_writer_needs_is_kept(build, tmp_path):
    file = tmp_path / "a.nc"
    file.write_bytes(b"data")
    living, left = mark_of(file, opening=1), mark_of(file, opening=2)
    living.write_text("written by I/O process 1234 on host x\n")
    with open(living) as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        told = recover(build, file, code=1).out
        assert "in use by I/O process 1234 on host x, since 2" in told and "is being written" in told
        assert "--replay" not in told, "nothing is left of a crash"
        left.touch()
        assert "is incomplete" in recover(build, file, code=1).out
        assert "nothing was changed" in recover(build, file, "--replay", code=1).out and left.exists()
        assert "has in use" in recover(build, file, "--discard", code=1).out
        assert living.exists() and not left.exists()
    recover(build, file, "--discard")
    assert not living.exists()


def test_by_any_name_of_the_file(build, tmp_path):
    file, link, renamed = tmp_path / "a.nc", tmp_path / "elsewhere" / "link", tmp_path / ("long" * 60)
    file.write_bytes(b"data")
    link.parent.mkdir()
    link.symlink_to(file)
    mark_of(file).touch()
    assert "is incomplete" in recover(build, link, code=1).out
    file.rename(renamed)
    assert "is incomplete" in recover(build, renamed, code=1).out
    recover(build, renamed, "--discard")
    assert list(tmp_path.glob(".*")) == []


def test_what_is_no_journal_is_told_and_kept(build, tmp_path):
    file, strange = tmp_path / "a.nc", tmp_path / "kumihimo-journal-1-0"
    strange.write_bytes(b"something else")
    file.touch()
    mark_of(file).touch()
    assert "is no journal" in recover(build, file, f"--journals={tmp_path}", code=1).out
    recover(build, file, "--discard", "--journals", tmp_path)
    assert strange.exists()


def test_what_is_not_there_is_no_complete_file(build, tmp_path):
    for action in ([], ["--replay"], ["--discard"]):
        assert "there is no file" in recover(build, tmp_path / "a.cn", *action, code=2).err
        assert "is a directory" in recover(build, tmp_path, *action, code=2).err
    (tmp_path / "a.nc").touch()
    assert "no such directory" in recover(build, tmp_path / "a.nc", "--journals", tmp_path / "nowhere", code=2).err


def test_wrong_command_lines(build, tmp_path):
    assert "which file" in recover(build, code=2).err
    assert "not both" in recover(build, "f", "--replay", "--discard", code=2).err
    assert "unknown option" in recover(build, "f", "--force", code=2).err
    assert "--journals=DIRECTORY" in succeed(build / "bin" / "kumihimo", "files", "recover", "--help").out
