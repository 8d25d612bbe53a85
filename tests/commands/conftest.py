import pytest
from command_support import MPI_PROGRAM, families, succeed


@pytest.fixture(scope="module")
def programs(build, tmp_path_factory):
    """{family: the same MPI program built for it}."""
    directory = tmp_path_factory.mktemp("programs")
    (directory / "ranks.c").write_text(MPI_PROGRAM)
    for family in families(build):
        succeed(build / "bin" / "xmpcc", f"--mpi={family}", directory / "ranks.c", "-o", directory / f"ranks-{family}")
    return {family: directory / f"ranks-{family}" for family in families(build)}
