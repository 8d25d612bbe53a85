"""A minute of libFuzzer for each target, in the long form."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from long_form import LONG_FORM


@pytest.mark.timeout(1800)
def test_a_minute_for_each_target(build, tmp_path):
    if not LONG_FORM:
        pytest.skip("takes minutes (KUMIHIMO_TEST_LONG=1)")
    if shutil.which("clang++") is None:
        pytest.skip("clang is not installed (Debian: clang)")
    fuzz = Path(__file__).with_name("fuzz.py")
    words = [sys.executable, fuzz, "--build", build, "--corpus", tmp_path, "--seconds", "60"]
    done = subprocess.run(words, capture_output=True, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(int(count) > 1000 for count in re.findall(r"(\d+) executions", done.stdout))
