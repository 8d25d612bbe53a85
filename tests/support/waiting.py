"""Waiting for what another process does: a minute is long enough on the busiest machine."""

import pathlib
import time


def wait_for(condition, seconds=60):
    """Whether it came true in time."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def ended(process):
    """Whether a process is no more, or waits to be buried."""
    try:
        return "\nState:\tZ" in pathlib.Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return True
