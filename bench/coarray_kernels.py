"""NAS Integer Sort and Conjugate Gradient with coarrays (bench/kernels/is, cg) against the same algorithms in hand-written MPI.

    python3 bench/coarray_kernels.py [--launches 9] [--images 2] [--classes W A] [--kernels is cg-get cg-put]

The launch is the unit of statistics: programs run in turn, each pair gives one ratio, and the interval is the 95 % interval
of the median ratio. A/A is the hand-written program against itself. The share is that of the seconds in which image 0
communicates or waits, as in table 3 of the paper. Every launch must pass the official verification.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from compare import BUILD, KERNELS, ROOT, interval

# name: (folder, definitions of the XMP program)
CASES = {"is": ("is", []), "cg-get": ("cg", []), "cg-put": ("cg", ["-DPUT"])}


def compile_pair(case, size, images, directory):
    folder, extra = CASES[case]
    definitions = [f"-DCLASS='{size}'", f"-DNODES={images}", "-O3"]
    programs = {}
    for name, command in (("xmp", [BUILD / "bin" / "xmpcc", *extra]), ("mpi", ["mpicc.openmpi"])):
        programs[name] = directory / f"{case}.{size}.{name}"
        source = KERNELS / folder / f"{name}.c"
        subprocess.run([*map(str, command), *definitions, str(source), "-o", str(programs[name]), "-lm"], check=True)
    return programs


def launch(program, images):
    """(seconds, share of communication in %) of one launch."""
    command = [str(ROOT / "cmake" / "mpirun-test"), "openmpi", str(images), str(program)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=os.environ)
    words = done.stdout.split()
    values = dict(zip(words[::2], words[1::2]))
    if done.returncode != 0 or values.get("verified") != "1":
        sys.exit(f"{program.name} failed or was not verified:\n{done.stdout}{done.stderr}")
    seconds = float(values["seconds"])
    return seconds, 100 * float(values["communication"]) / seconds


def measure(case, size, arguments, directory):
    programs = compile_pair(case, size, arguments.images, directory)
    order = ("xmp", "mpi", "again")
    results = {name: [] for name in order}
    for number in range(arguments.launches + 1):  # the first round warms up
        for name in order if number % 2 else reversed(order):
            result = launch(programs["mpi" if name == "again" else name], arguments.images)
            if number:
                results[name].append(result)
    seconds = {name: [one[0] for one in values] for name, values in results.items()}
    shares = {name: statistics.median(one[1] for one in values) for name, values in results.items()}
    row = [case, size, f"{statistics.median(seconds['xmp']):.3f}", f"{statistics.median(seconds['mpi']):.3f}"]
    for first, second in (("xmp", "mpi"), ("again", "mpi")):
        median, low, high = interval([a / b for a, b in zip(seconds[first], seconds[second])])
        row.append(f"{median:.3f} ({low:.3f} .. {high:.3f})")
    print("| " + " | ".join([*row, f"{shares['xmp']:.1f} %", f"{shares['mpi']:.1f} %"]) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=9)
    parser.add_argument("--images", type=int, default=2)
    parser.add_argument("--classes", nargs="+", default=["W", "A"], choices=["S", "W", "A"])
    parser.add_argument("--kernels", nargs="+", default=list(CASES), choices=CASES)
    arguments = parser.parse_args()
    print(f"{arguments.images} images, {arguments.launches} launches\n")
    print("| kernel | class | XMP, s | MPI, s | over MPI | A/A | share XMP | share MPI |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        for case in arguments.kernels:
            for size in arguments.classes:
                measure(case, size, arguments, Path(directory))


if __name__ == "__main__":
    main()
