"""An installation that is moved: commands, plain compilers through pkg-config, the CMake package; nothing of libxmp-dev's; and
that it is for others than who made it."""

import json
import os
import pathlib
import re
import shutil
import stat
import tempfile

import pytest
from command_support import XMP_PROGRAM, families, run, succeed


@pytest.fixture(scope="module")
def prefix(build, tmp_path_factory):
    """The build, installed in one place by somebody who lets nobody read his files, and moved to another."""
    place = pathlib.Path(tempfile.mkdtemp(prefix="kumihimo-install-"))  # pytest's are not for others
    place.chmod(0o755)
    succeed("sh", "-c", 'umask 077; exec cmake --install "$0" --prefix "$1"', build, place / "first")
    (place / "first").rename(place / "second")
    yield place / "second"
    shutil.rmtree(place)


@pytest.fixture(scope="module")
def translated(prefix, tmp_path_factory):
    """A directory with the translation of a program, for compilers that know no directives."""
    directory = tmp_path_factory.mktemp("translated")
    (directory / "sum.c").write_text(XMP_PROGRAM)
    succeed(prefix / "bin" / "xmpcc", "--save-temps", "-c", "sum.c", cwd=directory)
    return directory


def test_nothing_collides_with_libxmp(prefix):
    files = [os.path.relpath(os.path.join(path, name), prefix) for path, _, names in os.walk(prefix) for name in names]
    assert not [name for name in files if name in ("include/xmp.h", "lib/libxmp.so", "lib/pkgconfig/libxmp.pc")]
    ours = re.compile(r"bin/(xmpcc|xmpf90|xmprun|kumihimo)$|(include|lib|lib/cmake)/kumihimo/|lib/pkgconfig/kumihimo")
    outside = [name for name in files if not ours.match(name)]
    assert outside == []
    assert any(name.endswith(".pyc") for name in files)


def test_commands(prefix, tmp_path):
    (tmp_path / "sum.c").write_text(XMP_PROGRAM)
    for family in families(prefix):
        succeed(prefix / "bin" / "xmpcc", f"--mpi={family}", "sum.c", "-o", "sum", cwd=tmp_path)
        assert succeed(prefix / "bin" / "xmprun", "-n", "2", "./sum", cwd=tmp_path).out == "sum 342 on 2 nodes\n"
    report = json.loads(succeed(prefix / "bin" / "kumihimo", "info", "--json").out)
    assert report["libraries"] == str(prefix / "lib" / "kumihimo")
    assert "KUMIHIMO_LOG" in [entry["name"] for entry in report["settings"]]


def test_others_may_use_it(prefix):
    entries = [prefix, *prefix.rglob("*")]
    wanted = {True: stat.S_IROTH | stat.S_IXOTH, False: stat.S_IROTH}
    private = [entry for entry in entries if wanted[entry.is_dir()] & ~entry.stat().st_mode]
    assert private == []
    for command in (prefix / "bin").iterdir():
        assert command.stat().st_mode & stat.S_IXOTH


def test_no_path_of_who_built_it(prefix, build):
    """Libraries have them in what debuggers read; nothing else has."""
    cache = (build / "CMakeCache.txt").read_text()
    source = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache, re.M).group(1)
    python = re.search(r"^_?Python3_EXECUTABLE:\w+=(.*)$", cache, re.M).group(1)
    ours = [str(build), source + "/"] + ([python, os.path.realpath(python)] if not python.startswith("/usr/bin/") else [])
    texts = {path: path.read_bytes() for path in prefix.rglob("*") if path.is_file()}
    found = [
        (str(path), word)
        for path, text in texts.items()
        if not text.startswith((b"\x7fELF", b"!<arch>"))
        for word in ours
        if word.encode() in text
    ]
    assert found == []


@pytest.mark.parametrize("place", ["/usr/bin/python3", ""])
def test_another_user_with_another_python(prefix, place, tmp_path):
    """Commands run by `nobody`, who has Debian's python3 only, or none in PATH."""
    if os.getuid() != 0 or not shutil.which("setpriv") or not os.path.exists("/usr/bin/python3"):
        pytest.skip("needs root, setpriv and /usr/bin/python3")
    with tempfile.TemporaryDirectory() as home:
        os.chmod(home, 0o777)
        bin_directory = pathlib.Path(home) / "bin"
        bin_directory.mkdir()
        for name in ("sh", "gcc", "as", "ld") + (("python3",) if place else ()):
            (bin_directory / name).symlink_to(shutil.which(name, path="/usr/bin:/bin"))
        os.chmod(bin_directory, 0o755)
        (pathlib.Path(home) / "sum.c").write_text(XMP_PROGRAM)
        as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        environment = {"PATH": str(bin_directory), "HOME": home, "TMPDIR": home}
        setpriv, *words = as_nobody
        told = succeed(shutil.which(setpriv), *words, prefix / "bin" / "kumihimo", "info", "--json", cwd=home, env=environment)
        assert json.loads(told.out)["python"].startswith((str(bin_directory), "/usr/bin"))
        succeed(shutil.which(setpriv), *words, prefix / "bin" / "xmpcc", "sum.c", "-o", "sum", cwd=home, env=environment)
        assert os.stat(os.path.join(home, "sum")).st_uid == 65534


def test_an_old_python_is_told_of(prefix, tmp_path):
    old = tmp_path / "python3"
    old.write_text(
        "#!/bin/sh\nshift; exec /usr/bin/python3 -IS -c \"import sys; sys.version_info = (3, 6, 8); exec(open('$1').read())\"\n"
    )
    old.chmod(0o755)
    done = run(prefix / "bin" / "xmpcc", "--version", env={"PATH": f"{tmp_path}:/usr/bin:/bin"})
    assert done.code == 1 and "need Python 3.9 or later" in done.err and "3.6.8" in done.err


def test_pkg_config_with_the_plain_compiler(prefix, translated):
    environment = {"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    for name in ("kumihimo", *(f"kumihimo-{family}" for family in families(prefix))):
        command = f"gcc sum.xmp.c $(pkg-config --cflags --libs {name}) -o {name}"
        succeed("sh", "-c", command, cwd=translated, env=environment)
        assert succeed(prefix / "bin" / "xmprun", "-n", "2", translated / name).out == "sum 342 on 2 nodes\n"


def test_cmake_package(prefix, translated):
    targets = "\n".join(
        f"add_executable(sum-{family} sum.xmp.c)\ntarget_link_libraries(sum-{family} kumihimo::kumihimo_{family})"
        for family in families(prefix)
    )
    (translated / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(sum C)\nfind_package(kumihimo 0.1 REQUIRED)\n"
        f"{targets}\nadd_executable(sum sum.xmp.c)\ntarget_link_libraries(sum kumihimo::kumihimo)\n"
    )
    succeed("cmake", "-S", ".", "-B", "out", f"-DCMAKE_PREFIX_PATH={prefix}", cwd=translated)
    succeed("cmake", "--build", "out", "-j2", cwd=translated)
    for name in ("sum", *(f"sum-{family}" for family in families(prefix))):
        assert succeed(prefix / "bin" / "xmprun", "-n", "2", translated / "out" / name).out == "sum 342 on 2 nodes\n"
