"""What one process of pytest makes, the others find: pytest-xdist's share all tests, and each would make it again."""

import fcntl
import os


def shared_directory(tmp_path_factory, name):
    """Of all processes of this run."""
    base = tmp_path_factory.getbasetemp()
    directory = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    directory.mkdir(exist_ok=True)
    return directory


def once(path, make):
    """make(path) makes a file or a directory, unless another process has made it or is about to. Returns the path."""
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            part = path.with_name(f"{path.name}.part")
            make(part)
            part.rename(path)
    return path


def made_once(tmp_path_factory, name, make):
    return once(shared_directory(tmp_path_factory, "made-once") / name, make)
