"""What all Python tests share: the build directory (KUMIHIMO_BUILD, else build/), and the package `kumihimo`, whose rooms are
those of this checkout and whose configuration.py is the build's."""

import os
import pathlib
import sys
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("KUMIHIMO_BUILD") or ROOT / "build").resolve()

pytest_plugins = ["browser_support", "hosts_support"]

if "kumihimo" not in sys.modules:
    package = types.ModuleType("kumihimo")
    package.__path__ = [str(ROOT), str(BUILD / "python" / "kumihimo")]
    sys.modules["kumihimo"] = package


@pytest.fixture(scope="session")
def build():
    """The build directory; the tests that compile and run programs need a finished one."""
    if not (BUILD / "bin" / "xmpcc").exists():
        pytest.fail(f"{BUILD} holds no build: run make build, or set KUMIHIMO_BUILD")
    return BUILD
