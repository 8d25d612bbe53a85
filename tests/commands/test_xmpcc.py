"""xmpcc and xmpf90 behave like mpicc and mpifort on files without directives, alone, under make and under CMake."""

import os
import re
import signal
import subprocess

import pytest
from command_support import CLEAN, MPI_PROGRAM, families, run, succeed
from waiting import wait_for


@pytest.fixture
def xmpcc(build):
    return build / "bin" / "xmpcc"


@pytest.fixture
def here(tmp_path):
    """A directory with a program of two files: prints SIZE (default 3)."""
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "size.h").write_text("#ifndef SIZE\n#define SIZE 3\n#endif\nint size(void);\n")
    (tmp_path / "size.c").write_text(  # of libm, which xmpcc links
        '#include <math.h>\n#include "size.h"\nvolatile double cube = SIZE * SIZE * SIZE;\n'
        "int size(void) { return (int)(cbrt(cube) + 0.5); }\n"
    )
    main = '#include <stdio.h>\n#include "size.h"\nint main(void) { printf("%d\\n", size()); return 0; }\n'
    (tmp_path / "main.c").write_text(main)
    return tmp_path


def test_several_files_objects_and_archives(xmpcc, here):
    succeed(xmpcc, "-c", "-Iinclude", "-DSIZE=5", "size.c", cwd=here)
    succeed("ar", "rcs", "libsize.a", "size.o", cwd=here)
    succeed(xmpcc, "-Iinclude", "main.c", "size.o", "-o", "objects", cwd=here)
    succeed(xmpcc, "-Iinclude", "main.c", "-L.", "-lsize", "-o", "archive", cwd=here)
    succeed(xmpcc, "-I", "include", "-USIZE", "main.c", "size.c", cwd=here)
    assert [succeed(here / name).out for name in ("objects", "archive", "a.out")] == ["5\n", "5\n", "3\n"]


def test_shared_library_and_linker_options(xmpcc, here):
    succeed(xmpcc, "-fPIC", "-shared", "-Iinclude", "size.c", "-o", "libsize.so", cwd=here)
    succeed(xmpcc, "-Iinclude", "main.c", "-L.", "-lsize", f"-Wl,-rpath,{here}", "-o", "main", cwd=here)
    assert succeed(here / "main").out == "3\n"


def test_link_only_and_mpi(xmpcc, build, tmp_path):
    (tmp_path / "ranks.c").write_text(MPI_PROGRAM)
    for family in families(build):
        succeed(xmpcc, f"--mpi={family}", "-c", "ranks.c", cwd=tmp_path)
        succeed(xmpcc, "ranks.o", "-o", "ranks", cwd=tmp_path, env={"KUMIHIMO_MPI": family})
        assert succeed(build / "bin" / "xmprun", "-n", "2", "ranks", cwd=tmp_path).out == "ranks 2\n"


def test_programs_without_xmp_do_not_load_the_library(xmpcc, here):
    succeed(xmpcc, "-Iinclude", "main.c", "size.c", "-o", "main", cwd=here)
    assert "libkumihimo" not in succeed("readelf", "-d", here / "main").out


def test_other_stages(xmpcc, here):
    assert "int size(void);" in succeed(xmpcc, "-E", "-Iinclude", "size.c", cwd=here).out
    succeed(xmpcc, "-S", "-Iinclude", "size.c", cwd=here)
    assert "size:" in (here / "size.s").read_text()
    assert "size.o: size.c include/size.h" in succeed(xmpcc, "-MM", "-Iinclude", "size.c", cwd=here).out
    succeed(xmpcc, "-c", "-MMD", "-Iinclude", "size.c", cwd=here)
    assert "include/size.h" in (here / "size.d").read_text()


def test_source_from_standard_input(xmpcc, tmp_path):
    succeed(xmpcc, "-x", "c", "-", "-o", "main", cwd=tmp_path, text="int main(void) { return 0; }")
    succeed(tmp_path / "main")


def test_response_file(xmpcc, here):
    (here / "words").write_text("-Iinclude -DSIZE=8\nmain.c size.c")
    succeed(xmpcc, "@words", cwd=here)
    assert succeed(here / "a.out").out == "8\n"


def test_default_optimisation_gives_way_to_the_users(xmpcc, here):
    assert " -O3 " in succeed(xmpcc, "-show", "-c", "main.c", cwd=here).out
    shown = succeed(xmpcc, "-show", "-c", "-O1", "main.c", cwd=here).out
    assert " -O1 " in shown and "-O3" not in shown


def test_show_runs_nothing_and_can_be_run_by_hand(xmpcc, here):
    shown = succeed(xmpcc, "-show", "-Iinclude", "main.c", "size.c", "-o", "main", cwd=here).out
    assert not (here / "main").exists()
    succeed("sh", "-c", shown, cwd=here)
    assert succeed(here / "main").out == "3\n"


