"""How programs with coarrays end: STOP ends one image, ERROR STOP and errors end all with one message."""

import pathlib

import pytest

SOURCE = pathlib.Path(__file__).resolve().parent / "endings.f90"
# (way, exit code, what standard output is, lines of standard error in their order)
WAYS = [
    ("stop", 3, "worked on T", ["STOP 3"]),
    ("text", 0, "", ["STOP good bye"]),
    ("quiet", 4, "", []),
    ("missing", 1, "", ["kumihimo: error: an image that is to take part has stopped", "  at sync all", "stat="]),
    ("failed", 1, "", ["kumihimo: error: an image that is to take part has failed", "  at sync all", "stat="]),
    ("twice", 1, "", ["kumihimo: error: image 1 stands twice in the set of images", "  at sync images", "  on node 2 of 3"]),
    ("nobody", 1, "", ["kumihimo: error: there is no image 0: the images are 1 to 3", "count from 1, in the current team"]),
    ("reported", 0, "reported T", []),
    (
        "coindex",
        1,
        "",
        ["kumihimo: error: there is no image 4: the current team has 3 images", "  at a reference to a coarray"],
    ),
    ("absent", 1, "", ["kumihimo: error: a component is not allocated or associated on image 3", "  on node 2 of 3"]),
    ("outside", 1, "", ["kumihimo: error: subscript 5 of dimension 1 is outside of 2:4, the bounds on image 3"]),
    ("kind", 1, "", ["kumihimo: error: a collective subroutine on numbers of kind 10", "  at co_sum", "Use kind 8 or 16"]),
    ("error", 5, "", ["ERROR STOP 5", "  on image 2 of 3"]),
    ("all", 1, "", ["ERROR STOP bad thing", "  on image "]),
    ("silent", 7, "", []),
    ("exit", 6, "", ["kumihimo: error: this node ended with exit status 6, others still run"]),
]


@pytest.fixture(scope="module")
def programs(jobs, tmp_path_factory):
    return jobs(SOURCE, tmp_path_factory.mktemp("endings"))


# With --continue-after-failure programs end alike.
STARTS = [(*way, ()) for way in WAYS]
STARTS += [(*way, ("--continue-after-failure",)) for way in WAYS if way[0] in ("stop", "error", "silent", "exit", "failed")]


@pytest.mark.parametrize("way, code, output, errors, start", STARTS, ids=[" ".join((one[0], *one[4])) for one in STARTS])
def test_ending(programs, way, code, output, errors, start):
    for job in programs:
        done = job.run(3, way, start=start)
        assert done.returncode == code, f"{job.family}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert done.stdout.split() == output.split(), job.family
        lines = [line for line in done.stderr.splitlines() if not line.startswith("xmprun:")]
        assert len([line for line in lines if not line.startswith(" ")]) == bool(errors), f"{job.family}: {lines}"
        for error in errors:
            assert any(error in line for line in lines), f"{job.family}: '{error}' is not in {lines}"
