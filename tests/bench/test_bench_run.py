"""kumihimo bench run: what is measured, that wrong data is found, and that a campaign goes on after an interruption."""

import csv
import json
import os
import pathlib
import re
import signal
import subprocess

import jsonschema
import pytest
from bench_support import QUICKLY, read_imb
from kumihimo import configuration
from kumihimo.bench.suite import operations, plan, sizes
from long_form import LONG_FORM
from waiting import wait_for

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "bench" / "suite" / "result.schema.json").read_text())


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_every_operation_is_measured_or_says_why_not(bench, family, ranks):
    if family == "mpich" and ranks > len(os.sched_getaffinity(0)) and not LONG_FORM:
        pytest.skip("waiting ranks of MPICH keep their processors: in the long form only")
    words = ["run", "-n", ranks, "--mpi", family, "--sizes", "0,4,1020,64K"]
    bench.run(*words, "--launches", 1, *QUICKLY, "--output", "c")
    result = bench.result("c")
    jsonschema.validate(result, SCHEMA)
    (variant,) = result["variants"]
    cells = {(cell["operation"], cell["bytes"]) for cell in variant["cells"]}
    skipped = {(cell["operation"], cell["bytes"]): cell["reason"] for cell in variant["skipped"]}
    every = {(name, size) for name in operations.OPERATIONS for size in (0, 4, 1020, 65536)}
    assert cells | set(skipped) == every and not cells & set(skipped)
    lonely = {"needs 2 ranks"} if ranks == 1 else set()
    assert set(skipped.values()) == {"has no message"} | lonely
    assert variant["ranks"] == ranks and variant["family"] == family
    if ranks == 2:
        in_every_format(bench)


def in_every_format(bench):
    tables = read_imb(bench.run("show", "c", "--format", "imb"))
    assert set(tables["Ibcast"]) == {0, 4, 1020, 65536} and len(tables["Ibcast"][1020]) == 5
    assert "Unidir_put" in tables and "Barrier" in tables and len(tables) == 26
    osu = bench.run("show", "c", "--format", "osu")
    assert "# OSU MPI_Put Latency Test" in osu and "Overlap(%)" in osu
    assert bench.run("show", "c", "--format", "csv").startswith("variant,family,ranks,shape,operation,bytes,launch,")
    assert bench.run("show", "c") == (bench.directory / "c" / "result.txt").read_text()


def test_text_json_and_csv_say_the_same(bench, family):
    bench.run(
        *("run", "Bcast", "ibcast", "-n", 2, "--mpi", family, "--sizes", "1K,2K", "--launches", 2, "--output", "c"),
        *(*QUICKLY, "--start", "window"),
    )
    result = bench.result("c")
    lines = list(csv.DictReader((bench.directory / "c" / "result.csv").open()))
    assert len(lines) == 2 * 2 * 2
    for line in lines:
        (cell,) = [
            cell
            for cell in result["variants"][0]["cells"]
            if (cell["operation"], str(cell["bytes"])) == (line["operation"], line["bytes"])
        ]
        (one,) = [one for one in cell["launches"] if str(one["launch"]) == line["launch"]]
        assert float(line["median_us"]) == pytest.approx(one["median"], abs=0.001)
        assert (line["overlap_percent"] != "") == (line["operation"] == "Ibcast")
    text = (bench.directory / "c" / "result.txt").read_text()
    assert re.search(r"^ +1 KiB +2 ", text, re.M) and "A first look at 2 launches" in text


def test_a_node_shape_needs_as_many_ranks(bench):
    bench.run("run", "Stencil", "--shape", "2x1", "--sizes", "8", "--launches", 1, *QUICKLY, "--output", "c")
    assert bench.result("c")["variants"][0]["shape"] == [2, 1]
    bench.run("run", "Stencil", "--shape", "2x2", "-n", 3, code=2)
    assert "the node shape 2x2 has 4 nodes, but there are 3 ranks" in bench.errors


def test_memory_limits_sizes(bench):
    bench.run("run", "Allgather", "-n", 2, "--sizes", "1K,1M", "--launches", 1, *QUICKLY, "--memory", "1M", "--output", "c")
    variant = bench.result("c")["variants"][0]
    assert [cell["bytes"] for cell in variant["cells"]] == [1024]
    assert variant["skipped"][0]["reason"].startswith("needs 3.0 MiB of memory on one rank")
    assert "Allgather is left out in 1 MiB and more: it needs 3.0 MiB" in bench.run("show", "c")


LIAR = """
#include <mpi.h>
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    int rank, code = PMPI_Bcast(data, count, type, root, comm);
    MPI_Comm_rank(comm, &rank);
    if (rank == 1 && count > 100) ((char *)data)[count - 1] ^= 1;
    return code;
}
"""


