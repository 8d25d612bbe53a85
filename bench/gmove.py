"""Compares gmove with hand-written redistributions by MPI_Alltoallv (bench/gmove.cpp).

    python3 bench/gmove.py [--launches 7] [--nodes 2] [--family openmpi] [--seconds 0.2]

A/A is gmove against itself in the same launch. Ratios below 1: gmove is faster.
"""

from developers import runner
from kumihimo.bench.suite.runner import Ratio, Time

COLUMNS = [Time("gmove"), Time("alltoallv"), Ratio("gmove", "alltoallv"), Ratio("gmove again", "gmove", "A/A")]


if __name__ == "__main__":
    runner.one_program("gmove", "Redistribution", __doc__, COLUMNS, seconds=0.2)
