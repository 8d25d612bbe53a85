"""Python packages that only some commands need. The commands run without any (python3 -IS), with the interpreter that was found
first; where a package is not beside that one, an interpreter that has it takes over."""

import importlib
import os
import shutil
import site
import subprocess
import sys

from ..failure import Failure


def need(name, purpose):
    """The module of a package."""
    for path in (*site.getsitepackages(), site.getusersitepackages()):
        if path not in sys.path:
            sys.path.append(path)
    try:
        return importlib.import_module(name)
    except ImportError:
        python, package = _interpreter_with(name), name.split(".")[0]
    if python is None:
        raise Failure(
            f"{purpose} needs the Python package {package}, which no python3 here has: python3 -m pip install {package}, or "
            f"apt install python3-{package}"
        )
    sys.stdout.flush()
    os.execv(python, [python, "-I", *sys.argv])


def _interpreter_with(name):
    """Of the active virtual environment, in PATH, of the system."""
    environment = os.environ.get("VIRTUAL_ENV")
    candidates = [os.path.join(environment, "bin", "python3")] if environment else []
    candidates += [shutil.which("python3"), "/usr/bin/python3"]
    for python in candidates:
        if python is None or not os.access(python, os.X_OK):
            continue
        done = subprocess.run(
            [python, "-I", "-c", f"import {name}"], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        if done.returncode == 0:
            return python
    return None