def test_showme_parts_suffice_for_the_plain_compiler(xmpcc, tmp_path):
    (tmp_path / "ranks.c").write_text(MPI_PROGRAM)
    compile_options = succeed(xmpcc, "-showme:compile").out
    link_options = succeed(xmpcc, "-showme:link").out
    succeed("sh", "-c", f"gcc {compile_options.strip()} ranks.c {link_options.strip()} -o ranks", cwd=tmp_path)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["missing.c"], 1, "missing.c"),
        (["broken.c", "-c"], 1, "broken.c:1:"),
        (["-c", "broken.c", "-o"], 2, "missing operand after '-o'"),
        (["--mpi=foo", "main.c"], 2, "no libraries for the MPI family 'foo'; it has: "),
        ([], 1, "no input files"),
    ],
)
def test_errors_and_exit_codes(xmpcc, here, words, code, message):
    (here / "broken.c").write_text("int main(void) { return }\n")
    done = run(xmpcc, *words, cwd=here)
    assert done.code == code and message in done.err


def test_exit_code_is_the_compilers(xmpcc, here):
    (here / "compiler").write_text("#!/bin/sh\nexit 42\n")
    (here / "compiler").chmod(0o755)
    assert run(xmpcc, "-c", "size.c", cwd=here, env={"KUMIHIMO_CC": "./compiler"}).code == 42
    done = run(xmpcc, "-c", "size.c", cwd=here, env={"KUMIHIMO_CC": "./no-compiler"})
    assert done.code == 127 and "cannot run the compiler ./no-compiler" in done.err


def test_compiler_may_carry_options(xmpcc, here):
    assert succeed(xmpcc, "-show", "main.c", cwd=here, env={"KUMIHIMO_CC": "gcc -m64"}).out.startswith("gcc -m64 ")


def test_version_and_help(xmpcc, build):
    assert re.match(r"xmpcc \(Kumihimo\) \d+\.\d+\.\d+, \w+ [\d.]+\n.*gcc", succeed(xmpcc, "--version").out)
    assert "--save-temps" in succeed(xmpcc, "--help").out
    assert "usage: xmpf90" in succeed(build / "bin" / "xmpf90", "--help").out
    assert succeed(xmpcc, "-dumpversion").out.strip().split(".")[0].isdigit()
    assert "gcc version" in succeed(xmpcc, "-v").err


def test_directives_of_the_other_language_are_not_ignored(build, tmp_path):
    (tmp_path / "a.f90").write_text("program p\n!$xmp nodes q(*)\nend program\n")
    (tmp_path / "a.c").write_text("#pragma xmp nodes q[*]\n")
    done = run(build / "bin" / "xmpcc", "-c", "a.f90", cwd=tmp_path)
    assert done.code == 1 and "compile it with xmpf90" in done.err
    done = run(build / "bin" / "xmpf90", "-c", "a.c", cwd=tmp_path)
    assert done.code == 1 and "compile it with xmpcc" in done.err


PART_FOR_CXX = """#include "part.h"
double x[16];
#pragma xmp nodes p[*]
#pragma xmp template t[16]
#pragma xmp distribute t[block] onto p
#pragma xmp align x[i] with t[i]
double sum_of_squares(void) {
    double sum = 0;
#pragma xmp loop on t[i] reduction(+:sum)
    for (int i = 0; i < 16; i++) sum += (x[i] = i) * i;
    return sum;
}
"""
CXX_MAIN = """#include <iostream>
#include <xmp.h>
extern "C" {
#include "part.h"
}
int main(int argc, char **argv) {
    xmp_init_mpi(&argc, &argv);
    const double sum = sum_of_squares();
    if (xmpc_node_num() == 0) std::cout << sum << " on " << xmp_num_nodes() << std::endl;
}
"""


@pytest.mark.parametrize("inputs", [("main.cpp", "part.c"), ("main.cpp", "part.o"), ("main.o", "part.o")])
def test_a_main_in_cxx_with_a_part_in_c(xmpcc, build, tmp_path, inputs):
    (tmp_path / "part.h").write_text("double sum_of_squares(void);\n")
    (tmp_path / "part.c").write_text(PART_FOR_CXX)
    (tmp_path / "main.cpp").write_text(CXX_MAIN)
    for family in families(build):
        objects = [name.replace(".o", suffix) for name, suffix in zip(inputs, (".cpp", ".c")) if name.endswith(".o")]
        if objects:
            succeed(xmpcc, f"--mpi={family}", "-c", *objects, cwd=tmp_path)
        succeed(xmpcc, f"--mpi={family}", *inputs, "-o", "program", cwd=tmp_path)
        assert succeed(build / "bin" / "xmprun", "-n", "2", "program", cwd=tmp_path).out == "1240 on 2\n"


