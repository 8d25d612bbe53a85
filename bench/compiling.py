"""What xmpcc and xmpf90 add to a compilation: their time and that of the compiler, which takes the directives for comments.

    python3 bench/compiling.py [--launches 7] [--instructions]

Only median times of an idle machine mean something. Instructions, of all processes and counted by cachegrind, are the same on a
busy one; a compilation takes a minute then.
"""

import argparse
import re
import statistics
import subprocess
import tempfile
import time

import developers  # noqa: F401
from kumihimo.bench.suite.runner import BUILD, SOURCES

ROOT = SOURCES.parent
PROGRAMS = {
    "C, 50 lines": ("xmpcc", ["gcc", f"-I{ROOT}/runtime/include"], ROOT / "examples" / "laplace" / "laplace.c"),
    "Fortran, 20 lines": ("xmpf90", ["gfortran"], SOURCES / "kernels" / "compiling" / "small.f90"),
    "Fortran, 1,850 lines": ("xmpf90", ["gfortran"], ROOT / "tests" / "compiler" / "fortran" / "coast.f"),
}


def seconds(command):
    begin = time.perf_counter()
    subprocess.run([str(word) for word in command], check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def instructions(command):
    """Of a command and all that it starts."""
    counter = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--trace-children=yes"]
    done = subprocess.run([*counter, *(str(word) for word in command)], check=True, capture_output=True, text=True)
    return sum(int(count.replace(",", "")) for count in re.findall(r"I +refs: +([\d,]+)", done.stderr))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build")
    options.add_argument("--launches", type=int, default=7)
    options.add_argument("--instructions", action="store_true", help="count instructions, in millions, and measure no times")
    chosen = options.parse_args()
    measured, launches, scale, unit, digits = seconds, chosen.launches, 1, " s", 3
    if chosen.instructions:
        measured, launches, scale, unit, digits = instructions, 1, 1e6, "", 0
    print("| program | options | compiler | with directives | more |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        for name, (command, compiler, source) in PROGRAMS.items():
            for level in ("-O0", "-O1", "-O2", "-O3"):
                words = [level, "-w", "-c", source, "-o", f"{directory}/object.o"]
                pairs = [(measured([*compiler, *words]), measured([BUILD / "bin" / command, *words])) for _ in range(launches)]
                plain, ours = (statistics.median(found) / scale for found in zip(*pairs))
                cells = (f"{figure:.{digits}f}{unit}" for figure in (plain, ours, ours - plain))
                print(f"| {name} | `{level}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