def test_one_wrong_bit_is_found(bench, family):
    (bench.directory / "liar.c").write_text(LIAR)
    wrapper = configuration.FAMILIES[family]["c"]["wrapper"]
    subprocess.run([wrapper, "-shared", "-fPIC", "liar.c", "-o", "liar.so"], cwd=bench.directory, check=True)
    preload = f"LD_PRELOAD={bench.directory}/liar.so"
    words = ["run", "Bcast", "Reduce", "-n", 2, "--mpi", family, "--sizes", "64,1020", "--launches", 1, *QUICKLY]
    bench.run(*words, "--set", preload, "--output", "c", code=1)
    assert f"WRONG DATA: Bcast of 1020 bytes in {family}" in bench.errors
    wrong = {(cell["operation"], cell["bytes"]): cell["wrong"] for cell in bench.result("c")["variants"][0]["cells"]}
    assert wrong[("Bcast", 1020)] > 0 and sum(wrong.values()) == wrong[("Bcast", 1020)]


def test_roots_take_turns(bench, family):
    """The data of every root is checked, and one wrong bit of a root is found."""
    rooted = ["Bcast", "Ibcast", "Reduce", "Gather", "Gatherv", "Scatter", "Scatterv"]
    words = ["run", "-n", 2, "--mpi", family, "--sizes", "0,1020", "--launches", 1, *QUICKLY]
    bench.run(*words, *rooted, "--root", "turn", "--output", "right")
    result = bench.result("right")
    jsonschema.validate(result, SCHEMA)
    assert result["root"] == "turn" and len(result["variants"][0]["cells"]) == 2 * len(rooted)
    (bench.directory / "liar.c").write_text(LIAR.replace("rank == 1", "root == 1 && rank == 0"))
    wrapper = configuration.FAMILIES[family]["c"]["wrapper"]
    subprocess.run([wrapper, "-shared", "-fPIC", "liar.c", "-o", "liar.so"], cwd=bench.directory, check=True)
    words += ["Bcast", "--set", f"LD_PRELOAD={bench.directory}/liar.so"]
    bench.run(*words, "--output", "first")
    bench.run(*words, "--root", "turn", "--output", "turn", code=1)
    assert f"WRONG DATA: Bcast of 1020 bytes in {family}" in bench.errors
    bench.run("compare", "first", "turn", code=2)
    assert "not measured alike: start barrier and barrier, roots in turn" in bench.errors


