"""What flattening, visiting and packing datatypes costs without MPI-IO (bench/extents.cpp).

    python3 bench/extents.py [--launches 7] [--family openmpi] [--seconds 0.1]

A/A is our packing against itself in the same launch. Ratios below 1: ours is faster.
"""

from developers import runner
from kumihimo.bench.suite.runner import Ratio, Time

COLUMNS = [
    Time("flattening again"),
    Time("visiting"),
    Time("ours"),
    *(Ratio("ours", other) for other in ("by hand", "MPI_Pack", "memcpy")),
    Ratio("ours again", "ours", "A/A"),
]

if __name__ == "__main__":
    runner.one_program("extents", "Datatypes", __doc__, COLUMNS, seconds=0.1, nodes=(1,))
