"""What xmpcc and xmpf90 add to a compilation: their time and that of the compiler, which takes the directives for comments.

    python3 bench/compiling.py [--launches 7]

Only median times of an idle machine mean something; `chrt --fifo 50` keeps other programs away, if you are root.
"""

import argparse
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


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build")
    options.add_argument("--launches", type=int, default=7)
    launches = options.parse_args().launches
    print("| program | options | compiler | with directives | more |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        for name, (command, compiler, source) in PROGRAMS.items():
            for level in ("-O0", "-O3"):
                words = [level, "-w", "-c", source, "-o", f"{directory}/object.o"]
                pairs = [(seconds([*compiler, *words]), seconds([BUILD / "bin" / command, *words])) for _ in range(launches)]
                plain, ours = (statistics.median(times) for times in zip(*pairs))
                print(f"| {name} | `{level}` | {plain:.3f} s | {ours:.3f} s | {ours - plain:.3f} s |", flush=True)


if __name__ == "__main__":
    main()