def test_c_programs_are_not_linked_with_the_library_of_cxx(xmpcc, here):
    succeed(xmpcc, "-c", "-Iinclude", "main.c", "size.c", cwd=here)
    assert "-lstdc++" not in succeed(xmpcc, "-show", "main.o", "size.o", cwd=here).out


def test_directives_in_cxx_are_refused_with_what_to_do(xmpcc, tmp_path):
    (tmp_path / "grid.hpp").write_text("extern double x[10];\n#pragma xmp nodes p[*]\n")
    (tmp_path / "own.cpp").write_text("double x[10];\n\n#pragma xmp nodes p[*]\nint main() {}\n")
    (tmp_path / "header.cpp").write_text('#include "grid.hpp"\nint main() {}\n')
    for name, place in (("own.cpp", "own.cpp:3"), ("header.cpp", "grid.hpp:2")):
        done = run(xmpcc, name, cwd=tmp_path)
        assert done.code == 1
        assert done.err.startswith(f"xmpcc: {place}: XMP directives are translated in C and Fortran, not in C++\n")
        assert 'extern "C"' in done.err and "xmp_init_mpi(&argc, &argv)" in done.err and "docs/how-to/cpp.md" in done.err
    assert not list(tmp_path.glob("*.o")) and not (tmp_path / "a.out").exists()


def test_plain_fortran(build, tmp_path):
    calls = "  call mpi_init(e)\n  print '(a)', 'started'\n  call mpi_finalize(e)\n"
    program = f"program p\n  use mpi\n  integer :: e\n{calls}end program\n"
    (tmp_path / "p.f90").write_text(program)
    for family, found in families(build).items():
        if not found["fortran_compiler"]:
            pytest.skip(f"{family} has no Fortran compiler here")
        succeed(build / "bin" / "xmpf90", f"--mpi={family}", "p.f90", "-o", "p", cwd=tmp_path)
        assert succeed(build / "bin" / "xmprun", "-n", "1", "p", cwd=tmp_path).out == "started\n"


def test_parallel_make(xmpcc, tmp_path):
    count = 12
    for number in range(count):
        (tmp_path / f"f{number}.c").write_text(f"int f{number}(void) {{ return {number}; }}\n")
    calls = " + ".join(f"f{number}()" for number in range(count))
    declarations = "".join(f"int f{number}(void);" for number in range(count))
    (tmp_path / "main.c").write_text(f"{declarations}\nint main(void) {{ return {calls}; }}\n")
    objects = " ".join(["main.o", *(f"f{number}.o" for number in range(count))])
    (tmp_path / "Makefile").write_text(f"CC = {xmpcc}\nmain: {objects}\n")
    succeed("make", "-j4", cwd=tmp_path)
    assert run(tmp_path / "main").code == sum(range(count))


def test_compiler_of_a_cmake_project(xmpcc, here):
    (here / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(sizes C)\ninclude(CheckFunctionExists)\n"
        "check_function_exists(MPI_Init found_mpi)\nif(NOT found_mpi)\n  message(FATAL_ERROR no-mpi)\nendif()\n"
        "add_library(size STATIC size.c)\ntarget_include_directories(size PUBLIC include)\n"
        "add_executable(main main.c)\ntarget_link_libraries(main size)\n"
    )
    succeed("cmake", "-S", ".", "-B", "out", f"-DCMAKE_C_COMPILER={xmpcc}", cwd=here)
    succeed("cmake", "--build", "out", "-j2", cwd=here)
    assert succeed(here / "out" / "main").out == "3\n"


def test_a_link_to_the_command_works(xmpcc, here):
    (here / "mycc").symlink_to(xmpcc)
    succeed(here / "mycc", "-Iinclude", "-c", "size.c", cwd=here)


def test_terminating_xmpcc_leaves_nothing_behind(xmpcc, tmp_path):
    """The compiler is stopped too, and the temporary directory goes."""
    (tmp_path / "slow").write_text('#!/bin/sh\ncase "$*" in *-E*) exec gcc "$@" ;; esac\ntouch started\nexec sleep 50\n')
    (tmp_path / "slow").chmod(0o755)
    (tmp_path / "tmp").mkdir()
    (tmp_path / "a.c").write_text("#pragma xmp nodes p[*]\nvoid f(void) {}\n")
    environment = {**CLEAN, "KUMIHIMO_CC": str(tmp_path / "slow"), "TMPDIR": str(tmp_path / "tmp")}
    process = subprocess.Popen([xmpcc, "-c", "a.c"], cwd=tmp_path, env=environment, start_new_session=True)
    assert wait_for(lambda: (tmp_path / "started").exists())
    assert os.listdir(tmp_path / "tmp") != []
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 128 + signal.SIGTERM
    assert os.listdir(tmp_path / "tmp") == []
    with pytest.raises(ProcessLookupError):  # soon no process of the session is left
        wait_for(lambda: os.killpg(process.pid, 0))
