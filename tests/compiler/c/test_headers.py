"""The headers of the machine: every declaration parses, and what programs use has gcc's types."""

import os
import subprocess

import pytest
from kumihimo.compiler.c.reading import types
from support import unit_of

HEADERS = """
assert complex ctype errno fenv float inttypes limits locale math setjmp signal stdalign stdarg stdatomic stdbool stddef
stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype unistd pthread omp immintrin sys/types
sys/socket sys/stat sys/time sys/mman poll dirent fcntl semaphore sched regex netdb ucontext obstack search
""".split()


def _command():
    """gcc with mpi.h, wherever mpicc finds it."""
    for option in ("--showme:compile", "-compile_info"):
        try:
            output = subprocess.run(["mpicc", option], capture_output=True, text=True)
        except OSError:
            return None
        if output.returncode == 0:
            return ["gcc"] + [word for word in output.stdout.split() if word.startswith("-I")]
    return None


@pytest.mark.parametrize("header", HEADERS)
def test_every_declaration_parses(tmp_path, header):
    unit = unit_of(tmp_path, f"#define _GNU_SOURCE\n#include <{header}.h>\n")
    unit.scope.headers.parse_all()
    assert [str(failure) for failure in unit.scope.headers.failures] == []
    assert unit.items == []


def test_mpi(tmp_path):
    command = _command()
    if command is None:
        pytest.skip("no mpicc")
    unit = unit_of(
        tmp_path,
        "#include <mpi.h>\nMPI_Comm c; MPI_Status s;\nint f(void) { s.MPI_SOURCE; return MPI_Comm_rank(c, 0); }\n",
        command=command,
    )
    assert types.render(unit.scope.lookup("MPI_Send").type.result) == "int"
    assert len(unit.scope.headers.parsed) < 20, "a name costs its own declarations only"
    unit.scope.headers.parse_all()
    assert unit.scope.headers.failures == []


USES = """
stdout | fopen("", "") | printf("") | strtod("", 0) | malloc(1) | div(1, 2).quot | sqrt(2.0) | sqrtf(1.f) | fabsl(1.L)
strlen("") | errno
(struct tm){0}.tm_year | time(0) | sizeof(pthread_mutex_t) | INT64_MAX | SIZE_MAX | getpid() | (struct stat){0}.st_size
HUGE_VAL | cpow(1, I)
isfinite(1.0) | va_list_user(0) | localtime(0)->tm_zone | toupper(1) | NAN | DBL_EPSILON | (struct sigaction){0}.sa_flags
fegetround()
"""


def test_types_of_what_programs_use(tmp_path):
    head = "#define _GNU_SOURCE\n" + "".join(
        f"#include <{h}.h>\n"
        for h in (
            "stdio stdlib string math complex time pthread stdint errno unistd sys/stat stdarg ctype float signal fenv"
        ).split()
    )
    head += "va_list *va_list_user(int);\n"
    every = [e.strip() for line in USES.strip().splitlines() for e in line.split(" | ")]
    unit = unit_of(tmp_path, head + "void f(void) {\n" + "".join(f"    {e};\n" for e in every) + "}\n")
    statements = unit.items[-1].body.items
    program = head + "void f(void) {\n"
    for written, statement in zip(every, statements):
        name = types.render(types.decay(statement.expression.type))
        program += f'_Static_assert(__builtin_types_compatible_p(__typeof__((void)0, ({written})), {name}), "{name}");\n'
    result = subprocess.run(
        ["gcc", "-w", "-fsyntax-only", "-x", "c", "-"], input=program + "}\n", capture_output=True, text=True
    )
    assert result.stderr == ""


def test_generated_header(tmp_path):
    include = os.path.join(os.path.dirname(__file__), "..", "..", "..", "runtime", "include")
    unit = unit_of(tmp_path, '#include "kumihimo/generated.h"\nXMP_Array *a;\n', command=["gcc", f"-I{include}"])
    unit.scope.headers.parse_all()
    assert unit.scope.headers.failures == []
    array = types.resolve(types.pointed(unit.items[0].declarators[0].type))
    assert types.render(array.field("origin").type) == "void *"
