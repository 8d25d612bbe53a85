"""tools/release, in a clone of this checkout: what it makes, what it refuses, and that the version has one place."""

import os
import pathlib
import re
import shutil
import tarfile

import pytest
from command_support import run, succeed
from kumihimo import configuration
from long_form import LONG_FORM

ROOT = pathlib.Path(__file__).resolve().parents[2]
WHO = {f"GIT_{role}_{part}": "somebody" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
VERSION = "987.6.5"
SECTION = f"\n## [{VERSION}] - 2031-02-03\n\n### Added\n- Everything.\n\n## [0.0.1] - 2001-01-01\n\n- Nothing.\n"


@pytest.fixture
def clone(tmp_path):
    """A clone whose CHANGELOG.md has a section for VERSION; the tools are this checkout's, committed or not."""
    if not (ROOT / ".git").exists():
        pytest.skip("sources without git")
    directory = tmp_path / "clone"
    succeed("git", "clone", "--quiet", ROOT, directory)
    shutil.copytree(ROOT / "tools", directory / "tools", dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    with open(directory / "CHANGELOG.md", "a", encoding="utf-8") as changes:
        changes.write(SECTION)
    commit(directory)
    return directory


def commit(directory):
    succeed("git", "-C", directory, "add", "--all")
    succeed("git", "-C", directory, "commit", "--quiet", "--message", "changes", env=WHO)


def release(clone, *words):
    return run(clone / "tools" / "release", *words, cwd=clone.parent, env=WHO)


def state(clone):
    return [succeed("git", "-C", clone, *words.split()).out for words in ("rev-parse HEAD", "tag", "status --porcelain")]


def test_a_release(clone):
    assert release(clone, VERSION).code == 0
    assert succeed(clone / "tools" / "version").out == f"{VERSION}\n"
    assert state(clone)[1:] == [f"v{VERSION}\n", ""]
    message = succeed("git", "-C", clone, "tag", "--list", "--format=%(contents)", f"v{VERSION}").out
    assert "### Added\n- Everything." in message and "Nothing" not in message
    tarball = clone.parent / f"kumihimo-{VERSION}.tar.gz"
    succeed("sha256sum", "--check", f"{tarball.name}.sha256", cwd=tarball.parent)
    with tarfile.open(tarball) as archive:
        names = set(archive.getnames())
        tracked = succeed("git", "-C", clone, "ls-files").out.split("\n")
        assert {f"kumihimo-{VERSION}/{name}" for name in tracked if name} <= names
        text = archive.extractfile(f"kumihimo-{VERSION}/CMakeLists.txt").read().decode()
        assert f"project(kumihimo VERSION {VERSION} " in text
        assert len({member.mtime for member in archive.getmembers()}) == 1


def test_the_same_tarball_again(clone, tmp_path):
    """Made from the tag, in another clone, in another directory."""
    assert release(clone, VERSION).code == 0
    first = (clone.parent / f"kumihimo-{VERSION}.tar.gz").read_bytes()
    again = tmp_path / "again"
    succeed("git", "clone", "--quiet", clone, again)
    source = f"""import pathlib, runpy
here = pathlib.Path(".")
runpy.run_path("tools/release")["write_tarball"](here, "{VERSION}", here / "out")"""
    succeed("python3", "-c", source, cwd=again)
    assert (again / "out" / f"kumihimo-{VERSION}.tar.gz").read_bytes() == first


def test_dry_run_changes_nothing(clone, tmp_path):
    before = state(clone)
    done = release(clone, VERSION, "--dry-run", "--output", tmp_path / "out")
    assert done.code == 0, done
    assert state(clone) == before
    assert sorted(os.listdir(tmp_path / "out")) == [f"kumihimo-{VERSION}.tar.gz", f"kumihimo-{VERSION}.tar.gz.sha256"]


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_refusals(clone, dry):
    before = state(clone)
    refusals = {"1.2": "is no version", "987.6.4": "CHANGELOG.md has no section '## [987.6.4]"}
    for version, reason in refusals.items():
        done = release(clone, version, *dry)
        assert done.code == 1 and reason in done.err
    (clone / "more").write_text("")
    done = release(clone, VERSION, *dry)
    assert done.code == 1 and "not clean" in done.err and "more" in done.err
    (clone / "more").unlink()
    succeed("git", "-C", clone, "tag", "v1000.0.0")
    done = release(clone, VERSION, *dry)
    assert done.code == 1 and "v1000.0.0 is there already" in done.err
    succeed("git", "-C", clone, "tag", "--delete", "v1000.0.0")
    assert state(clone) == before and not list(clone.parent.glob("*.tar.gz"))


@pytest.mark.timeout(3600)
def test_the_tarball_builds_without_git_and_network(clone):
    """The build itself in the long form; else only its configuration for one family: there something might be fetched."""
    alone = ["unshare", "--net", "--map-root-user"]
    if not shutil.which("unshare") or run(*alone, "true").code != 0:
        pytest.skip("unshare --net is not allowed here")
    assert release(clone, VERSION).code == 0
    place = clone.parent / "unpacked"
    place.mkdir()
    succeed("tar", "-xf", clone.parent / f"kumihimo-{VERSION}.tar.gz", "-C", place)
    (place / "git").write_text(f'#!/bin/sh\necho git "$@" >> {place}/calls\nexit 1\n')
    (place / "git").chmod(0o755)
    alone = [*alone, "env", f"PATH={place}:{os.environ['PATH']}"]
    source, build = place / f"kumihimo-{VERSION}", place / "build"
    few = [] if LONG_FORM else [f"-DKUMIHIMO_KNOWN_FAMILIES={configuration.DEFAULT_FAMILY}"]
    succeed(*alone, "cmake", "-S", source, "-B", build, *few)
    if LONG_FORM:
        done = run(*alone, "cmake", "--build", build, "--parallel", timeout=3000)
        assert done.code == 0 and f"(Kumihimo) {VERSION}," in succeed(build / "bin" / "xmpcc", "--version").out
    assert not (place / "calls").exists()


def test_the_version_has_one_place():
    """Nothing but CMakeLists.txt and the history says which version this is."""
    version = succeed(ROOT / "tools" / "version").out.strip()
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    if not (ROOT / ".git").exists():
        pytest.skip("sources without git")
    found = run("git", "-C", ROOT, "grep", "--files-with-matches", "--word-regexp", "--fixed-strings", version).out.split()
    assert [name for name in found if name not in ("CMakeLists.txt", "CHANGELOG.md", "tools/requirements.txt")] == []


def test_what_is_installed_has_the_version(prefix):
    version = succeed(ROOT / "tools" / "version").out.strip()
    path = {"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    assert succeed("pkg-config", "--modversion", "kumihimo", env=path).out.strip() == version
    assert f"(Kumihimo) {version}," in succeed(prefix / "bin" / "xmpcc", "--version").out
