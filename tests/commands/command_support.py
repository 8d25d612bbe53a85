"""Running commands in the tests of the commands."""

import json
import os
import subprocess

FOREIGN = ("KUMIHIMO_", "SLURM_", "OMPI_COMM_", "PMI_")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}


class Done:
    """A finished command."""

    def __init__(self, process):
        self.code = process.returncode
        self.out = process.stdout.decode(errors="replace")
        self.err = process.stderr.decode(errors="replace")

    def __repr__(self):
        return f"exit code {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"


def run(*words, cwd=None, env=None, text=None, timeout=120):
    """Runs a command in a clean environment with `env` added; ends it after `timeout` seconds."""
    process = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={**CLEAN, **(env or {})},
        input=(text or "").encode(),
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    return Done(process)


def succeed(*words, **options):
    done = run(*words, **options)
    assert done.code == 0, f"{' '.join(map(str, words))}: {done}"
    return done


def families(build):
    """What `kumihimo info` says about the MPI families of this build."""
    return json.loads(succeed(build / "bin" / "kumihimo", "info", "--json").out)["families"]


def default_family(build):
    return json.loads(succeed(build / "bin" / "kumihimo", "info", "--json").out)["default_family"]


# A plain MPI program: prints how many ranks there are.
MPI_PROGRAM = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) printf("ranks %d\\n", size);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
"""

# A program with directives: the sum over a distributed array with a neighbour exchange, 2 * (1 + ... + 18) = 342.
XMP_PROGRAM = """
#include <stdio.h>
#include <xmp.h>
#define N 20
int x[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align x[i] with t[i]
#pragma xmp shadow x[1]
int main(void) {
    int sum = 0;
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) x[i] = i;
#pragma xmp reflect (x)
#pragma xmp loop on t[i] reduction(+:sum)
    for (int i = 1; i < N - 1; i++) sum += x[i - 1] + x[i + 1];
#pragma xmp task on p[0]
    printf("sum %d on %d nodes\\n", sum, xmp_all_num_nodes());
    return 0;
}
"""
