"""Programs of a test directory: xmpcc compiles each once for each set of options, and they are started on nodes."""

import os
import pathlib
import subprocess

from made_once import once

ROOT = pathlib.Path(__file__).resolve().parents[2]
# One family's program is compiled as users do, with -O3; what is compiled once more, in the least time.
NOT_OPTIMISED = ("-O0",)
SANITIZED = ("--check", "-O0", "-g", "-fsanitize=undefined", "-fno-sanitize-recover=all")


def run(*words, expect=0, **options):
    """A command and what came of it; expect: its exit status, None for any."""
    words = [str(word) for word in words]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, **options)
    assert expect in (None, done.returncode), f"{words}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


class Workshop:
    """sources: of each program, file names below `programs`; without them those of NAME are NAME.c."""

    def __init__(self, build, directory, programs, sources, warnings=("-Wall", "-Wextra", "-Wno-unknown-pragmas")):
        self.build, self.directory, self.programs, self._sources, self.warnings = build, directory, programs, sources, warnings

    def sources(self, name):
        return [self.programs / source for source in self._sources.get(name, [f"{name}.c"])]

    def compiled(self, name, family, *options):
        """The program; gcc must have nothing to say of its translation (xmpcc may: a warning of its own is `warning: '...`)."""

        def make(binary):
            command = [self.build / "bin" / "xmpcc", f"--mpi={family}", *self.warnings, *options, "-o", binary]
            messages = run(*command, *self.sources(name), "-lm", cwd=self.directory).stderr
            assert "warning: " not in messages.replace("warning: '", ""), messages

        return once(self.directory / "-".join([name, family, *(o.strip("-=") for o in options)]), make)

    def start(self, binary, family, nodes, expect=0, **settings):
        return run(ROOT / "cmake" / "mpirun-test", family, nodes, binary, expect=expect, env={**os.environ, **settings})
