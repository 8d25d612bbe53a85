"""Directives with one wrong word: the message points at it (breakages.py by hand: any number of them)."""

import collections

import pytest
from breakages import Breakage, Breakages, C, Fortran, Trial, share
from long_form import LONG_FORM

# How many, and the percentage of them whose message points at the word: of a few, chance may take some more away.
COUNT, LEAST = (1000, 95) if LONG_FORM else (30, 80)


@pytest.mark.parametrize("language", [C, Fortran], ids=["c", "fortran"])
def test_messages_point_at_the_broken_word(build, tmp_path, language):
    breakages, trial, counts, far = Breakages(1, language), Trial(tmp_path, build, language), collections.Counter(), []
    for number in range(COUNT):
        breakage = breakages.draw(number)
        outcome, messages = trial.outcome(breakage)
        assert outcome not in ("gcc", "failure"), f"{number}: {breakage}\n{messages}"
        counts[outcome] += 1
        if outcome == "far":
            far.append(f"{number}: {breakage}\n{messages}")
    print(f"{dict(counts)}: {share(counts):.1f} %")
    assert share(counts) >= LEAST, "\n".join(far)


def test_what_is_near():
    """The tool would notice a message that points elsewhere."""
    breakage = Breakage(None, 1, "misspelt", "block", "#pragma xmp distribute t[blok] onto p", 2, 4)
    columns = [column for column in range(1, 40) if breakage.near(column)]
    assert (columns[0], columns[-1]) == (len("#pragma xmp distribute t") + 1, len("#pragma xmp distribute t[blok]"))
