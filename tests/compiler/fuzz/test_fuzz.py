"""Mutated programs end in a translation or in a diagnostic (fuzz.py by hand: any number of them).

The seed is fixed, so that a change fails for what it changed; KUMIHIMO_TEST_SEED and KUMIHIMO_FUZZ_COUNT choose others. A
failure says how to have it again."""

import os

from fuzz import Fuzzer
from long_form import LONG_FORM
from translation import what_is_wrong


def test_mutations(tmp_path):
    seed = int(os.environ.get("KUMIHIMO_TEST_SEED") or 1)
    count = int(os.environ.get("KUMIHIMO_FUZZ_COUNT") or (10000 if LONG_FORM else 120))
    print(f"seed {seed}")
    fuzzer = Fuzzer(seed, tmp_path)
    wrong = [found[1] for found in map(fuzzer.attempt, range(count)) if found]
    assert not wrong, f"{len(wrong)} of {count}, the first:\n{wrong[0]}"


def test_a_number_is_one_text(tmp_path):
    for number in (7, 8, 4711):
        first, again = (Fuzzer(1, tmp_path).mutate(number)[0].read_bytes() for _ in range(2))
        assert first == again


def test_what_counts_as_wrong():
    """The fuzzer would notice: an exception, endless work, a lost message."""

    class Outcome:
        def __init__(self, ok, text, diagnostics):
            self.ok, self.text, self.diagnostics = ok, text, diagnostics

    def endless():
        while True:
            pass

    assert what_is_wrong(lambda: [][0])[0].startswith("IndexError at test_fuzz.py:")
    assert what_is_wrong(endless, 0.01)[0] == "more than 0.01 s"
    assert what_is_wrong(lambda: Outcome(False, None, ""))[0] == "an error without a place"
    assert what_is_wrong(lambda: Outcome(True, None, ""))[0] == "no text and no error"
    assert what_is_wrong(lambda: Outcome(False, "", "a.c:1: error: no"))[0] == "text in spite of an error"
    assert what_is_wrong(lambda: Outcome(False, None, "a.c:1: error: no")) is None
