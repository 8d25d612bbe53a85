"""Running `kumihimo bench` in tests, and results made up for them."""

import json
import os
import random
import re
import signal
import statistics
import subprocess

from kumihimo import configuration

FAMILIES = tuple(configuration.FAMILIES)
# Windows of time are missed, and tried again for long, where other programs keep the processors.
QUICKLY = ["--seconds", "0.001", "--repetitions", "10", "--memory", "64M", "--start", "barrier"]


class Bench:
    def __init__(self, build, directory):
        self.program, self.directory = build / "bin" / "kumihimo", directory
        self.environment = {**os.environ, "KUMIHIMO_BENCH_DATABASE": str(directory / "bench.sqlite")}

    def run(self, *words, code=0, **environment):
        """Standard output; the exit code must be as told."""
        done = self.start(*words, **environment)
        out, err = done.communicate(timeout=240)
        assert done.returncode == code, f"exit code {done.returncode}\n{out}\n{err}"
        self.errors = err
        return out

    def start(self, *words, **environment):
        return subprocess.Popen(
            [str(self.program), "bench", *map(str, words)],
            cwd=self.directory,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def interrupt(self, process, number=signal.SIGINT):
        process.send_signal(number)
        return process.communicate(timeout=60)

    def result(self, name):
        return json.loads((self.directory / name / "result.json").read_text())


def made_up_result(name="made", launches=10, noise=0.01, slower=None, seed=0, sizes=(8, 1024, 65536, 1 << 20), start="window"):
    """A result as `kumihimo bench run` leaves it. slower: {operation: factor}."""
    chance = random.Random(seed)
    cells = []
    for operation in ("PingPong", "Bcast", "Allreduce"):
        for size in sizes:
            factor = (slower or {}).get(operation, 1)
            times = [(0.5 + size / 5000) * factor * chance.lognormvariate(0, noise) for _ in range(launches)]
            cells.append(made_up_cell(operation, size, times))
    return made_up_variants(name, launches, cells, start)


def made_up_cell(operation, size, times):
    middle = statistics.median(times)
    return {
        "operation": operation,
        "bytes": size,
        "median_us": middle,
        "q10_us": min(times),
        "q90_us": max(times),
        "throughput_gib_s": size / middle * 1e6 / (1 << 30),
        "overlap_percent": None,
        "wrong": 0,
        "launches": [made_up_launch(number + 1, time) for number, time in enumerate(times)],
    }


def made_up_launch(number, time):
    quantiles = ("minimum", "q25", "median", "q75", "q95", "maximum", "fastest_rank", "mean_rank")
    return {"launch": number, "samples": 50, "late": 0, "start": "window", "wrong": 0, **dict.fromkeys(quantiles, time)}


def made_up_variants(name, launches, cells, start="window"):
    machine = {"name": "made up", "host": "h", "processor": "p", "processors": 2, "memory_bytes": 1 << 30, "system": "s"}
    variant = {
        "name": name,
        "family": "openmpi",
        "library": "Open MPI 4.1.4",
        "ranks": 4,
        "shape": [2, 2],
        "machines": 1,
        "crowded": False,
        "settings": {},
        "launches": launches,
        "cells": cells,
        "skipped": [],
    }
    return {
        "format": "kumihimo-bench",
        "version": 1,
        "created": "2026-11-21T10:00:00+00:00",
        "machine": machine,
        "quick": False,
        "planned_launches": launches,
        "start": start,
        "failures": [],
        "variants": [variant],
    }


def read_imb(text):
    """{benchmark: {bytes: [numbers]}}, as scripts read them: a heading, a table head, lines of numbers."""
    tables, name = {}, None
    for line in text.splitlines():
        found = re.match(r"# Benchmarking (\w+)", line)
        if found:
            name = found.group(1)
            tables[name] = {}
        elif name and re.match(r"^\s+\d", line):
            first, *rest = line.split()
            tables[name][int(first)] = [float(word) for word in rest]
    return tables
