"""Makes the package `kumihimo` of a build (--build, KUMIHIMO_BUILD, else build/) importable for the scripts beside this."""

import argparse
import os
import sys
from pathlib import Path


def _package():
    root = Path(__file__).resolve().parent.parent
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    early.add_argument("--build", default=os.environ.get("KUMIHIMO_BUILD") or root / "build")
    build = Path(early.parse_known_args()[0].build).resolve()
    if not (build / "python" / "kumihimo" / "configuration.py").exists():
        sys.exit(f"{build} holds no build: run make build, or name another with --build or KUMIHIMO_BUILD")
    return build / "python"


sys.path.insert(0, str(_package()))
from kumihimo.bench.suite import launch, runner  # noqa: E402, F401
