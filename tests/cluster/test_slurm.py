"""xmprun and the doctor in jobs of Slurm on two hosts: sbatch, salloc, srun by PMIx and PMI2, and mpiexec."""

import collections
import json
import pathlib
import sys

import pytest
from long_form import LONG_FORM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "commands"))
from command_support import families, succeed
from hosts import Missing
from slurm import Slurm

PROGRAM = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <xmp.h>
#pragma xmp nodes p[*]
int from:[*];
int main(int argc, char** argv) {
    char host[MPI_MAX_PROCESSOR_NAME];
    int length;
    const int me = xmpc_this_image(), images = xmp_num_images();
    const char* told = getenv("KUMIHIMO_TIMEOUT");
    MPI_Get_processor_name(host, &length);
    from:[(me + 1) % images] = me + 1;
    xmp_sync_all(NULL);
    printf("%s rank %d of %d timeout %s %s\\n", host, me, images, told ? told : "none",
           from == (me + images - 1) % images + 1 ? "right" : "wrong");
    return argc > 1 ? atoi(argv[1]) : 0;
}
"""


@pytest.fixture
def slurm(hosts):
    made = Slurm(hosts([2, 2]))
    try:
        made.up()
    except Missing as reason:
        pytest.skip(str(reason))
    return made


@pytest.fixture(scope="module")
def programs(build, tmp_path_factory):
    """{family: path}"""
    directory = tmp_path_factory.mktemp("slurm")
    (directory / "program.c").write_text(PROGRAM)
    found = {family: directory / family for family in families(build)}
    for family, program in found.items():
        succeed(build / "bin" / "xmpcc", f"--mpi={family}", directory / "program.c", "-o", program)
    return found


def places(text):
    """{host: its ranks}"""
    found = collections.defaultdict(list)
    for line in text.splitlines():
        host, _, rank, _, _, _, told, verdict = line.split()
        assert (told, verdict) == ("77", "right"), text
        found[host].append(int(rank))
    return {host: sorted(ranks) for host, ranks in found.items()}


BY_BLOCKS = {"host1": [0, 1], "host2": [2, 3]}
SETTINGS = {"KUMIHIMO_TIMEOUT": "77"}
# (allocation, options of xmprun): without --launcher by srun.
WAYS = {
    "srun": ("-N2 -n4", ""),
    "mpiexec": ("-N2 -n4", "--launcher=mpiexec -n 4"),
    "an environment that stays": ("-N2 -n4", "--export=NONE"),
    "more ranks than tasks": ("-N2 -n2", "-n4"),
}
SHORT = {"openmpi": [], "mpich": ["more ranks than tasks"]}  # besides sbatch, which starts by srun


def test_jobs(slurm, build, programs, tmp_path):
    """One start of Slurm serves all."""
    xmprun = build / "bin" / "xmprun"
    for family, program in programs.items():
        output, script = tmp_path / f"{family}.out", tmp_path / f"{family}.sh"
        script.write_text(f"#!/bin/sh\n#SBATCH -N 2\n#SBATCH -n 4\nexec {xmprun} {program} 3\n")
        ended = slurm.batch(f"--output={output}", script, settings=SETTINGS)
        assert ended == ("FAILED", 3), f"the program's exit code: {ended} {output.read_text()}{slurm.logs()}"
        lines = [line for line in output.read_text().splitlines() if " rank " in line]
        assert places("\n".join(lines)) == BY_BLOCKS
        for way in WAYS if LONG_FORM else SHORT[family]:
            allocation, options = WAYS[way]
            words = ["salloc", *allocation.split(), xmprun, *options.split(), program]
            done = slurm.run(*words, settings=SETTINGS, capture_output=True, text=True)
            assert done.returncode == 0, f"{way}: {done.stdout}{done.stderr}{slurm.logs()}"
            found = places(done.stdout)
            assert found == BY_BLOCKS or way == "more ranks than tasks" and found.keys() == BY_BLOCKS.keys(), f"{way}: {found}"
    doctor_in_an_allocation(slurm, build, tmp_path)


def doctor_in_an_allocation(slurm, build, directory):
    words = [build / "bin" / "kumihimo", "doctor", "--json", "--mpi=openmpi", f"--directory={directory}"]
    done = slurm.run("salloc", "-N2", "-n4", *words, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}{slurm.logs()}"
    found = {check["name"]: check["found"] for check in json.loads(done.stdout)["checks"]}
    assert found["hosts"] == "2 answer: host1, host2"
    assert "4 images, transport messages (images are on several machines)" in found["coarrays on 2 hosts (openmpi)"]
