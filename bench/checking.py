"""What `xmpcc --check` costs: the loops of bench/kernels/checking with it over the same without it.

    python3 bench/checking.py [--launches 5] [--nodes 1 2] [--family openmpi]

A/A is the program without --check against itself.
"""

from developers import runner
from kumihimo.bench.suite.runner import BUILD, SOURCES, Ratio, Start, Time

COLUMNS = [
    Time("plain", "ms", ".2f"),
    Time("checked", "ms", ".2f"),
    Ratio("checked", "plain"),
    Ratio("plain again", "plain", "A/A"),
]


def compiled(variant, family, *words):
    compiler, source = BUILD / "bin" / "xmpcc", SOURCES / "kernels" / "checking" / "xmp.c"
    return runner.compiled(f"checking.{variant}", compiler, f"--mpi={family}", "-O2", *words, source)


def main():
    options = runner.parser(__doc__, launches=5, nodes=(1, 2), quick={"launches": 2, "nodes": [2]}).parse_args()
    programs = {"plain": compiled("plain", options.family), "checked": compiled("checked", options.family, "--check")}

    def starts(ranks):
        made = [Start(name, [words], family=options.family, ranks=ranks) for name, words in programs.items()]
        return [*made, made[0].again()]

    runner.compare("checking", "Checked loops", options, starts, COLUMNS)


if __name__ == "__main__":
    main()
