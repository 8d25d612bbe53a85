"""What the set algebra costs (bench/sets.cpp): owned sets, intersections, the start of an enumeration.

    python3 bench/sets.py [--launches 7] [--family openmpi] [--seconds 0.1]

Times follow the number of pieces, not of elements: they stay the same for dimensions of 10^6, 10^9 and 10^12.
"""

from developers import runner
from kumihimo.bench.suite.runner import Ratio, Time

COLUMNS = [Time("sets", "ns", ".0f"), Ratio("sets again", "sets", "A/A")]

if __name__ == "__main__":
    runner.one_program("sets", "Set algebra", __doc__, COLUMNS, seconds=0.1, nodes=(1,))
