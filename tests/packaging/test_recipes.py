"""The recipes of Spack, conda and the container file: against what the build asks for, and by their linters where those are
installed (`tools/setup recipes`; Spack is on no package registry)."""

import importlib.util
import os
import pathlib
import re
import sys
import types

import pytest
from command_support import run, succeed

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
# What CMakeLists.txt asks for: (name in Spack, name in conda).
LIBRARIES = {
    "fmt": ("fmt", "fmt"),
    "asio": ("asio", "asio"),
    "xxhash": ("xxhash", "xxhash"),
    "nlohmann": ("nlohmann-json", "nlohmann_json"),
    "absl": ("abseil-cpp", "libabseil"),
    "toml": ("tomlplusplus", "tomlplusplus"),
}


@pytest.fixture(scope="module")
def options(build):
    """The options that CMake knows here."""
    return set(re.findall(r"(?m)^(\w+):\w+=", (build / "CMakeCache.txt").read_text()))


def test_the_libraries_are_all():
    """LIBRARIES has each library that a CMakeLists.txt requires, besides what only tests and interpreters need."""
    text = "\n".join(path.read_text() for path in ROOT.glob("*/CMakeLists.txt") if path.parent.name != "tests")
    required = re.findall(r"find_package\((\w+) REQUIRED|find_path\(KUMIHIMO_(\w+) \S+ REQUIRED", text)
    assert {(package or header).lower() for package, header in required} - {"threads", "gtest"} == set(LIBRARIES)


class Recorder:
    """Stands in for Spack's directives: keeps what a recipe says."""

    def __init__(self):
        self.said = []

    def directive(self, name):
        return lambda *words, **options: self.said.append((name, words, options))

    def words(self, name):
        return [words[0] for directive, words, _ in self.said if directive == name]


class Base:
    """Stands in for Spack's CMakePackage."""

    @staticmethod
    def define(name, value):
        return f"-D{name}={value}"


class Spec:
    """A spec of which all that is in `having` holds."""

    def __init__(self, *having):
        self.having = having

    def satisfies(self, text):
        return any(text.endswith(word) for word in self.having)

    def __getitem__(self, name):
        path = types.SimpleNamespace(mpicc=f"/{name}/bin/mpicc")
        return types.SimpleNamespace(prefix=types.SimpleNamespace(bin=path, __str__=lambda self: f"/{name}"))


@pytest.fixture
def spack(monkeypatch):
    """(the recipe's class, what its directives said)."""
    recorder = Recorder()
    package = types.ModuleType("spack.package")
    for name in ("license", "version", "variant", "depends_on", "requires", "conflicts"):
        setattr(package, name, recorder.directive(name))
    build_systems = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    build_systems.CMakePackage, build_systems.generator = Base, recorder.directive("generator")
    package.__all__ = [name for name in vars(package) if not name.startswith("_")]
    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "spack.package", package)
    monkeypatch.setitem(sys.modules, "spack_repo.builtin.build_systems.cmake", build_systems)
    path = PACKAGING / "spack" / "spack_repo" / "kumihimo" / "packages" / "kumihimo" / "package.py"
    spec = importlib.util.spec_from_file_location("recipe", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.CHECKOUT == str(ROOT)
    return module.Kumihimo, recorder


def test_spack_dependencies(spack):
    _, recorder = spack
    names = {re.split(r"[@+~ ]", text)[0] for text in recorder.words("depends_on")}
    assert {spack_name for spack_name, _ in LIBRARIES.values()} <= names
    assert {"c", "cxx", "cmake", "python", "mpi", "parallel-netcdf"} <= names
    minimum = re.search(r"cmake_minimum_required\(VERSION ([0-9.]+)\)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    assert f"cmake@{minimum}:" in recorder.words("depends_on")


@pytest.mark.parametrize("family", ["openmpi", "mpich"])
def test_spack_options(spack, family, options):
    """Each option that it gives CMake is one that CMake has."""
    recipe, _ = spack
    package = recipe()
    package.spec = Spec(family, "+netcdf", "~fortran")
    given = [re.match(r"-D(\w+)=(.*)", word).groups() for word in package.cmake_args()]
    assert {name for name, _ in given} <= options
    assert ("KUMIHIMO_KNOWN_FAMILIES", family) in given
    assert (f"KUMIHIMO_{family.upper()}_CC", "/mpi/bin/mpicc") in given


def test_conda_options(options):
    text = (PACKAGING / "conda" / "recipe.yaml").read_text()
    given = re.findall(r"-D(\w+)=", text)
    assert given and set(given) <= options


def test_conda_recipe(monkeypatch):
    """rattler-build reads it and renders it for both families."""
    rattler_build = pytest.importorskip("rattler_build", reason="no rattler-build: tools/setup recipes installs it")
    version = succeed(ROOT / "tools" / "version").out.strip()
    monkeypatch.setenv("KUMIHIMO_VERSION", version)
    recipe = rattler_build.Stage0Recipe.from_file(PACKAGING / "conda" / "recipe.yaml")
    variants = recipe.render(rattler_build.VariantConfig.from_file(PACKAGING / "conda" / "variants.yaml"))
    rendered = {variant.variant["mpi"]: variant.recipe.to_dict() for variant in variants}
    assert sorted(rendered) == ["mpich", "openmpi"]
    for family, one in rendered.items():
        assert one["package"] == {"name": "kumihimo", "version": version}
        assert one["build"]["script"]["env"] == {"FAMILY": family}
        assert {conda_name for _, conda_name in LIBRARIES.values()} | {family} <= {
            word.split()[0] for word in one["requirements"]["host"]
        }


def test_container_file():
    hadolint = pathlib.Path(sys.executable).with_name("hadolint")
    if not os.access(hadolint, os.X_OK):
        pytest.skip("no hadolint: tools/setup recipes installs it")
    done = run(hadolint, PACKAGING / "container" / "Containerfile")
    assert (done.code, done.out) == (0, ""), done
