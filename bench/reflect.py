"""Compares reflect with hand-written MPI halo exchanges (bench/reflect.cpp).

    python3 bench/reflect.py [--launches 7] [--nodes 2] [--family openmpi] [--seconds 0.1]

A/A is reflect against itself in the same launch. Ratios below 1: reflect is faster.
"""

from developers import runner
from kumihimo.bench.suite.runner import Ratio, Time

COLUMNS = [
    *(Time(variant) for variant in ("reflect", "datatype", "packing")),
    Ratio("reflect", "datatype"),
    Ratio("reflect", "packing"),
    Ratio("reflect again", "reflect", "A/A"),
]


if __name__ == "__main__":
    runner.one_program("reflect", "Halo exchange", __doc__, COLUMNS, seconds=0.1)
