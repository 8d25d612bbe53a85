"""What `make uninstall` leaves: all that was there before, and nothing else."""

import pathlib

import pytest
from command_support import run, succeed

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tree(directory):
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*"))


@pytest.fixture
def stage(build, tmp_path):
    """Installs with a DESTDIR; a Makefile's `install` builds first, so this is what it does after that."""

    class Stage:
        root = tmp_path / "stage"
        destination = {"DESTDIR": str(root)}

        def install(self, prefix):
            succeed("cmake", "--install", build, "--prefix", prefix, env=self.destination)

        def uninstall(self, prefix):
            return run("make", "-s", "-C", ROOT, "uninstall", f"DESTDIR={self.root}", f"PREFIX={prefix}")

    Stage.root.mkdir()
    return Stage()


def test_leaves_nothing(stage):
    stage.install("/opt/tools/kumihimo")
    assert (stage.root / "opt/tools/kumihimo/bin/xmpcc").exists()
    done = stage.uninstall("/opt/tools/kumihimo")
    assert done.code == 0 and f"from {stage.root}/opt/tools/kumihimo" in done.out
    assert tree(stage.root) == []


def test_leaves_what_was_there_and_what_others_put_there(stage):
    """Directories that stood before stay, after two installations as well; so does a user's file in one of ours."""
    prefix = stage.root / "usr" / "local"
    (prefix / "share" / "man" / "man1").mkdir(parents=True)
    (prefix / "bin").mkdir()
    (prefix / "bin" / "other").write_text("")
    before = tree(stage.root)
    stage.install("/usr/local")
    stage.install("/usr/local")
    (prefix / "lib" / "kumihimo" / "rules").write_text("")
    assert stage.uninstall("/usr/local").code == 0
    mine = ["usr/local/lib", "usr/local/lib/kumihimo", "usr/local/lib/kumihimo/rules"]
    assert tree(stage.root) == sorted(before + mine)


def test_files_of_an_earlier_version_go_too(stage):
    """The list keeps what an earlier installation put there and the later one did not."""
    stage.install("/usr/local")
    home = stage.root / "usr" / "local" / "lib" / "kumihimo"
    (home / "old.so").write_text("")
    with open(home / "manifest.txt", "a") as manifest:
        manifest.write("lib/kumihimo/old.so\nlib/kumihimo/gone.so\n")
    stage.install("/usr/local")
    listed = (home / "manifest.txt").read_text().splitlines()
    assert "lib/kumihimo/old.so" in listed and "lib/kumihimo/gone.so" not in listed
    assert stage.uninstall("/usr/local").code == 0
    assert tree(stage.root) == []


def test_make_install_takes_the_same_places():
    """`make install` itself builds first; here it only says what it would do."""
    words = succeed("make", "-n", "-C", ROOT, "install", "BUILD=build", "DESTDIR=/stage", "PREFIX=/opt/kumihimo").out
    assert 'DESTDIR="/stage" cmake --install build --prefix /opt/kumihimo\n' in words


def test_without_an_installation(stage):
    done = stage.uninstall("/usr/local")
    assert done.code != 0 and "make uninstall PREFIX=DIRECTORY" in done.err
