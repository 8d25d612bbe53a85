"""An installation that is moved: commands, plain compilers through pkg-config, the CMake package; nothing of libxmp-dev's; and
that it is for others than who made it."""

import json
import os
import pathlib
import re
import shutil
import stat
import tempfile

import netCDF4
import pytest
from command_support import XMP_PROGRAM, families, run, succeed

ROOT = pathlib.Path(__file__).resolve().parents[2]


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
    commands = "(xmpcc|xmpf90|xmprun|kumihimo)"
    ours = re.compile(
        rf"bin/{commands}$|(include|lib|lib/cmake|share/doc)/kumihimo/|lib/pkgconfig/kumihimo|"
        rf"share/(man/man1|bash-completion/completions|zsh/site-functions|fish/vendor_completions.d)/_?{commands}\b"
    )
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


def test_a_family_whose_libraries_are_not_installed(prefix, tmp_path):
    """Packages may bring the families one by one: what is not there does not count, and the default is one that is."""
    report = json.loads(succeed(prefix / "bin" / "kumihimo", "info", "--json").out)
    others = [family for family in report["families"] if family != report["default_family"]]
    if not others:
        pytest.skip("this build has one MPI family")
    shutil.copytree(prefix, tmp_path / "part", ignore=shutil.ignore_patterns("*.pyc", report["default_family"]))
    part = json.loads(succeed(tmp_path / "part" / "bin" / "kumihimo", "info", "--json").out)
    assert list(part["families"]) == others and part["default_family"] == others[0]


def test_without_compilers(prefix, tmp_path):
    """Debian's package for compute nodes has no xmpcc: the doctor checks the rest."""
    shutil.copytree(prefix, tmp_path / "part", ignore=shutil.ignore_patterns("*.pyc", "xmpcc", "xmpf90"))
    report = json.loads(succeed(tmp_path / "part" / "bin" / "kumihimo", "doctor", "--json").out)
    found = {check["name"]: check for check in report["checks"]}
    assert report["healthy"] and "kumihimo-dev" in found["compilers"]["advice"]
    assert not [name for name in found if name.startswith(("compiler and", "a program"))]


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


