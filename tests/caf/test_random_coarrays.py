"""Some random coarray programs (random_coarrays.py) on both MPI families, one of them by way of xmpf90."""

import pytest
from long_form import LONG_FORM
from random_coarrays import Case, wrong

COUNT = 400 if LONG_FORM else 20
IMAGES = (1, 2, 3, 4, 7, 8) if LONG_FORM else (2, 7)


@pytest.mark.parametrize(("family", "by_xmpf90"), [("openmpi", False), ("mpich", True)])
def test_random_cases(family, by_xmpf90, build, tmp_path):
    if not (build / "lib" / family / "libkumihimo_caf.so").exists():
        pytest.skip(f"this build has no gfortran or no {family}")
    for first in range(0, COUNT, 20):
        cases = [Case(number, f"ci {family}") for number in range(first, first + 20)]
        assert wrong(cases, tmp_path, build, family, IMAGES, by_xmpf90) == []
