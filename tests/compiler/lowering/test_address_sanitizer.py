"""AddressSanitizer sees an access beyond a global array's block, before it and behind it, and none inside."""

import os
import subprocess

import pytest

PROGRAM = """#include <xmp.h>
#define N 1024
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
double a[N];
#pragma xmp align a[i] with t[i]
int main(int argc, char **argv) {
    double *mine;
    int stored;
    xmp_array_laddr(xmp_desc_of(a), (void **)&mine);
    xmp_array_lsize(xmp_desc_of(a), 1, &stored);
    for (int i = 0; i < stored; i++) mine[i] = i;
    mine[argc == 1 ? 0 : argc == 2 ? stored : -1] = 1;
    return argv[0] == 0;
}
"""


@pytest.fixture(scope="module")
def program(build, tmp_path_factory):
    directory = tmp_path_factory.mktemp("sanitizer")
    (directory / "overrun.c").write_text(PROGRAM)
    command = [build / "bin" / "xmpcc", "-g", "-O1", "-fsanitize=address", "-o", "overrun", "overrun.c"]
    subprocess.run(command, cwd=directory, check=True)
    return directory / "overrun"


@pytest.mark.parametrize("arguments, seen", [((), False), (("behind",), True), (("before", "it"), True)])
def test_an_overrun_is_seen(build, program, arguments, seen):
    command = [build / "bin" / "xmprun", "-n", "2", program, *arguments]
    settings = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=120)
    assert (done.returncode != 0) == seen, done.stderr
    if seen:
        assert "use-after-poison" in done.stderr and "overrun.c:14" in done.stderr
