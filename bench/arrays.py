"""Compares the array functions with a SUMMA over the same kernel, a sample sort and a transposition by hand (bench/arrays.cpp).

    python3 bench/arrays.py [--launches 7] [--nodes 2] [--family openmpi] [--seconds 0.5]

A/A is the function against itself in the same launch. Ratios below 1: the function is faster.
"""

from developers import runner
from kumihimo.bench.suite.runner import Ratio, Time

COLUMNS = [
    Time("function"),
    Time("by hand"),
    Ratio("function", "by hand"),
    Ratio("function again", "function", "A/A"),
]


if __name__ == "__main__":
    runner.one_program("arrays", "Array functions", __doc__, COLUMNS, seconds=0.5)
