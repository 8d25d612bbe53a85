"""What the thread costs that answers other images while this one computes (KUMIHIMO_PROGRESS_THREAD), and what it brings.

    python3 bench/helping.py [--launches 5] [--family openmpi]

Two images of one machine that share no memory, as if they were on two. A/A is the program without the thread against itself.
"""

from developers import runner
from kumihimo.bench.suite.runner import BUILD, SOURCES, Ratio, Start, Time

COLUMNS = [
    Time("without thread"),
    Time("with it"),
    Ratio("with it", "without thread", "ratio"),
    Ratio("without thread again", "without thread", "A/A"),
]
APART = {"KUMIHIMO_NODES_PER_MACHINE": "1", "KUMIHIMO_TRANSPORT": "messages"}


def main():
    options = runner.parser(__doc__, launches=5, quick={"launches": 2}).parse_args()
    source = SOURCES / "kernels" / "helping.c"
    compiler = [BUILD / "bin" / "xmpcc", f"--mpi={options.family}", "-O2", "-I", SOURCES]
    program = runner.compiled("helping", *compiler, source)

    def starts(ranks):
        same = {"family": options.family, "ranks": ranks, "bound": True}
        without = Start("without thread", [program], settings={**APART, "KUMIHIMO_PROGRESS_THREAD": "off"}, **same)
        return [without, Start("with it", [program, "asks"], settings=APART, **same), without.again()]

    runner.compare("helping", "Helping while computing", options, starts, COLUMNS)


if __name__ == "__main__":
    main()
