"""xmpcc --io=master: files, standard input and output are those of the serial program, on any number of nodes."""

import pathlib

from command_support import families, succeed

HERE = pathlib.Path(__file__).resolve().parent
GIVEN = "12 0.5\nhello\nworld\n"


def results(command, directory):
    """What the program prints and what it writes; it reads more than one buffer."""
    directory.mkdir()
    (directory / "table.txt").write_text("".join(f"{i}.5\n" for i in range(1, 30001)))
    printed = succeed(*command, cwd=directory, text=GIVEN).out
    return printed, {path.name: path.read_bytes() for path in directory.iterdir()}


def test_serial_program(build, tmp_path):
    source = HERE / "serial_streams.c"
    succeed("gcc", "-w", "-o", "serial", source, cwd=tmp_path)
    expected = results([tmp_path / "serial"], tmp_path / "expected")
    assert len(expected[0].splitlines()) == 10
    assert len(expected[1]["out.txt"]) > 4096
    for family in families(build):
        for large_files in ([], ["-D_FILE_OFFSET_BITS=64"]):
            program = tmp_path / f"{family}{len(large_files)}"
            succeed(
                build / "bin" / "xmpcc", f"--mpi={family}", "--io=master", *large_files, source, "-o", program, cwd=tmp_path
            )
            for nodes in (1,) if large_files else (2, 7):
                command = [build / "bin" / "xmprun", "-n", nodes, program]
                assert results(command, tmp_path / f"{program.name}-{nodes}") == expected, f"{nodes} nodes of {family}"


PARTS = """\
#include <stdio.h>
#pragma xmp nodes p[3]
int main(void) {
    char word[9] = "";
    printf("all\\n");
#pragma xmp task on p[1:2]
    {
        printf("the second part\\n");
        FILE *file = fopen("part.txt", "w");
        fprintf(file, "of two\\n");
        fclose(file);
        file = fopen("part.txt", "r");
        fscanf(file, "%*s %8s", word);
        fclose(file);
        printf("read %s\\n", word);
    }
    FILE *file = fopen("part.txt", "r");
#pragma xmp task on p[0]
    if (fgets(word, sizeof word, file) == NULL) perror("alone");
    return 0;
}
"""


def test_parts(build, tmp_path):
    """In a task its first node has files and prints; a file that more nodes opened cannot be read there, and nobody waits."""
    (tmp_path / "parts.c").write_text(PARTS)
    for family in families(build):
        succeed(build / "bin" / "xmpcc", f"--mpi={family}", "--io=master", "parts.c", "-w", "-o", "parts", cwd=tmp_path)
        done = succeed(build / "bin" / "xmprun", "-n", 3, "./parts", cwd=tmp_path)
        assert sorted(done.out.splitlines()) == ["all", "read two", "the second part"]
        assert "'part.txt' was opened by 3 nodes, and is read or closed by others" in done.err
        assert "alone: Input/output error" in done.err
        assert (tmp_path / "part.txt").read_text() == "of two\n"
