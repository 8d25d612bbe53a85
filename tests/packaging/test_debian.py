"""debian/ against an installation: which package has which file. Building the packages takes minutes: the long form."""

import fnmatch
import pathlib
import re
import shutil

import pytest
from command_support import families, run, succeed
from long_form import LONG_FORM

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEBIAN = ROOT / "packaging" / "debian"


@pytest.fixture(scope="module")
def installed(prefix, build):
    """Files of the installation, as they are called in a Debian package."""
    having = families(build)
    netcdf = any("libkumihimo_nc.so" in found["libraries"] for found in having.values())
    if set(having) != {"openmpi", "mpich"} or not netcdf:
        pytest.skip("the Debian packages are of both MPI families, with netCDF; this build has less")
    (manifest,) = prefix.rglob("manifest.txt")
    library = str(manifest.parent.parent.relative_to(prefix))
    names = [line for line in manifest.read_text().splitlines() if not line.endswith("/")]
    return {re.sub(f"^usr/{library}/", "usr/lib/triplet/", f"usr/{name}") for name in names}


def patterns(name):
    """The first word of each line: the second says where the file goes."""
    return [line.split()[0] for line in (DEBIAN / name).read_text().splitlines() if line.strip()]


def claimed(files, pattern):
    """dh_install's rule: * stands for what is between two slashes, and a directory for all below it."""
    depth = pattern.count("/") + 1
    return {file for file in files if fnmatch.fnmatchcase("/".join(file.split("/")[:depth]), pattern)}


def test_every_file_is_in_one_package(installed):
    lists = sorted(path.name for path in DEBIAN.glob("*.install")) + ["not-installed"]
    claims = {name: [claimed(installed, pattern) for pattern in patterns(name)] for name in lists}
    nothing = [(name, pattern) for name in lists for pattern in patterns(name) if not claimed(installed, pattern)]
    assert nothing == []
    owners = {file: [name for name in lists if any(file in claim for claim in claims[name])] for file in installed}
    assert {file: names for file, names in owners.items() if len(names) != 1} == {}


def test_packages_have_their_lists():
    control = (DEBIAN / "control").read_text()
    packages = re.findall(r"(?m)^Package: (\S+)$", control)
    assert sorted(path.stem for path in DEBIAN.glob("*.install")) == sorted(packages)


def test_what_is_installed_for_a_build_is_a_build_dependency():
    """Libraries that CMakeLists.txt asks for, by the names of Debian; tools/setup installs the same."""
    control = (DEBIAN / "control").read_text()
    needed = control[control.index("Build-Depends:") : control.index("Standards-Version")]
    setup = (ROOT / "tools" / "setup").read_text()
    for name in re.findall(r"(?m)^ (lib\S+-dev|gfortran|mpich|openmpi-bin|cmake)", needed):
        assert re.search(rf"(?m)[ \"]{re.escape(name)}\b", setup), name


@pytest.mark.timeout(3600)
def test_the_packages(tmp_path):
    """Builds them, without an error of lintian. To install them takes another machine: docs/contributing/releasing.md."""
    if not LONG_FORM:
        pytest.skip("builds Debian packages: minutes (KUMIHIMO_TEST_LONG=1)")
    missing = [command for command in ("dpkg-buildpackage", "dh", "lintian") if not shutil.which(command)]
    if missing:
        pytest.skip(f"no {', '.join(missing)}: tools/setup deb installs them")
    done = run(ROOT / "tools" / "deb", tmp_path, timeout=3000)
    assert done.code == 0, done
    version = succeed(ROOT / "tools" / "version").out.strip()
    names = sorted(path.name.split("_")[0] for path in tmp_path.glob(f"*_{version}-1_*.deb"))
    assert names == ["kumihimo", "kumihimo-dev", "kumihimo-doc", "kumihimo-mpich", "kumihimo-openmpi"]
    content = succeed("dpkg-deb", "--contents", *tmp_path.glob("kumihimo_*.deb")).out
    assert "/usr/bin/xmprun" in content and "__pycache__" not in content
