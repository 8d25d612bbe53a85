"""64 ranks on 8 hosts: programs with reductions, neighbours and coarrays have their serial output, in the long form."""

import pathlib
import sys

import pytest
from long_form import LONG_FORM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "commands"))
from command_support import families, succeed

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
PROGRAMS = {"laplace": ["-DN=96"], "cg": [], "monte_carlo": []}


pytestmark = [
    pytest.mark.skipif(not LONG_FORM, reason="takes its time (KUMIHIMO_TEST_LONG=1)"),
    pytest.mark.timeout(3600),
]


def outputs(made, build, directory, source, *options):
    """(family, lines in order) on 64 nodes."""
    for family in families(build):
        program = directory / family
        succeed(build / "bin" / "xmpcc", f"--mpi={family}", *options, source, "-o", program, "-lm")
        done = made.run(build / "bin" / "xmprun", "-n", "64", program, capture_output=True, text=True)
        assert done.returncode == 0, f"{family}: {done}"
        yield family, sorted(done.stdout.splitlines())


@pytest.mark.parametrize("program", PROGRAMS)
def test_same_as_serial(hosts, build, tmp_path, program):
    source = EXAMPLES / program / f"{program}.c"
    succeed("gcc", "-O3", *PROGRAMS[program], source, "-o", tmp_path / "serial", "-lm")
    expected = sorted(succeed(tmp_path / "serial").out.splitlines())
    assert expected
    for family, found in outputs(hosts([8] * 8), build, tmp_path, source, *PROGRAMS[program]):
        assert found == expected, family


def test_coarrays(hosts, build, tmp_path):
    """Heat is neither made nor lost. A step is two barriers of six rounds: in each all 64 images must have had a processor."""
    steps = "#define STEPS 2000"
    text = (EXAMPLES / "coarray_halo" / "coarray_halo.c").read_text()
    assert steps in text
    source = tmp_path / "coarray_halo.c"
    source.write_text(text.replace(steps, "#define STEPS 100"))
    for family, found in outputs(hosts([8] * 8), build, tmp_path, source):
        assert found[0].startswith("energy 10000.000000 after 100 steps on 64 images, "), family
