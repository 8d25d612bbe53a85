"""xmpcc's reading of gcc's command line, and which files it takes for its own."""

import gzip

import pytest
from kumihimo.compiler import command_line, detect


def parse(text):
    return command_line.parse(text.split())


def test_words_keep_their_places_and_get_their_kinds():
    line = parse("-O2 a.c -lm b.o -I inc -DX=1 -Wall -L lib -Wl,-z,now -MMD -MF x.d -o prog")
    assert [word.path for word in line.inputs()] == ["a.c", "b.o"]
    assert line.options("link") == ["-lm", "-L", "lib", "-Wl,-z,now"]
    assert line.options("preprocess") == ["-I", "inc", "-DX=1"]
    assert line.options("compile") == ["-O2", "-Wall"]
    assert line.options("depend") == ["-MMD", "-MF", "x.d"]
    assert (line.output, line.stage, line.optimised) == ("prog", "program", True)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("-std=gnu11", "preprocess"),
        ("-static-libgcc", "link"),
        ("-s", "link"),
        ("-r", "link"),
        ("-save", "compile"),
        ("-fopenmp", "compile"),
        ("-pthread", "compile"),
        ("-rdynamic", "link"),
        ("-march=native", "compile"),
        ("-MP", "depend"),
        ("-pipe", "compile"),
    ],
)
def test_kind_of_single_words(word, kind):
    assert [each.kind for each in parse(word).words] == [kind]


def test_stages():
    stages = [("-c", "object"), ("-S", "assembly"), ("-E", "preprocessed"), ("-M", "dependencies"), ("", "program")]
    assert all(parse(f"{option} a.c").stage == stage for option, stage in stages)


def test_language_option_holds_until_the_next():
    line = parse("-x c a.txt -x none b.o -xc++ c.txt")
    assert [word.language for word in line.inputs()] == ["c", None, "c++"]


def test_output_in_one_word():
    assert parse("-oprog a.c").output == "prog"
    assert parse("-fopenmp a.c").output is None


def test_missing_operand_is_an_error():
    with pytest.raises(command_line.UsageError, match="missing operand after '-o'"):
        parse("a.c -o")


def test_response_files_nest_and_quote(tmp_path):
    (tmp_path / "inner").write_text('-DNAME="two words"\n-O1')
    (tmp_path / "outer").write_text(f"-c 'a b.c' @{tmp_path}/inner")
    line = command_line.parse([f"@{tmp_path}/outer", "@missing"])
    assert [word.path for word in line.inputs()] == ["a b.c", "@missing"]
    assert line.options("preprocess") == ["-DNAME=two words"]


def test_response_file_that_includes_itself(tmp_path):
    (tmp_path / "loop").write_text(f"@{tmp_path}/loop")
    with pytest.raises(command_line.UsageError, match="without end"):
        command_line.parse([f"@{tmp_path}/loop"])


@pytest.mark.parametrize(
    ("path", "forced", "language"),
    [
        ("a.c", None, "c"),
        ("a.i", None, "c"),
        ("a.F90", None, "fortran"),
        ("a.o", None, None),
        ("a.cpp", None, "c++"),
        ("a.txt", "c", "c"),
        ("a.c", "c++", "c++"),
        ("a.c", "f95", "fortran"),
    ],
)
def test_language_of(path, forced, language):
    assert detect.language_of(path, forced) == language


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("int main(void) { return 0; }", False),
        ("#pragma omp parallel\n", False),
        ("#pragma xmp barrier\n", True),
        ("  #  pragma \\\n xmp barrier\n", True),
        ('_Pragma("xmp barrier")\n', True),
        ("#include <xmp.h>\n", True),
        ('#include "kumihimo/xmp_io.h"\n', True),
        ("#include <xmpp.h>\n", False),
        ("int xmp = 1;\n", False),
        ("int a[9]:[*];\n", True),
        ("void f(int *x) { x[0:2] = 1; }\n", True),
        ("void f(int *x, int n) { x[n:] += x[:n]; }\n", True),
        ("int f(int *x, int n) { return n ? x[n ? 1 : 2] : x[0]; }\n", False),
        ('int f(int n) { switch (n) { case 1: return puts("[%d:%d] = 3"); } }\n', True),  # only slower
    ],
)
def test_directives_in_c(text, found):
    assert detect.has_directives(text.encode(), "a.c", "c", []) is found


