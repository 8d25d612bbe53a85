import pytest
from command_support import MPI_PROGRAM, families, succeed
from made_once import made_once


@pytest.fixture(scope="session")
def programs(build, tmp_path_factory):
    """{family: the same MPI program built for it}."""

    def make(directory):
        directory.mkdir()
        (directory / "ranks.c").write_text(MPI_PROGRAM)
        for family in families(build):
            succeed(build / "bin" / "xmpcc", f"--mpi={family}", directory / "ranks.c", "-o", directory / f"ranks-{family}")

    directory = made_once(tmp_path_factory, "programs of commands", make)
    return {family: directory / f"ranks-{family}" for family in families(build)}
