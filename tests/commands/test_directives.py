"""xmpcc on files with directives: what it leaves, what it tells, and that nobody is locked in."""

import os
import re

import pytest
from command_support import XMP_PROGRAM, default_family, families, run, succeed


@pytest.fixture
def xmpcc(build):
    return build / "bin" / "xmpcc"


@pytest.fixture
def here(tmp_path):
    (tmp_path / "sum.c").write_text(XMP_PROGRAM)
    return tmp_path


def xmprun(build, nodes, program):
    return succeed(build / "bin" / "xmprun", "-n", nodes, program).out


def test_compile_and_run_with_each_family(build, xmpcc, here):
    for family in families(build):
        succeed(xmpcc, f"--mpi={family}", "sum.c", "-o", "sum", cwd=here)
        for nodes in (1, 3):
            assert xmprun(build, nodes, here / "sum") == f"sum 342 on {nodes} nodes\n"


def test_compile_then_link(build, xmpcc, here):
    succeed(xmpcc, "-c", "-g", "-std=c11", "sum.c", cwd=here)
    succeed(xmpcc, "sum.o", "-o", "sum", cwd=here)
    assert xmprun(build, 2, here / "sum") == "sum 342 on 2 nodes\n"


def test_main_in_a_file_without_directives(build, xmpcc, here):
    (here / "sum.c").write_text(XMP_PROGRAM.replace("int main(void)", "int run(void)"))
    (here / "main.c").write_text("int run(void);\nint main(void) { return run(); }\n")
    succeed(xmpcc, "main.c", "sum.c", "-o", "sum", cwd=here)
    assert xmprun(build, 3, here / "sum") == "sum 342 on 3 nodes\n"


MPI_PROGRAM = """#include <mpi.h>
#include <stdio.h>
#include <xmp.h>
{before}
int main(int argc, char **argv) {{
    int provided = 0, size = 0;
    {start}
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == xmp_all_num_nodes()) fputs("as many\\n", stdout); /* in one piece: MPICH has no buffer */
    {end}
    return MPI_Finalize();
}}
"""
NODES = "#pragma xmp nodes p[*]"
FORTRAN_PROGRAM = """program total
  integer :: i, s
  !$xmp nodes p(*)
  !$xmp template t(10)
  !$xmp distribute t(block) onto p
  s = 0
  !$xmp loop on t(i) reduction(+:s)
  do i = 1, 10
    s = s + i
  end do
  !$xmp task on p(1)
  print *, s
  !$xmp end task
end program
"""


@pytest.mark.parametrize(
    "start, end",
    [
        ("MPI_Init(&argc, &argv);", NODES),
        ("MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);", "#pragma xmp barrier"),
        ("MPI_Init(&argc, &argv); xmp_init(MPI_COMM_WORLD);", "xmp_finalize();"),
    ],
)
def test_an_mpi_program_with_directives(build, xmpcc, tmp_path, start, end):
    """Its own MPI_Init and MPI_Finalize are no mistake; xmp_init starts the runtime where main does not (specification A.2)."""
    (tmp_path / "mixed.c").write_text(MPI_PROGRAM.format(before=NODES, start=start, end=end))
    for family in families(build):
        succeed(xmpcc, f"--mpi={family}", "mixed.c", "-o", "mixed", cwd=tmp_path)
        assert xmprun(build, 2, tmp_path / "mixed") == 2 * "as many\n"


def test_program_without_directives_does_not_start_mpi(xmpcc, here):
    (here / "plain.c").write_text("#include <mpi.h>\nint main(void) { int on; MPI_Initialized(&on); return on; }\n")
    succeed(xmpcc, "plain.c", "-o", "plain", cwd=here)
    succeed(here / "plain")


def test_saved_translation_compiles_with_plain_mpicc(build, xmpcc, here):
    succeed(xmpcc, "--save-temps", "sum.c", "-o", "sum", cwd=here)
    text = (here / "sum.xmp.c").read_text()
    assert "XMP_Loop" in text and not re.search(r"^\s*#\s*pragma\s+xmp", text, re.M)
    wrapper = families(build)[default_family(build)]["c_wrapper"]
    options = [succeed(xmpcc, part).out.split() for part in ("-showme:compile", "-showme:link")]
    succeed(wrapper, "-O2", *options[0], "sum.xmp.c", *options[1], "-o", "by-hand", cwd=here)
    assert xmprun(build, 2, here / "by-hand") == "sum 342 on 2 nodes\n"


@pytest.mark.parametrize("name", ["xmpcc", "xmpf90"])
def test_the_command_in_the_help_compiles_what_save_temps_left(build, tmp_path, name):
    suffix = {"xmpcc": ".c", "xmpf90": ".f90"}[name]
    (tmp_path / f"x{suffix}").write_text(XMP_PROGRAM if name == "xmpcc" else FORTRAN_PROGRAM)
    succeed(build / "bin" / name, "--save-temps", f"x{suffix}", "-o", "translated", cwd=tmp_path)
    help = succeed(build / "bin" / name, "--help").out
    command = next(line for line in help.splitlines() if f" x.xmp{suffix} $" in line).strip()
    path = f"{build / 'bin'}:{os.environ['PATH']}"
    succeed("sh", "-c", command, cwd=tmp_path, env={"PATH": path})
    assert xmprun(build, 2, tmp_path / "x") == xmprun(build, 2, tmp_path / "translated") != ""


