"""The fixture `hosts`: several machines on this one (cluster/hosts.py)."""

import contextlib
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "cluster"))
from hosts import Hosts, Missing


@pytest.fixture
def hosts():
    """hosts([2, 2], "1gbit") makes hosts with slots for so many ranks; they end with the test."""
    with contextlib.ExitStack() as made:

        def make(ranks, rate=""):
            try:
                return made.enter_context(Hosts(ranks, rate))
            except Missing as reason:
                pytest.skip(str(reason))

        yield make
