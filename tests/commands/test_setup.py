"""tools/setup decides what is missing; here apt, dpkg and id are stand-ins, so that nothing is installed."""

import pathlib
import shutil

import pytest
from command_support import run, succeed

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def machine(tmp_path):
    """Runs a copy of the script on a machine where dpkg-query says what the file `installed` says."""
    (tmp_path / "project" / "tools").mkdir(parents=True)
    for name in ("setup", "pnetcdf", "requirements.txt"):
        shutil.copy(ROOT / "tools" / name, tmp_path / "project" / "tools" / name)
    (tmp_path / "bin").mkdir()
    commands = {
        "dpkg-query": f'cat "{tmp_path}/installed"; exit ${{FAKE_QUERY:-1}}',
        "mpicc.mpich": "exit 1",
        "id": "echo ${FAKE_ID:-0}",
        "apt-get": f'echo "apt-get $*" >> "{tmp_path}/calls"; exit ${{FAKE_APT:-0}}',
        "apt-cache": "exit ${FAKE_LISTS:-0}",
    }
    for name, text in commands.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "installed").write_text("")

    def setup(*parts, **environment):
        path = f"{tmp_path}/bin:/usr/bin:/bin"
        done = run(tmp_path / "project" / "tools" / "setup", *parts, env={"PATH": path, **environment})
        calls = tmp_path / "calls"
        return done, calls.read_text().splitlines() if calls.exists() else []

    setup.project = tmp_path / "project"
    setup.installed = tmp_path / "installed"
    return setup


def packages():
    text = (ROOT / "tools" / "setup").read_text()
    return text[text.index('packages="') + 10 :].split('"')[0].split()


def test_nothing_missing_nothing_done(machine):
    machine.installed.write_text("".join(f"ii {name}\n" for name in packages()))
    done, calls = machine("packages")
    assert (done.code, done.out, done.err, calls) == (0, "", "", [])


def test_installs_what_is_missing_and_says_so(machine):
    machine.installed.write_text("".join(f"ii {name}\n" for name in packages() if name not in ("mpich", "cmake")))
    done, calls = machine("packages")
    assert done.code == 0 and "installing Debian packages: cmake mpich" in done.out
    assert len(calls) == 1 and calls[0].endswith("cmake mpich")


def test_half_installed_packages_are_missing(machine):
    machine.installed.write_text("".join(f"{'rc' if name == 'mpich' else 'ii'} {name}\n" for name in packages()))
    done, calls = machine("packages")
    assert done.code == 0 and calls[0].endswith(" mpich")


def test_reads_the_package_lists_where_they_are_missing(machine):
    done, calls = machine("packages", FAKE_LISTS="100")
    assert done.code == 0 and calls[0].startswith("apt-get update") and calls[1].startswith("apt-get install")


def test_without_root_prints_the_one_command(machine):
    machine.installed.write_text("".join(f"ii {name}\n" for name in packages() if name != "mpich"))
    done, calls = machine("packages", FAKE_ID="1000")
    command = "apt-get update && apt-get install -y --no-install-recommends mpich"
    assert done.code != 0 and calls == [] and command in done.err


def test_a_copied_virtual_environment_is_made_anew(machine):
    """Its commands name the place where it was made: pip would install into the original."""
    project = machine.project
    (project / "tools" / "requirements.txt").write_text("# no packages\n")
    commands = project / ".venv" / "bin"
    commands.mkdir(parents=True)
    (commands / "pip").write_text(f"#!/bin/sh\necho 'pip from {commands.parent}/lib/pip'\n")
    (commands / "pip").chmod(0o755)
    shutil.copy(project / "tools" / "requirements.txt", commands.parent / "installed-requirements.txt")
    done, _ = machine("python")
    assert (done.code, done.out) == (0, ""), done  # what is in place stays
    copy = project.with_name("copy")
    shutil.copytree(project, copy, symlinks=True)
    assert succeed(copy / "tools" / "setup", "python").out.startswith("setup: installing Python packages")
    assert f"{copy}/.venv/" in succeed(copy / ".venv" / "bin" / "pip", "--version").out
    assert succeed(copy / "tools" / "setup", "python").out == ""


def test_pnetcdf_is_optional(machine):
    """None without that for Open MPI; one of the same version stays; that sources cannot be had is told."""
    done, calls = machine("pnetcdf")
    assert (done.code, done.out, done.err, calls) == (0, "", "", [])
    machine.installed.write_text("ii autoconf\nii automake\nii libtool\n")
    done, calls = machine("pnetcdf", FAKE_QUERY="0", FAKE_APT="100")
    assert done.code == 0 and "building PnetCDF ii autoconf" in done.out and "xmpnc is built without MPICH" in done.err
    assert len(calls) == 1 and "Dir::State::Lists" in calls[0] and calls[0].endswith(" update")
    (machine.project / "build" / "pnetcdf-mpich").mkdir()
    (machine.project / "build" / "pnetcdf-mpich" / "version").write_text(machine.installed.read_text())
    done, _ = machine("pnetcdf", FAKE_QUERY="0")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_gasnet_is_built_of_a_given_tarball(machine):
    done, calls = machine("gasnet")
    assert (done.code, done.out, done.err, calls) == (0, "", "", [])
    (machine.project / "tools" / "gasnet").write_text('#!/bin/sh\necho "$2" >> built; [ -f "$1" ] && mkdir -p "$3"\n')
    (machine.project / "tools" / "gasnet").chmod(0o755)
    done, _ = machine("gasnet", GASNET_TARBALL="/nowhere.tar.gz")
    assert done.code != 0 and "failed: tools/gasnet /nowhere.tar.gz" in done.err
    tarball = machine.installed  # any file
    for again in ("building GASNet-EX for mpich", ""):
        done, _ = machine("gasnet", GASNET_TARBALL=str(tarball))
        assert done.code == 0 and again in done.out and bool(again) == bool(done.out), done


def test_unknown_part(machine):
    done, _ = machine("everything")
    assert done.code == 2 and "usage: tools/setup" in done.err
