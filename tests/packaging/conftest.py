"""What the tests of packages share: an installation, made once."""

import pathlib
import shutil
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "commands"))

from command_support import succeed  # noqa: E402


@pytest.fixture(scope="package")
def prefix(build):
    """The build, installed in one place by somebody who lets nobody read his files, and moved to another."""
    place = pathlib.Path(tempfile.mkdtemp(prefix="kumihimo-install-"))  # pytest's are not for others
    place.chmod(0o755)
    succeed("sh", "-c", 'umask 077; exec cmake --install "$0" --prefix "$1"', build, place / "first")
    (place / "first").rename(place / "second")
    yield place / "second"
    shutil.rmtree(place)
