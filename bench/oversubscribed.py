"""More ranks than processors: laplace of two sizes and argon (20 x 20 x 20 cells) on a rank for each processor, and on four.

    python3 bench/oversubscribed.py [--launches 7] [--family openmpi] [--nodes 2]

The processors are those of --nodes: 2 and 8 ranks take turns on two. The time is that of the whole program, its start included,
which the empty program shows alone. "After the start" is the ratio when that of the same round is taken off. A/A is the smaller
number of ranks against itself.
"""

import json
import time
from pathlib import Path

from developers import runner
from kumihimo.bench.suite.runner import BUILD, PROGRAMS, SOURCES, Ratio, Start, Time, interval

EXAMPLES = SOURCES.parent / "examples"
TIMES_AS_MANY = 4
SIZES = [512, 1024]  # of laplace's plate, on each side
EMPTY = "empty"


class AfterStart(Ratio):
    """The time of an empty program, whose start is the same, taken off both."""

    def cell(self, found, case):
        if case[0] == EMPTY:
            return "-"
        whole, start = ([found.times(name, (one, 0)) for name in (self.variant, self.over)] for one in (case[0], EMPTY))
        rounds = set.intersection(*map(set, whole + start))
        spent = [[program[one] - empty[one] for one in sorted(rounds)] for program, empty in zip(whole, start)]
        return interval([a / b for a, b in zip(*spent)])


COLUMNS = [
    Time("a rank a processor", "s", ".3f"),
    Time("four", "s", ".3f"),
    Ratio("four", "a rank a processor", "ratio"),
    AfterStart("four", "a rank a processor", "after the start"),
    Ratio("a rank a processor again", "a rank a processor", "A/A"),
]


class Whole(Start):
    """The time from a program's start to its end becomes a record."""

    def run(self, path, limit, *more):
        begun = time.perf_counter()
        super().run(path, limit, *more, records=False)
        cell = {"kind": "cell", "operation": "", "bytes": 0, "slowest_us": [1e6 * (time.perf_counter() - begun)]}
        Path(path).write_text("".join(f"{json.dumps(line)}\n" for line in (cell, {"kind": "end"})))


def programs(family):
    """{name: words}."""
    empty = PROGRAMS / "empty.c"
    empty.parent.mkdir(parents=True, exist_ok=True)
    empty.write_text("#pragma xmp nodes p[*]\nint main(void) { return 0; }\n")

    def compiled(name, source, *options):
        compiler = [BUILD / "bin" / "xmpcc", f"--mpi={family}", "-O3", *options]
        return runner.compiled(f"oversubscribed.{name}", *compiler, source)

    laplace = EXAMPLES / "laplace" / "laplace.c"
    return {
        EMPTY: [compiled(EMPTY, empty)],
        **{f"laplace {size}": [compiled(f"laplace{size}", laplace, f"-DN={size}")] for size in SIZES},
        "argon": [compiled("argon", EXAMPLES / "argon" / "argon.c"), 20, 30],
    }


def main():
    options = runner.parser(__doc__, launches=7, quick={"launches": 2}).parse_args()
    found = programs(options.family)

    def starts(ranks):
        for name, words in found.items():
            same = {"family": options.family, "subject": name}
            few = Whole(f"{name} few", words, ranks=ranks, variant="a rank a processor", **same)
            yield from (few, Whole(f"{name} many", words, ranks=TIMES_AS_MANY * ranks, variant="four", **same), few.again())

    runner.compare("oversubscribed", "More ranks than processors", options, starts, COLUMNS)


if __name__ == "__main__":
    main()