def test_saved_translation_beside_the_object(xmpcc, here):
    (here / "out").mkdir()
    succeed(xmpcc, "--save-temps=obj", "-c", "sum.c", "-o", "out/sum.o", cwd=here)
    assert sorted(path.name for path in (here / "out").iterdir()) == ["sum.o", "sum.xmp.c"]


def test_show_names_the_translated_file(xmpcc, here):
    shown = succeed(xmpcc, "-show", "sum.c", "-o", "sum", cwd=here).out.splitlines()
    assert len(shown) == 2 and shown[0].endswith("sum.xmp.c") and "-lkumihimo" in shown[1]
    assert [path.name for path in here.iterdir()] == ["sum.c"]


def test_errors_of_the_compiler_name_the_users_file_and_line(xmpcc, here):
    (here / "sum.c").write_text(XMP_PROGRAM.replace("return 0;", "return nothing;"))
    line = XMP_PROGRAM[: XMP_PROGRAM.index("return 0;")].count("\n") + 1
    done = run(xmpcc, "-c", "sum.c", cwd=here)
    assert done.code == 1 and f"sum.c:{line}:" in done.err and "/tmp/xmpcc" not in done.err


def test_errors_of_directives_end_the_compilation(xmpcc, here):
    (here / "sum.c").write_text(XMP_PROGRAM.replace("on t[i] reduction", "onn t[i] reduction"))
    done = run(xmpcc, "-c", "sum.c", cwd=here)
    assert done.code == 1 and "sum.c:" in done.err and not (here / "sum.o").exists()


def test_debug_information_names_the_users_file(xmpcc, here):
    succeed(xmpcc, "-c", "-g", "sum.c", cwd=here)
    names = succeed("readelf", "--debug-dump=info", "--dwarf-depth=1", here / "sum.o").out
    assert "sum.c" in names and "/xmpcc-" not in names


def test_dependencies_are_those_of_the_users_file(xmpcc, here):
    (here / "size.h").write_text("#pragma xmp nodes q[*]\n")
    (here / "sum.c").write_text('#include "size.h"\n' + XMP_PROGRAM)
    succeed(xmpcc, "-c", "-MMD", "-MP", "sum.c", "-o", "sum.obj", cwd=here)
    text = (here / "sum.d").read_text()
    assert text.startswith("sum.obj: sum.c size.h") and "/xmpcc-" not in text
    succeed(xmpcc, "-c", "-MD", "-MF", "other.d", "-MT", "goal", "sum.c", cwd=here)
    text = (here / "other.d").read_text()
    assert text.startswith("goal: sum.c ") and " size.h" in text and "stdio.h" in text


def test_headers_beside_a_file_in_another_directory(build, xmpcc, tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "size.h").write_text("#define LENGTH 20\n")
    (tmp_path / "source" / "sum.c").write_text('#include "size.h"\n' + XMP_PROGRAM.replace("#define N 20", "#define N LENGTH"))
    succeed(xmpcc, "source/sum.c", "-o", "sum", cwd=tmp_path)
    assert xmprun(build, 2, tmp_path / "sum") == "sum 342 on 2 nodes\n"


def test_several_files_where_one_has_directives(build, xmpcc, tmp_path):
    program = XMP_PROGRAM.replace("return 0;", "return leave();").replace("int main", "int leave(void);\nint main")
    (tmp_path / "sum.c").write_text(program)
    (tmp_path / "leave.c").write_text("int leave(void) { return 0; }\n")
    succeed(xmpcc, "sum.c", "leave.c", "-o", "sum", cwd=tmp_path)
    assert xmprun(build, 2, tmp_path / "sum") == "sum 342 on 2 nodes\n"
    succeed(xmpcc, "-c", "sum.c", "leave.c", cwd=tmp_path)
    assert (tmp_path / "sum.o").exists() and (tmp_path / "leave.o").exists()


def test_no_output_name_for_several_objects(xmpcc, here):
    done = run(xmpcc, "-c", "sum.c", "other.c", "-o", "x.o", cwd=here)
    assert done.code == 1 and "cannot give -o" in done.err


def test_check_finds_an_element_of_another_node(build, xmpcc, here):
    (here / "sum.c").write_text(XMP_PROGRAM.replace("return 0;", "return x[0] + x[N - 1] == -1;"))
    succeed(xmpcc, "--check", "sum.c", "-o", "sum", cwd=here)
    done = run(build / "bin" / "xmprun", "-n", "2", here / "sum")
    assert done.code != 0 and "x" in done.err and "sum.c" in done.err
