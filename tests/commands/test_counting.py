"""tools/test counts: registered = run + skipped with a reason, and nothing that fails or gets lost ends well."""

import pathlib
import sys

import pytest
from command_support import run

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def ctest_project(tmp_path):
    """Returns a function that runs tools/test on a project with these tests: {name: (shell command, CMake properties)}."""

    def count(tests):
        text = "cmake_minimum_required(VERSION 3.22)\nproject(tests NONE)\nenable_testing()\n"
        for name, (command, properties) in tests.items():
            text += f'add_test(NAME {name} COMMAND sh -c "{command}")\n'
            text += f"set_tests_properties({name} PROPERTIES {properties})\n" if properties else ""
        (tmp_path / "CMakeLists.txt").write_text(text)
        assert run("cmake", "-S", tmp_path, "-B", tmp_path / "out").code == 0
        return run(sys.executable, ROOT / "tools" / "test", "--only", "ctest", "--build", tmp_path / "out")

    return count


def test_all_run_or_skipped_with_a_reason(ctest_project):
    done = ctest_project(
        {
            "one": ("true", ""),
            "two": ("true", ""),
            "three": ("printf 'x.cpp:1: Skipped\\\\nno PnetCDF here\\\\n'", 'SKIP_REGULAR_EXPRESSION "Skipped"'),
        }
    )
    assert done.code == 0, done
    assert "ctest: registered 3 = run 2 + skipped 1" in done.out and "skipped three: no PnetCDF here" in done.out
    assert done.out.splitlines()[-1].startswith("100% tests passed, 0 tests failed out of")


def test_a_failure_is_a_failure(ctest_project):
    done = ctest_project({"one": ("true", ""), "two": ("false", "")})
    assert done.code == 1 and "PROBLEM: ctest: failed" in done.out and "1 tests failed out of 2" in done.out.splitlines()[-1]


def test_no_tests_at_all_is_a_failure(ctest_project):
    done = ctest_project({})
    assert done.code == 1 and "PROBLEM: ctest: no tests" in done.out


def test_disabled_tests_are_skipped_not_run(ctest_project):
    done = ctest_project({"one": ("true", ""), "two": ("true", "DISABLED TRUE")})
    assert "ctest: registered 2 = run 1 + skipped 1" in done.out and "skipped two: disabled in CMakeLists.txt" in done.out


def test_programs_that_are_missing_are_failures(ctest_project):
    done = ctest_project({"one": ("true", ""), "two": ("exec /no/such/program", "")})
    assert done.code == 1 and "PROBLEM: ctest: failed" in done.out