def test_documents_and_examples(prefix, tmp_path):
    """Licence, documents and examples lie there as in the checkout, so that links hold; an example runs from there."""
    documents = prefix / "share" / "doc" / "kumihimo"
    assert (documents / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    broken = [
        f"{page.relative_to(documents)}: {target}"
        for page in documents.rglob("*.md")
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", re.sub(r"```.*?```", "", page.read_text(), flags=re.S))
        if (ROOT / page.relative_to(documents).parent / target).exists() and not (page.parent / target).exists()
    ]
    assert [link for link in broken if re.search(r": (docs|examples)/|\.md$", link)] == []
    hello = documents / "examples" / "hello" / "hello.c"
    succeed(prefix / "bin" / "xmpcc", hello, "-o", "hello", cwd=tmp_path)
    assert "2" in succeed(prefix / "bin" / "xmprun", "-n", "2", "./hello", cwd=tmp_path).out


def test_pkg_config_with_the_plain_compiler(prefix, translated):
    environment = {"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    for name in ("kumihimo", *(f"kumihimo-{family}" for family in families(prefix))):
        command = f"gcc sum.xmp.c $(pkg-config --cflags --libs {name}) -o {name}"
        succeed("sh", "-c", command, cwd=translated, env=environment)
        assert succeed(prefix / "bin" / "xmprun", "-n", "2", translated / name).out == "sum 342 on 2 nodes\n"


def test_mpi_programs_find_xmp_h_by_pkg_config(prefix, tmp_path):
    """As `<xmp.h>`, with the MPI's own compiler, though Debian's libxmp-dev has a header of that name."""
    (tmp_path / "main.c").write_text(
        "#include <mpi.h>\n#include <stdio.h>\n#include <xmp.h>\n"
        "int main(int argc, char **argv) {\n    MPI_Init(&argc, &argv);\n    xmp_init(MPI_COMM_WORLD);\n"
        '    if (xmpc_all_node_num() == 0) printf("%d\\n", xmp_all_num_nodes());\n'
        "    xmp_finalize();\n    return MPI_Finalize();\n}\n"
    )
    environment = {"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    for family in families(prefix):
        command = f"mpicc.{family} main.c $(pkg-config --cflags --libs kumihimo-{family}) -o {family}"
        succeed("sh", "-c", command, cwd=tmp_path, env=environment)
        assert succeed(prefix / "bin" / "xmprun", "-n", "2", tmp_path / family).out == "2\n"


def build_with_cmake(prefix, directory, find, programs, language="C"):
    """Builds programs, {name: (source, target to link)}, in a project that has nothing but find_package()."""
    lines = ["cmake_minimum_required(VERSION 3.16)", f"project(programs {language})", f"find_package({find})"]
    for name, (source, library) in programs.items():
        lines += [f"add_executable({name} {source})", f"target_link_libraries({name} {library})"]
    (directory / "CMakeLists.txt").write_text("\n".join(lines) + "\n")
    configured = run("cmake", "-S", ".", "-B", "out", f"-DCMAKE_PREFIX_PATH={prefix}", cwd=directory)
    if configured.code == 0:
        succeed("cmake", "--build", "out", "-j2", cwd=directory)
    return configured


def version():
    return succeed(ROOT / "tools" / "version").out.strip()


def test_cmake_package(prefix, translated):
    programs = {f"sum-{family}": ("sum.xmp.c", f"kumihimo::kumihimo_{family}") for family in families(prefix)}
    programs["sum"] = ("sum.xmp.c", "kumihimo::kumihimo")
    assert build_with_cmake(prefix, translated, f"kumihimo {version()} REQUIRED", programs).code == 0
    for name in programs:
        assert succeed(prefix / "bin" / "xmprun", "-n", "2", translated / "out" / name).out == "sum 342 on 2 nodes\n"


def test_serial_programs_with_pkg_config_and_cmake(prefix, tmp_path):
    """The source itself, directives and all, to compilers that ignore them."""
    (tmp_path / "sum.c").write_text(XMP_PROGRAM)
    command = "gcc sum.c $(pkg-config --cflags --libs kumihimo-serial) -o sum"
    succeed("sh", "-c", command, cwd=tmp_path, env={"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")})
    programs = {"sum": ("sum.c", "kumihimo::kumihimo_serial")}
    assert build_with_cmake(prefix, tmp_path, "kumihimo REQUIRED", programs).code == 0
    for program in (tmp_path / "sum", tmp_path / "out" / "sum"):
        assert succeed(program).out == "sum 342 on 1 nodes\n"


COARRAY_PROGRAM = """
program images
  implicit none
  integer, save :: mine[*]
  mine = this_image()
  sync all
  if (mine == num_images()) print '(i0, a)', mine, ' images'
end program
"""


def test_coarrays_with_the_plain_compiler_and_cmake(prefix, tmp_path):
    having = [family for family, found in families(prefix).items() if "libkumihimo_caf.so" in found["libraries"]]
    if not having:
        pytest.skip("this build found no gfortran")
    (tmp_path / "images.f90").write_text(COARRAY_PROGRAM)
    environment = {"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    for family in having:
        command = f"gfortran images.f90 $(pkg-config --cflags --libs kumihimo-caf-{family}) -o {family}"
        succeed("sh", "-c", command, cwd=tmp_path, env=environment)
    programs = {f"images-{family}": ("images.f90", f"kumihimo::caf_{family}") for family in having}
    programs["images"] = ("images.f90", "kumihimo::caf")
    assert build_with_cmake(prefix, tmp_path, "kumihimo REQUIRED", programs, "Fortran").code == 0
    for program in [*having, *(f"out/{name}" for name in programs)]:
        assert succeed(prefix / "bin" / "xmprun", "-n", "2", tmp_path / program).out == "2 images\n"


# Writes x[i] = i * i as the variable x of the file that is its argument.
NETCDF_PROGRAM = """
#include <xmp.h>
#include <xmpnc.h>
#define N 20
int x[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align x[i] with t[i]
int main(int argc, char **argv) {
    int file, dimension, variable;
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) x[i] = i * i;
    if (argc != 2 || xmpnc_create_all(argv[1], NC_CLOBBER, &file) != NC_NOERR) return 1;
    xmpnc_def_dim(file, "i", N, &dimension);
    xmpnc_def_var(file, "x", NC_INT, 1, &dimension, &variable);
    xmpnc_enddef(file);
    xmpnc_put_vara_int_all(file, variable, xmp_desc_of(x));
    return xmpnc_close(file) != NC_NOERR;
}
"""


@pytest.fixture(scope="module")
def with_netcdf(prefix, tmp_path_factory):
    """(families with netCDF, a directory with the translation of a program that uses it)."""
    having = [family for family, found in families(prefix).items() if "libkumihimo_nc.so" in found["libraries"]]
    if not having:
        pytest.skip("no MPI family of this build has PnetCDF")
    directory = tmp_path_factory.mktemp("netcdf")
    (directory / "squares.c").write_text(NETCDF_PROGRAM)
    succeed(prefix / "bin" / "xmpcc", f"--mpi={having[0]}", "--save-temps", "-c", "squares.c", cwd=directory)
    return having, directory


def check_squares(prefix, program, file):
    succeed(prefix / "bin" / "xmprun", "-n", "2", program, file)
    with netCDF4.Dataset(file) as dataset:
        assert dataset["x"][:].tolist() == [i * i for i in range(20)]


def test_pkg_config_of_netcdf(prefix, with_netcdf):
    having, directory = with_netcdf
    for family in having:
        command = f"gcc squares.xmp.c $(pkg-config --cflags --libs kumihimo-nc-{family}) -o squares-{family}"
        succeed("sh", "-c", command, cwd=directory, env={"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")})
        check_squares(prefix, directory / f"squares-{family}", directory / f"{family}.nc")


def test_cmake_component_of_netcdf(prefix, with_netcdf):
    having, directory = with_netcdf
    programs = {f"squares-{family}": ("squares.xmp.c", f"kumihimo::kumihimo_nc_{family}") for family in having}
    assert build_with_cmake(prefix, directory, f"kumihimo {version()} REQUIRED", programs).code == 0
    for family in having:
        check_squares(prefix, directory / "out" / f"squares-{family}", directory / f"cmake-{family}.nc")


def test_components_that_are_missing(prefix, with_netcdf, tmp_path):
    """nc is the default family's; where its library is missing, or for another name, find_package fails in words."""
    having, _ = with_netcdf
    report = json.loads(succeed(prefix / "bin" / "kumihimo", "info", "--json").out)
    found = build_with_cmake(prefix, tmp_path, "kumihimo REQUIRED COMPONENTS nc", {})
    assert (found.code == 0) == (report["default_family"] in having)
    shutil.rmtree(tmp_path / "out")
    found = build_with_cmake(prefix, tmp_path, "kumihimo REQUIRED COMPONENTS colour", {})
    assert found.code != 0 and "no component 'colour'" in found.err
