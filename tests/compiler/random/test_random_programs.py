"""Random programs on several nodes against their serial meaning (random_programs.py by hand: any number of them).

A failure names the case; random_programs.py --seed S --only N has it again."""

import re

import missing_barriers
import pytest
from missing_reflects import missed, run_case, untold
from phases import PhasedCase
from trials import FortranTrial, Trial, differences_of, output_of, seed_of_this_run

CASES = 40
PROGRAMS = 2


@pytest.mark.parametrize("number", range(PROGRAMS))
def test_cases(build, tmp_path, number):
    seed = seed_of_this_run()
    print(f"seed {seed}")
    numbers = range(number * CASES, (number + 1) * CASES)
    wrong = differences_of(lambda some: Trial(build, tmp_path, seed, some, ["-O0"]), numbers, (2, 7))
    assert not wrong, f"seed {seed}: {len(wrong)} differences, the first:\n" + "\n".join(wrong[:5])


@pytest.mark.parametrize("form", ["free", "fixed"])
def test_fortran(build, tmp_path, form):
    if not (build / "lib" / "fortran" / "kumihimo_generated.mod").exists():
        pytest.skip("this build found no gfortran")
    seed = seed_of_this_run()
    print(f"seed {seed}")
    first = 0 if form == "free" else CASES // 2

    def trial_of(numbers):
        return FortranTrial(build, tmp_path / f"{numbers[0]}-{numbers[-1]}", seed, numbers, ["-O0"], form=form)

    wrong = differences_of(trial_of, range(first, first + CASES // 2), (2, 7))
    assert not wrong, f"seed {seed}: {len(wrong)} differences, the first:\n" + "\n".join(wrong[:5])


def test_a_crash_names_its_case(build, tmp_path):
    class Crashing(Trial):
        def compile(self):
            assert self.cases

        def run(self, nodes):
            return output_of(["false" if 3 in [case.number for case in self.cases] else "true"], tmp_path)

    wrong = differences_of(lambda numbers: Crashing(build, tmp_path, "1", numbers), range(2, 5), (2,))
    assert len(wrong) == 1 and wrong[0].startswith("case 3 alone: false: exit code 1")


def test_a_number_is_one_program(build, tmp_path):
    texts = [Trial(build, tmp_path, "7", [number]).cases[0].lines(True) for number in (3, 4, 3)]
    assert texts[0] == texts[2] != texts[1]


def test_a_wrong_program_is_noticed(build, tmp_path):
    """Without its reduction clauses a program gives other results on two nodes than serially."""
    trial = Trial(build, tmp_path, "1", range(10), ["-O0"])
    text = trial.parallel()
    without = re.sub(r"(#pragma xmp loop .*?) reduction.*", r"\1", text)
    assert text.count("reduction") > without.count("reduction")
    trial.parallel = lambda: without
    trial.compile()
    assert trial.run(1) == [] != trial.run(2)


def test_check_has_no_finding_in_right_programs(build, tmp_path):
    seed = seed_of_this_run()
    print(f"seed {seed}")
    trial = Trial(build, tmp_path, seed, range(1000, 1030), ["--check", "-O0"])
    trial.compile()
    assert trial.run(3) == []


def test_check_finds_missing_reflects(build, tmp_path):
    """With the lines of the read and of the write (missing_reflects.py by hand: any number of them)."""
    seed = seed_of_this_run()
    print(f"seed {seed}")
    assert missed(build, tmp_path, seed, count=8, nodes=3) == []


def test_missing_reductions_are_told(build, tmp_path):
    """At their loops and nowhere else (missing_reflects.py --reductions by hand: any number of them)."""
    seed = seed_of_this_run()
    print(f"seed {seed}")
    assert untold(build, tmp_path, seed, count=8) == []


def test_check_finds_missing_barriers(build, tmp_path):
    """And nothing in the right programs (missing_barriers.py by hand: any number of them)."""
    seed = seed_of_this_run()
    print(f"seed {seed}")
    assert missing_barriers.missed(build, tmp_path, seed, count=4, nodes=3) == []
    program, _ = missing_barriers.compiled(build, tmp_path, [(PhasedCase(seed, number), None) for number in range(100)])
    assert run_case(program, -1, 3).stderr == ""
