"""Makes the rooms of this checkout importable as they are in an install: `kumihimo.compiler`, `kumihimo.commands`.

An install has a package directory `kumihimo` with the rooms in it. Here the rooms lie at the root of the checkout, so a
package of that name is made whose search path is the checkout itself."""

import pathlib
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]

if "kumihimo" not in sys.modules:
    package = types.ModuleType("kumihimo")
    package.__path__ = [str(ROOT)]
    sys.modules["kumihimo"] = package
