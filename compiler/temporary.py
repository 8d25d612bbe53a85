"""A place for translated files. (The standard library's tempfile costs more at start than translating a small file.)"""

import os
import signal
import sys

from .failure import Failure


class TemporaryDirectory:
    """Made at first use, private, removed with what is in it on every way out, also when a signal ends us."""

    def __init__(self, name):
        self._name = name
        self._path = None

    def __enter__(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _exit_by_signal)
        return self

    def path(self):
        attempt = 0
        while self._path is None:
            path = os.path.join(os.environ.get("TMPDIR") or "/tmp", f"{self._name}-{os.getpid()}-{attempt}")
            try:
                os.mkdir(path, 0o700)
                self._path = path
            except FileExistsError:
                attempt += 1
            except OSError as error:
                raise Failure(f"cannot make a temporary directory {path}: {error.strerror}; set TMPDIR", 1) from None
        return self._path

    def __exit__(self, *error):
        if self._path is not None:
            for name in os.listdir(self._path):
                os.unlink(os.path.join(self._path, name))
            os.rmdir(self._path)


def _exit_by_signal(number, _frame):
    sys.exit(128 + number)
