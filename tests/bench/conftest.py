import pytest
from bench_support import FAMILIES, Bench


@pytest.fixture
def bench(build, tmp_path):
    """Runs `kumihimo bench` in a directory of its own, with a database of its own."""
    return Bench(build, tmp_path)


@pytest.fixture(params=FAMILIES)
def family(request):
    return request.param
