"""The processes of a job, wherever its launcher started them: all have a mark in their environment."""

import contextlib
import os
import pathlib
import signal
import time
import uuid


class Marked:
    def __init__(self):
        self.name, self.value = "KUMIHIMO_TEST_MARK", str(uuid.uuid4())

    @property
    def environment(self):
        return {self.name: self.value}

    def processes(self, program=None):
        """Their numbers; of `program` only."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if f"{self.name}={self.value}".encode() not in path.read_bytes().split(b"\0"):
                    continue
                if program is None or (path.parent / "exe").resolve().name == program:
                    found.append(int(path.parent.name))
            except OSError:
                continue  # ended meanwhile, or another's
        return found

    def left(self):
        """Those that stay: the launcher ends its processes a moment before or after itself."""
        for _ in range(50):
            if not self.processes():
                return []
            time.sleep(0.1)
        return self.processes()

    def end(self):
        """Ends those that stay."""
        for number in self.left():
            kill(number)


def kill(process):
    """Its launcher may have ended it meanwhile, for the death of another one."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