def test_variants_take_turns(bench):
    words = ["run", "Barrier", "-n", 2, "--sizes", "0", "--launches", 2, *QUICKLY, "--output", "c"]
    bench.run(*words, "--variant", "plain", "--variant", "set:ANY=1")
    done = sorted((bench.directory / "c" / "launches").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    assert [path.stem for path in done] == ["plain-001", "set-001", "set-002", "plain-002"]
    assert [variant["settings"] for variant in bench.result("c")["variants"]] == [{}, {"ANY": "1"}]


def test_our_collectives_take_turns_with_the_librarys(bench, family):
    words = ["run", "Bcast", "Allreduce", "-n", 2, "--mpi", family, "--sizes", "8,64K", "--launches", 1, *QUICKLY]
    bench.run(*words, "--collectives", "--output", "c")
    theirs, ours = bench.result("c")["variants"]
    assert (theirs["name"], ours["name"]) == (family, f"{family}-kumihimo")
    assert ours["settings"]["LD_PRELOAD"].endswith(f"{family}/libkumihimo_coll.so") and theirs["settings"] == {}
    assert [len(variant["cells"]) for variant in (theirs, ours)] == [4, 4]


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_an_interrupted_campaign_goes_on(bench, number, code):
    process = bench.start("run", "Barrier", "-n", 2, "--sizes", "0", "--launches", 40, *QUICKLY, "--output", "c")
    launches = bench.directory / "c" / "launches"
    assert wait_for(lambda: len(list(launches.glob("*.jsonl"))) >= 2)
    _, errors = bench.interrupt(process, number)
    assert process.returncode == code
    assert number == signal.SIGKILL or "go on with: kumihimo bench run --resume c" in errors
    finished = {path.name: path.stat().st_mtime_ns for path in launches.glob("*.jsonl")}
    assert 2 <= len(finished) < 40
    if number != signal.SIGKILL:
        assert bench.result("c")["variants"][0]["launches"] == len(finished)
    _shorten(bench.directory / "c" / "campaign.json", len(finished) + 2)
    bench.run("run", "--resume", "c")
    assert bench.result("c")["variants"][0]["launches"] == len(finished) + 2
    assert all((launches / name).stat().st_mtime_ns == moment for name, moment in finished.items())


def _shorten(path, launches):
    fields = json.loads(path.read_text())
    path.write_text(json.dumps({**fields, "launches": launches}))


def test_a_first_look_ends_in_time_and_says_what_it_left_out(bench):
    """Sixty launches in the time of --quick leave each of them a second: for every operation, but not for all sizes."""
    words = [
        "run",
        "p2p",
        "-n",
        2,
        "--quick",
        "--sizes",
        "0,4-1M",
        "--seconds",
        0.05,
        "--repetitions",
        100000,
        "--launches",
        60,
    ]
    process = bench.start(*words, "--output", "c")
    first = bench.directory / "c" / "launches" / f"{configuration.DEFAULT_FAMILY}-001.jsonl"
    assert wait_for(first.exists)
    bench.interrupt(process)
    (variant,) = bench.result("c")["variants"]
    left_out = {one["operation"] for one in variant["skipped"]}
    assert left_out and {one["reason"] for one in variant["skipped"]} == {"found no time left"}
    assert not {(one["operation"], one["bytes"]) for one in variant["skipped"]} & {
        (cell["operation"], cell["bytes"]) for cell in variant["cells"]
    }
    text = (bench.directory / "c" / "result.txt").read_text()
    assert "left out in" in text and "found no time left" in text


def test_a_launch_that_hangs_is_ended_and_the_campaign_too(bench):
    (bench.directory / "hang.c").write_text("#include <mpi.h>\nint MPI_Barrier(MPI_Comm c) { for (;;) (void)c; }\n")
    wrapper = configuration.FAMILIES[configuration.DEFAULT_FAMILY]["c"]["wrapper"]
    subprocess.run([wrapper, "-shared", "-fPIC", "hang.c", "-o", "hang.so"], cwd=bench.directory, check=True)
    words = ["run", "Bcast", "-n", 2, "--sizes", "64", "--launches", 5, *QUICKLY, "--limit", 1, "--output", "c"]
    bench.run(*words, "--set", f"LD_PRELOAD={bench.directory}/hang.so", code=1)
    assert "3 launches failed one after the other" in bench.errors and "was ended after 1 s (--limit)" in bench.errors


def test_settings_of_variants_may_contain_commas():
    families = {"openmpi": None, "mpich": None}
    expected = {"name": "a", "family": "mpich", "settings": {"X": "1,2", "Y": "3", "C": "0"}}
    assert plan._variant("a:mpich,X=1,2,Y=3", {"C": "0"}, "openmpi", families) == expected
    assert plan._variant("a:X=1,2", {}, "openmpi", families)["settings"] == {"X": "1,2"}
    for bad in ("a:nompi", "a:mpich,x", ":mpich", "a/b"):
        with pytest.raises(plan.BadPlan):
            plan._variant(bad, {}, "openmpi", families)


def test_help_and_list_need_no_mpi(bench):
    assert "usage" in bench.run("--help", PATH="/nowhere")
    assert "Allgatherv" in bench.run("list", PATH="/nowhere")


def test_sizes():
    assert sizes.parse("0,4-64,1K") == [0, 4, 8, 16, 32, 64, 1024]
    assert len(sizes.parse(sizes.PAPER)) == 28
    for bad in ("", "4-", "x", "8-4", "1T"):
        with pytest.raises(sizes.BadSize):
            sizes.parse(bad)


def test_throughput_is_the_papers():
    def rate(name, size, time_us, ranks=384):
        return operations.OPERATIONS[name].throughput(size, time_us, ranks, [8, 6, 8])

    mib, gib = 1 << 20, 1 << 30
    assert rate("PingPong", 256 * mib, 256 * mib / gib / 4.5 * 1e6) == pytest.approx(4.5)
    assert rate("Sendrecv", 256 * mib, 256 * mib / gib / 4.5 * 1e6) == pytest.approx(9.0)
    assert rate("Bcast", mib, 1000) == pytest.approx(0.9766, abs=1e-4)
    assert rate("Allreduce", mib, 1000) == pytest.approx(2 * rate("Bcast", mib, 1000))
    assert rate("Alltoall", mib, 1000) == pytest.approx(384 * rate("Bcast", mib, 1000))
    assert rate("Barrier", 0, 1000) is None and rate("Bcast", 0, 1000) is None


def test_all_names_of_the_program_are_known():
    sources = (ROOT / "bench" / "measure").glob("*.cpp")
    names = [name for path in sources for name in re.findall(r'\.name = "(\w+)"', path.read_text())]
    assert sorted(names) == sorted(operations.OPERATIONS)


def test_unknown_words_are_refused(bench):
    bench.run("run", "Bcst", code=2)
    assert "no operation or group 'Bcst'" in bench.errors
    bench.run("fly", code=2)
    with pytest.raises(plan.BadPlan):
        plan.load(str(bench.directory / "none.json"))