@pytest.mark.parametrize(
    ("text", "found"),
    [("      program p\n", False), ("!$xmp nodes p(*)\n", True), ("c$xmp nodes p(*)\n", True), ("  use xmp_lib\n", True)],
)
def test_directives_in_fortran(text, found):
    assert detect.has_directives(text.encode(), "a.f90", "fortran", []) is found


@pytest.mark.parametrize(
    ("text", "language", "starts"),
    [
        ("int main(void) { return 0; }\n", "c", True),
        ("int main(void) { MPI_Init(0, 0); }\n", "c", False),
        ("program p\n  use xmp_api\n  print *, xmp_node_num()\nend\n", "fortran", True),
        ("program p\n  print *, 1  ! not xmp_node_num()\nend\n", "fortran", False),
        ("      CALL MPI_INIT(I)\n      CALL XMP_INIT(MPI_COMM_WORLD)\n      END\n", "fortran", False),
    ],
)
def test_what_starts_the_runtime(text, language, starts):
    assert detect.starts_program(text.encode(), language) is starts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("integer :: x[*]\n", True),
        ("integer, codimension[*] :: x\n", True),
        ("real, allocatable :: x(:)[:, :]\n", True),
        ("x(1:n)[k + 1] = 0\n", True),
        ("  if (n > 1) sync all\n", True),
        ("  SYNC IMAGES (*)\n", True),
        ("print *, this_image ()\n", True),
        ("call co_sum(x)\n", True),
        ("critical\n", True),
        ("x = [1, 2*n]\n", False),
        ("call f([x], y, [1, 2])\n", False),
        ("print *, 'a[1]', \"sync all\" ! x(3)[k]\n", False),
        ("c     x[k]\n", False),
        ("c     x[k]\n      y(1)[1] = 0\n", True),
        ("critical = 3\n", False),
    ],
)
def test_coarrays_in_fortran(text, found):
    assert detect.has_coarrays(text.encode(), "a.f", [], fixed=text.startswith("c  ")) is found


def test_coarrays_of_included_files_and_modules(tmp_path):
    (tmp_path / "shared.inc").write_text("real, save :: x[*]\n")
    text, path = b"include 'shared.inc'\n", str(tmp_path / "a.f90")
    assert detect.has_coarrays(text, path, [], fixed=False)
    uses = b"  use, non_intrinsic :: Field, only: x\n"
    for name, inside in (("field", b"EXPLICIT-SAVE 0 0 CODIMENSION"), ("other", b"EXPLICIT-SAVE 0 0 DIMENSION")):
        (tmp_path / f"{name}.mod").write_bytes(gzip.compress(inside))
    assert detect.has_coarrays(uses, path, ["-I", str(tmp_path)], fixed=False)
    assert not detect.has_coarrays(uses.replace(b"Field", b"Other"), path, ["-J" + str(tmp_path)], fixed=False)
    assert not detect.has_coarrays(uses, path, [], fixed=False)


def test_directives_in_headers_of_the_user(tmp_path):
    (tmp_path / "include").mkdir()
    (tmp_path / "grid.h").write_text('#include "inner.h"\n')
    (tmp_path / "include" / "inner.h").write_text('#include "../grid.h"\n#pragma xmp nodes p[*]\n')
    text, path = b'#include "grid.h"\nvoid f(void);\n', str(tmp_path / "a.c")
    assert not detect.has_directives(text, path, "c", [])
    assert detect.has_directives(text, path, "c", ["-I", str(tmp_path / "include")])
    assert detect.has_directives(b"", path, "c", ["-include", str(tmp_path / "include" / "inner.h")])
