"""Which files a library is made of, for tests that build it with another compiler."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def plain():
    """Of kumihimo_plain, what base/ has without MPI, as its CMakeLists.txt names them."""
    listed = re.search(r"add_library\(kumihimo_plain STATIC ([^)]*)\)", (ROOT / "base/CMakeLists.txt").read_text())[1]
    return [ROOT / "base" / name for name in listed.split()]
