"""Which machine this is: part of the key of every record, so that a laptop's numbers are not compared with a cluster's."""

import os
import platform
import socket


def describe(name=None):
    """{name, processor, processors, memory_bytes, system}; the name is the user's or made of what the machine is."""
    processor, processors = _processor(), os.cpu_count() or 1
    return {
        "name": name or f"{processor} x {processors}",
        "host": socket.gethostname(),
        "processor": processor,
        "processors": processors,
        "memory_bytes": _memory("MemTotal"),
        "system": f"{platform.system()} {platform.release()}",
    }


def memory_for_each(ranks):
    """Bytes for the buffers of one of `ranks` ranks of this machine: half of what is free, at most the paper's 6 GiB."""
    return min(6 << 30, max(1 << 20, _memory("MemAvailable") // 2 // ranks))


def _processor():
    for line in _lines("/proc/cpuinfo"):
        if line.startswith("model name"):
            return " ".join(line.split(":", 1)[1].split())
    return platform.machine()


def _memory(field):
    for line in _lines("/proc/meminfo"):
        if line.startswith(field + ":"):
            return int(line.split()[1]) << 10
    return 1 << 30


def _lines(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.readlines()
    except OSError:
        return []
