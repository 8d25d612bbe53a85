"""An installation that is moved: commands, plain compilers through pkg-config, the CMake package; nothing of libxmp-dev's."""

import json
import os
import re

import pytest
from command_support import XMP_PROGRAM, families, succeed


@pytest.fixture(scope="module")
def prefix(build, tmp_path_factory):
    """The build, installed in one place and moved to another."""
    place = tmp_path_factory.mktemp("install")
    succeed("cmake", "--install", build, "--prefix", place / "first")
    (place / "first").rename(place / "second")
    return place / "second"


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
