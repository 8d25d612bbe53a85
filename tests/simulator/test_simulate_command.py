"""`kumihimo simulate` as its users meet it: what it prints, its JSON, and what it says of mistakes."""

import contextlib
import json
import os
import pathlib
import re
import signal

import pytest
from kumihimo.bench.suite import schema
from kumihimo.simulator.suite import results, tuning
from waiting import wait_for

ROOT = pathlib.Path(__file__).resolve().parents[2]


def _schema(name):
    return json.loads((ROOT / f"simulator/suite/{name}.schema.json").read_text())


SCHEMA = json.loads((ROOT / "bench/suite/simulation.schema.json").read_text())
K = ("--machine", "k-computer", "--shape", "8x6x8", "--nodes", "4x2x4")
ALL_OF_K = ("--machine", "k-computer", "--shape", "48x54x32", "--nodes", "24x18x16")
SMALL = ("--machine", "k-computer", "--shape", "4x6x4", "--nodes", "2x2x2")


def test_list_names_machines_and_algorithms(simulate):
    listed = json.loads(simulate("list", "--json"))
    assert [one["name"] for one in listed["machines"]] == ["dragonfly", "fat-tree", "k-computer", "torus"]
    assert {"operation": "Allreduce", "algorithm": "tree3"}.items() <= next(
        one for one in listed["programs"] if one["algorithm"] == "tree3" and one["operation"] == "Allreduce"
    ).items()
    assert "k-computer" in simulate("list")
    assert schema.mistake(listed, _schema("list")) is None


PICTURES = {
    "dragonfly": "  router  oooo  4 nodes, 10 links to other groups\n",
    "fat-tree": "  level 3  each switch: 18 links down\n  level 2  each switch: 18 links down, 18 up\n",
    "k-computer": "  a  o-o\n  b  (o-o-o)\n",
    "torus": "  d  (o-o- ... -o)\n  e  (o-o)\n",
}


@pytest.mark.parametrize("machine", PICTURES)
def test_every_constant_has_a_source(simulate, machine):
    shown, text = json.loads(simulate("show", machine, "--json")), simulate("show", machine)
    assert PICTURES[machine] in text
    assert ("failures: messages go round" if shown["failures"] == "detour" else "failures: messages whose way") in text
    assert (shown["failures"] == "detour") == (machine != "torus")
    assert schema.mistake(shown, _schema("machine")) is None
    for one in shown["constants"]:
        assert one["kind"] in ("published", "paper", "fitted", "assumed", "left out") and len(one["source"]) > 3
        assert one["name"] in text


def test_result_has_its_schema(simulate):
    result = json.loads(simulate("run", "Bcast", "Barrier", *SMALL, "--algorithm", "all", "--sizes", "8,64K", "--json"))
    assert schema.mistake(result, SCHEMA) is None
    assert {cell["operation"] for cell in result["cells"]} == {"Bcast", "Barrier"}
    for cell in result["cells"]:
        assert cell["time_us"] >= max(cell["bounds_us"].values())


def test_text_has_the_same(simulate):
    words = ("run", "Bcast", *K, "--algorithm", "tree3", "--sizes", "64K")
    cell = json.loads(simulate(*words, "--json"))["cells"][0]
    text = simulate(*words)
    assert text.startswith("simulated, not measured.") and text.splitlines()[0].endswith("messages reserve links")
    fairly = simulate("run", "PingPong", *SMALL, "--sizes", "8", "--sharing", "flows")
    assert fairly.splitlines()[0].endswith("messages share links fairly")
    assert f"{cell['time_us']:.2f}" in text and f"{cell['throughput_gib_s']:.4g}" in text


def test_same_question_same_bits(simulate):
    words = ("run", "Allreduce", *K, "--algorithm", "tree3", "--sizes", "16K", "--calls", 5, "--json")
    assert simulate(*words) == simulate(*words)


def test_compare_explains_by_a_bound(simulate, tmp_path):
    words = ("run", "Sendrecv", *K, "--sizes", "1M", "--json")
    (tmp_path / "a").write_text(simulate(*words))
    (tmp_path / "b").write_text(simulate(*words, "--set", "link_rate=10 GB/s"))
    compared = json.loads(simulate("compare", tmp_path / "a", tmp_path / "b", "--json"))
    assert schema.mistake(compared, _schema("comparison")) is None
    assert compared["cells"][0]["change_percent"] == pytest.approx(-50, abs=2)
    assert compared["cells"][0]["because"].startswith("busiest link: ")
    assert "busiest link" in simulate("compare", tmp_path / "a", tmp_path / "b")


RULE = re.compile(r"(\w+):(\d+)-(\d+|inf):8x6x8:@(\w+)=(\d+)  # ([\d.]+) times as fast: ([\d.]+) us for ([\d.]+)")
IN_MPI_LIBRARIES = {"linear", "binomial", "chain", "scatter_allgather"}


def test_rules_are_what_is_fastest(simulate):
    words = ("tune", "Bcast", "Scatter", *K, "--sizes", "64,64K")
    table, told = simulate(*words).splitlines(), json.loads(simulate(*words, "--json"))
    assert schema.mistake(told, _schema("table")) is None
    assert "segments of 12 KiB (KUMIHIMO_COLL_SEGMENT=12288)" in table[0] and told["segment"] == 12288
    assert [cell["rule"] for cell in told["cells"] if cell["rule"]] == [
        line.split("  #")[0] for line in table if line[0] != "#"
    ]
    rules = [RULE.fullmatch(line).groups() for line in table if not line.startswith("#")]
    assert [(one[0], one[1], one[2]) for one in rules] == [("bcast", "65536", "inf"), ("scatter", "65536", "inf")]
    for operation, size, _, algorithm, score, gain, best, native in rules:
        cells = json.loads(simulate("run", operation, *K, "--algorithm", "all", "--sizes", size, "--json"))["cells"]
        times = {cell["algorithm"]: cell["time_us"] for cell in cells}
        assert min(times, key=times.get) == algorithm
        assert float(best) == pytest.approx(times[algorithm], abs=0.01)
        assert float(native) == pytest.approx(min(times[name] for name in times.keys() & IN_MPI_LIBRARIES), abs=0.01)
        assert float(gain) == pytest.approx(float(native) / float(best), abs=0.01)
        assert int(score) == pytest.approx(100 * float(gain), abs=1)


def test_interfaces_are_nothing_to_rule(simulate):
    told = json.loads(simulate("tune", "Barrier", *SMALL, "--json"))
    assert set(told["cells"][0]["times_us"]) == {"binomial", "dissemination", "axes"}
    words = ("run", "Barrier", *SMALL, "--json")
    fast, slow = (_time(simulate, *words, "--algorithm", name) for name in ("interfaces", "axes"))
    assert fast < slow / 2
    other = ("run", "Barrier", "--machine", "fat-tree", "--shape", "9", "--algorithm", "interfaces")
    assert "fat tree has no barrier interface: --set barrier_interface='0.3 us'" in simulate(*other, code=2)


def test_what_gains_little_is_no_rule(simulate):
    table = simulate("tune", "Bcast", *K, "--sizes", "64K", "--margin", 10000)
    assert all(line.startswith("#") for line in table.splitlines())


def test_what_gains_less_than_the_model_errs_is_no_rule(simulate, tmp_path):
    """By the errors that `fit --json` tells of an operation and size."""
    cell = {"operation": "Bcast", "bytes": 300000, "algorithm": "binomial", "measured_us": 9.0, "simulated_us": 8.0}
    fit = {"format": "kumihimo-simulation-fit", "version": 1, "record": "r", "machine": "m", "start_us": 0.1, "fitted": {}}
    fit.update(held_out=[{**cell, "miss": -40.0, "control_miss": None}], median_error=40.0, cannot_know=["c"])
    (tmp_path / "fit.json").write_text(json.dumps(fit))
    words = ("tune", "Bcast", "Reduce", *K, "--sizes", "256K")
    rules = [one["rule"] for one in json.loads(simulate(*words, "--json"))["cells"]]
    assert all(rules)
    table = simulate(*words, "--errors", tmp_path / "fit.json")
    assert "times as fast, but the model errs by 4000 %" in table and rules[0] not in table and rules[1] in table
    (tmp_path / "fit.json").write_text("{}")
    assert "is no result of kumihimo simulate fit --json" in simulate(*words, "--errors", tmp_path / "fit.json", code=2)


def test_segments_are_chosen_for_all_cells_together(simulate):
    def times(segment):
        words = ("Bcast", *SMALL, "--algorithm", "tree3,tree6", "--sizes", "128K", "--segment", segment)
        result = simulate("run", *words, "--json")
        return min(cell["time_us"] for cell in json.loads(result)["cells"])

    best = min(("2K", "32K"), key=times)
    head = simulate("tune", "Bcast", *SMALL, "--sizes", "128K", "--segments", "2K,32K").splitlines()[0]
    assert f"KUMIHIMO_COLL_SEGMENT={ {'2K': 2048, '32K': 32768}[best] })" in head


def test_slow_link_halves_who_uses_it(simulate, tmp_path):
    words = ("run", "Sendrecv", *K[:2], "--shape", "384", "--nodes", "2x2x8", "--sizes", "1M", "--json")
    (tmp_path / "a").write_text(simulate(*words))
    link = json.loads((tmp_path / "a").read_text())["cells"][0]["links"][0]["link"]
    (tmp_path / "b").write_text(simulate(*words, "--slow-link", f"{link}:0.5"))
    compared = json.loads(simulate("compare", tmp_path / "a", tmp_path / "b", "--json"))
    assert compared["cells"][0]["change_percent"] == pytest.approx(100, abs=2)
    assert compared["cells"][0]["because"].startswith("longest chain: ") and f"slow link = {link}:0.5" in compared["b"]


def _time(simulate, *words):
    return json.loads(simulate(*words, "--json"))["cells"][0]["time_us"]


def test_messages_go_round_a_failed_link(simulate):
    words = ("run", "PingPong", *K, "--sizes", "8")
    # There three hops for one, back as before.
    assert _time(simulate, *words, "--fail-link", "x0y0z0a0b0c0+x") == pytest.approx(_time(simulate, *words) + 0.1, abs=1e-6)
    # Other nodes may fail where two ranks only do something.
    assert _time(simulate, *words, "--fail-node", "x2y1z0a0b0c0") == _time(simulate, *words)


def test_ranks_in_order_take_the_nodes_that_are_left(simulate):
    words = ("run", "Bcast", "--machine", "fat-tree", "--shape", "9", "--algorithm", "chain", "--sizes", "64K")
    assert _time(simulate, *words, "--fail-node", "3") == _time(simulate, *words)


def test_both_columns_at_once(simulate):
    words = ("run", "Sendrecv", "--machine", "k-computer", "--shape", "96", "--nodes", "2x2x2", "--sizes", "1M", "--compare")
    compared = json.loads(simulate(*words, "--set", "link_rate=10 GB/s", "--json"))
    assert schema.mistake(compared, _schema("comparison")) is None
    assert compared["cells"][0]["change_percent"] == pytest.approx(-50, abs=2)
    text = simulate(*words, "--set", "link_rate=10 GB/s")
    assert "link_rate = 10 GB/s" in text and f"{compared['cells'][0]['b_us']:.2f}" in text and "longest chain: " in text
    assert "--compare sets a machine as it is beside one that is changed" in simulate(*words, code=2)


def test_twice_the_links(simulate):
    """Who sends one message at a time gains nothing; who sends two over one link does."""
    words = (
        "--machine",
        "torus",
        "--shape",
        "32",
        "--nodes",
        "2x2x2x2",
        "--sizes",
        "1M",
        "--links-times",
        2,
        "--compare",
        "--json",
    )
    alone = json.loads(simulate("run", "PingPong", *words))
    both = json.loads(simulate("run", "Gather", "--algorithm", "linear", *words))
    assert alone["cells"][0]["change_percent"] == 0 and alone["cells"][0]["because"] == ""
    assert both["cells"][0]["change_percent"] == pytest.approx(-50, abs=10)
    assert both["cells"][0]["because"].startswith("busiest link: ") and "links = 2 times as many" in both["b"]


def test_rings_of_axes(simulate):
    assert "there is no axis 'q'; --ring makes axes of a torus rings" in simulate("run", "PingPong", *K, "--ring", "q", code=2)
    words = ("run", "Scatter", *K[:2], "--shape", "48x3x2", "--nodes", "24x1x1", "--algorithm", "linear", "--sizes", "1K")
    bound = [json.loads(simulate(*words, *more, "--json"))["cells"][0]["bounds_us"]["link"] for more in ((), ("--ring", "x"))]
    assert bound[1] < bound[0] and "rings = x" in simulate(*words, "--ring", "x")


def test_pairs_and_all_links_are_kept(simulate):
    """A slow link shows in what its pairs take: enough to name it."""
    slow = "a0b0c0d0e0+b"
    words = ("run", "Sendrecv", "--machine", "torus", "--shape", "32", "--nodes", "2x2x2x2", "--sizes", "64K", "--json")
    result = json.loads(simulate(*words, "--pairs", "--links", "all", "--slow-link", f"{slow}:0.25"))
    assert schema.mistake(result, SCHEMA) is None
    cell = result["cells"][0]
    assert [(one[0], one[1], one[2], one[3]) for one in cell["pairs"]] == [(n, (n + 1) % 32, 1, 65536) for n in range(32)]
    assert all(one[4] >= one[5] > 0 for one in cell["pairs"])
    assert len(cell["links"]) > 32 and sum(one["bytes"] for one in cell["links"]) >= 32 * 65536
    used = max(cell["links"], key=lambda one: one["busy_us"] / one["bytes"])
    assert used["link"] == slow
    assert "--links some: how many, or all" in simulate(*words, "--links", "some", code=2)


def test_sensitivity(simulate):
    words = ("run", "Barrier", *SMALL, "--algorithm", "axes", "--sensitivity", "message_overhead,hop_latency+message_latency")
    cell = json.loads(simulate(*words, "--json"))["cells"][0]
    found = {("+".join(one["constants"]), one["times"]): one["time_us"] for one in cell["sensitivity"]}
    assert set(found) == {(name, times) for name in ("message_overhead", "hop_latency+message_latency") for times in (0.5, 2)}
    for name in ("message_overhead", "hop_latency+message_latency"):
        assert found[name, 0.5] < cell["time_us"] < found[name, 2]
    assert found["message_overhead", 2] == _time(simulate, *words[:-2], "--set", "message_overhead=1.908 us")
    assert re.search(r"message_overhead +x 0.5: [\d.]+ us \(-[\d.]+ %\), x 2: [\d.]+ us \(\+[\d.]+ %\)", simulate(*words))
    told = simulate(*words[:-1], "hop_latncy", code=2)
    assert "there is no constant 'hop_latncy'; did you mean 'hop_latency'?" in told


def test_several_ranks_on_a_node(simulate):
    words = ("run", "Allreduce", "--machine", "fat-tree", "--shape", "32", "--sizes", "64K", "--json", "--algorithm")
    assert "as --set ranks_of_node=2" in simulate(*words, "hosts_ring", code=2)
    shared = ("--set", "ranks_of_node=4", "--set", "shared_memory_rate=20 GB/s")
    assert _time(simulate, *words, "hosts_ring", *shared) > 0
    odd = simulate(*words, "ring", "--set", "ranks_of_node=5", code=2)
    assert "nodes with 5 ranks each do not divide a first axis of 32; the first axis of --shape counts" in odd


def test_every_report_says_what_it_cannot_know(simulate, tmp_path):
    short = ("run", "PingPong", "--machine", "fat-tree", "--shape", "9", "--sizes", "8", "-o", tmp_path / "a.html")
    result = json.loads(simulate(*short, "--json"))
    assert len(result["cannot_know"]) >= 5 and not any("never" in one for one in result["cannot_know"])
    page = (tmp_path / "a.html").read_text()
    assert "What this cannot know: " in simulate(*short) and "What this cannot know: " in page
    assert result["cannot_know"][0] in page
    assert any("predictions" in one for one in results.cannot_know("k-computer", "48x54x32"))
    assert not any("predictions" in one for one in results.cannot_know("k-computer", "48x12x32"))


def test_other_jobs_take_their_share(simulate):
    words = ("run", "PingPong", "--machine", "fat-tree", "--shape", "9", "--sizes", "16M")
    alone = _time(simulate, *words)
    assert _time(simulate, *words, "--background", "1,0:3.4GB/s") == pytest.approx(1.5 * alone, rel=0.01)
    drawn = ("--background", "random:20:0.1GB/s:7")
    assert alone < _time(simulate, *words, *drawn) == _time(simulate, *words, *drawn)
    assert "background = random:20:0.1GB/s:7" in simulate(*words, *drawn)


def test_full_is_in_the_result(simulate, tmp_path):
    words = ("run", "Sendrecv", *K, "--sizes", "8", "--json")
    (tmp_path / "full").write_text(simulate(*words, "--full"))
    assert json.loads((tmp_path / "full").read_text())["settings"] == {"full": "yes"}
    assert "is of another question" in simulate(*words, "--resume", tmp_path / "full", code=2)


def test_who_looks_ahead_less_waits_longer(simulate):
    words = ("run", "Bcast", *K, "--algorithm", "tree3", "--sizes", "1M")
    enough = _time(simulate, *words)
    assert _time(simulate, *words, "--ahead", 16) > 1.2 * enough and _time(simulate, *words, "--ahead", 10000) <= enough
    assert "ahead = 16" in simulate(*words, "--ahead", 16)
    # A machine's file may say it, for what it does not say otherwise.
    assert _time(simulate, *words, "--set", "look_ahead=16") == _time(simulate, *words, "--ahead", 16)
    assert _time(simulate, *words, "--set", "look_ahead=16", "--ahead", 10000) <= enough


def test_mapping_by_draw_and_by_file(simulate, tmp_path):
    words = ("run", "Sendrecv", *K, "--sizes", "64K", "--json")

    def time_of(*more):
        return json.loads(simulate(*words, *more))["cells"][0]["time_us"]

    (tmp_path / "same").write_text("\n".join(map(str, range(384))))
    assert time_of("--mapping", tmp_path / "same") == time_of() == time_of("--mapping", "order:xyz")
    others = [z * 48 + y * 8 + x for x in range(8) for y in range(6) for z in range(8)]
    (tmp_path / "zyx").write_text(" ".join(map(str, others)))
    assert time_of("--mapping", tmp_path / "zyx") == time_of("--mapping", "order:zyx")
    assert time_of() < time_of("--mapping", "random:1") == time_of("--mapping", "random:1") != time_of("--mapping", "random:2")
    (tmp_path / "short").write_text("0 1 2")
    assert "the mapping is none of 384 ranks; it names each rank" in simulate(
        "run", "Sendrecv", *K, "--mapping", tmp_path / "short", code=2
    )


def test_blocks_of_v_forms_are_drawn(simulate):
    words = (
        "run",
        "Alltoallv",
        "Alltoall",
        "--machine",
        "fat-tree",
        "--shape",
        "9",
        "--algorithm",
        "pairwise",
        "--sizes",
        "64K",
        "--json",
    )

    def answer_of(*more):
        return json.loads(simulate(*words, *more))

    drawn, again, other = (answer_of("--blocks", f"random:{seed}") for seed in (1, 1, 2))
    assert drawn == again and drawn["settings"]["blocks"] == "random:1"
    times = [[cell["time_us"] for cell in one["cells"]] for one in (answer_of(), drawn, other)]
    assert times[0][0] == times[0][1] == times[1][1] == times[2][1] < min(times[1][0], times[2][0])
    assert times[1][0] != times[2][0]
    assert "--blocks half: equal or random:SEED" in simulate(*words, "--blocks", "half", code=2)


def test_only_what_is_drawn_has_a_spread(simulate):
    words = ("run", "Allreduce", *K, "--algorithm", "tree3", "--sizes", "8", "--json")
    alone = json.loads(simulate(*words))["cells"][0]
    assert "low_us" not in alone and alone["simulated"] == 1
    noisy = json.loads(simulate(*words, "--noise", "25us/200us", "--seeds", 5))
    assert schema.mistake(noisy, SCHEMA) is None and noisy["cells"][0]["time_us"] > alone["time_us"]
    assert noisy["cells"][0]["low_us"] <= noisy["cells"][0]["time_us"] <= noisy["cells"][0]["high_us"]
    late = simulate(*words[:-1], "--skew", "uniform:50us", "--start", "window", "--calls", 3, "--seeds", 5)
    assert "skew = uniform:50us" in late and "seeds = 1 to 5" in late and re.search(r"; [\d.]+ to [\d.]+ us", late)


def test_memory_is_estimated_before(simulate):
    words = ("run", "Allreduce", *K, "--algorithm", "tree3", "--sizes", "1M")
    told = simulate(*words, "--memory", "1M", code=2)
    assert re.search(r"takes about \d+ MiB of memory, more than 1 MiB; about \d+ of its 384 ranks fit; ", told)
    simulate(*words, "--memory", "100M")


def test_what_cannot_be_compared(simulate, tmp_path):
    (tmp_path / "a").write_text("{}")
    assert "is no result of kumihimo simulate run --json: format is missing" in simulate(
        "compare", tmp_path / "a", tmp_path / "a", code=2
    )


TREE3 = "Bcast by tree3 does not suit this call; it takes 3 axes, as --shape 2xNxM"
FAT = ("--machine", "fat-tree", "--shape", "9")
TORUS = ("--machine", "torus", "--shape", "32", "--nodes", "2x2x2x2")
CUT_OFF = "1 node is cut off from the other 8: 4; no way leads round these failures"
NO_DETOUR = "messages from a0b0c0d0e0 to a1b0c0d0e0 would take a0b0c0d0e0+a, which failed, and torus makes no detours"
DOUBLING = "Allgather by recursive_doubling does not suit this call; it takes a power of two of ranks, as 4"


@pytest.mark.parametrize(
    "words, told",
    [
        (("show", "k-computr"), "there is no machine 'k-computr'; did you mean 'k-computer'?"),
        (("run", "Bcst", *K), "there is no operation 'Bcst'; did you mean 'Bcast'? (kumihimo simulate list)"),
        (("run", "Bcast", *K, "--algorithm", "chan"), "Bcast has no algorithm 'chan'; did you mean 'chain'?; there are: "),
        (("run", "Bcast", *K), "--algorithm says how Bcast is done: all, or some of linear, "),
        (("run", "Sendrecv", *K, "--set", "link_rat=1 B/s"), "there is no constant 'link_rat'; did you mean 'link_rate'?"),
        (("run", "Sendrecv", *K, "--set", "link_rate=5"), "'5' is no value of 'link_rate': a number and one of B/s, "),
        (("run", "Sendrecv", *K, "--set", "link_rate=-5 B/s"), "'link_rate' cannot be -5 B/s"),
        (
            ("run", "Sendrecv", *K[:4], "--nodes", "4x2x5"),
            "a shape of 384 ranks does not fill 480 nodes of K computer; they take 8x6x10",
        ),
        (("run", "Bcast", *K[:2], "--shape", "384", "--nodes", "2x2x8", "--algorithm", "tree3"), TREE3),
        (("run", "Allgather", "--machine", "fat-tree", "--shape", "6", "--algorithm", "recursive_doubling"), DOUBLING),
        (("run", "Sendrecv", *K, "--mapping", "order:zy"), "--mapping order:zy: each of xyz once, the fastest first"),
        (
            ("run", "Sendrecv", *K[:2], "--shape", "6x8x8", *K[4:]),
            "the shape 6x8x8 has no placement on these nodes; they take 8x6x8",
        ),
        (("run", "Sendrecv", *K[:2], "--shape", "8xx8"), "'8xx8' is no shape: numbers with x between them, as 8x6x8"),
        (("run", "Sendrecv", *K[:4]), "the length of axis x is missing; the job decides those of x y z: --nodes 4x2x2"),
        (("run", "Bcast", "--machine", "k-computr", "--shape", "8"), "there is no machine 'k-computr'; did you mean 'k-comp"),
        (("run", "Sendrecv", *K, "--machine", "/"), "cannot read the machine /; kumihimo simulate list names those that "),
        (("run", "Sendrecv", *K, "--sizes", "65G"), "a size is at most 64 GiB"),
        (
            ("run", "Alltoall", *ALL_OF_K, "--algorithm", "linear", "--sizes", "1G"),
            "1.0 GiB is too much for each of 82944 ranks",
        ),
        (("run", "Sendrecv", *K, "--sizes", "-1"), "'-1' are no sizes: from and to, as 4-256M"),
        (("run", "Sendrecv", *K, "--mapping", "/dev/null"), "/dev/null: a mapping has the numbers of ranks, and nothing else"),
        (("run", "Sendrecv", *K, "--mapping", "rnd:1"), "--mapping rnd:1: No such file or directory; it is random:SEED, or"),
        (("run", "Sendrecv", *K, "--slow-link", "x:2"), "there is no link 'x'; the first one is called 'x0y0z0a0b0c0+x'"),
        (("run", "Sendrecv", *K, "--slow-link", "x"), "--slow-link x: LINK:FACTOR, as x3y2z5a0b0c0+y:0.5"),
        (("run", "Sendrecv", *K, "--slow-link", "x0y0z0a0b0c0+x:0"), "link x0y0z0a0b0c0+x cannot be 0 times as fast"),
        (("run", "Sendrecv", *K, "-o", "/none/report.html"), "--output /none/report.html: there is no directory /none"),
        (
            ("run", "Sendrecv", *K, "--skew", "normal:5us"),
            "--skew normal:5us: uniform:TIME or exponential:TIME, as",
        ),
        (
            ("run", "Sendrecv", *K, "--noise", "25us"),
            "--noise 25us: LENGTH/INTERVAL of interruptions, as 25us/1ms, or a record",
        ),
        (
            ("run", "Sendrecv", *K, "--noise", "1ms/25us"),
            "a processor gets nothing done whose interruptions are longer than the ",
        ),
        (
            ("run", "Bcast", *K, "--algorithm", "tree3", "--fail-node", "x1y0z0a0b0c0"),
            "rank 1 of Bcast lies on x1y0z0a0b0c0, which failed; a job gets other nodes then; --fail-link leaves the node in",
        ),
        (("run", "Sendrecv", *K, "--fail-node", "x9"), "there is no node 'x9'; the first one is called 'x0y0z0a0b0c0'"),
        (("run", "Sendrecv", *FAT, "--fail-link", "up 0 4.0.0"), CUT_OFF),
        (("run", "PingPong", *TORUS, "--fail-link", "a0b0c0d0e0+a"), NO_DETOUR),
        (("run", "PingPong", *FAT, "--background", "0,1"), "--background 0,1: FROM,TO:RATE or random:COUNT:RATE[:SEED], as "),
        (("run", "PingPong", *FAT, "--background", "0,1:2"), "'2' is no value of '--background': a number and one of B/s, "),
        (
            ("run", "PingPong", *FAT, "--background", "0,1:7GB/s"),
            "other jobs' messages take all of up 0 0.0.0: 7 of 6.8 GB/s",
        ),
        (("tune", "Sendrecv", *K), "Sendrecv takes no rules for sizes"),
        (("tune", "Bcast", *K, "--set", "link_rate=5"), "'5' is no value of 'link_rate': a number and one of B/s, "),
        (("run", "Reduce", *K, "--algorithm", "linear", "--work", "1"), "Reduce by linear takes more work space than 1 bytes"),
    ],
)
def test_mistakes(simulate, words, told):
    assert simulate(*words, code=2).startswith(f"kumihimo simulate: {told}")


MACHINE = (ROOT / "simulator/machines/torus.toml").read_text()


@pytest.mark.parametrize(
    "old, new, told",
    [
        ('kind = "torus"', 'kind = "toru"', "there is no kind 'toru'; did you mean 'torus'?"),
        ("[constants]", "[constant]", "unknown key 'constant'; did you mean 'constants'?"),
        ("link_rate = {value = 2,", "link_rate = {value = -2,", "'link_rate' is -2: it must be more than zero, and finite"),
        ("link_rate = {value = 2,", "link_rate = {value = inf,", "'link_rate' is inf: it must be more than zero, and finite"),
        ("link_rate = {value = 2,", "link_rate = {value = 0,", "'link_rate' is 0: it must be more than zero, and finite"),
        ('link_rate = {value = 2, unit = "GB/s"', 'link_rate = {value = 2, unit = "us"', "'link_rate' is not in 'us': "),
        ('link_rate = {value = 2, unit = "GB/s", ', "link_rate = {value = 2, ", "'unit' is missing, or no text"),
        ('routing = "abcde"', 'routing = "abcd"', "routing names each axis once, in the order of a message's way"),
        ("[network]", "[network", ""),
    ],
)
def test_mistakes_in_files(simulate, tmp_path, old, new, told):
    assert old in MACHINE
    path = tmp_path / "mine.toml"
    path.write_text(MACHINE.replace(old, new, 1))
    first, line, caret, *_ = simulate("show", path, code=2).splitlines()
    head, _, words = first.partition(": ")[2].partition(": ")
    assert words.startswith(told)
    assert head.startswith(f"{path}:") and head.count(":") == 2
    number, column = map(int, head.split(":")[1:])
    assert path.read_text().splitlines()[number - 1].strip() in line
    assert caret.rstrip().endswith("^") and caret.index("^") == column + 1


GOLDEN = pathlib.Path(__file__).parent / "golden"
TINY = ("--machine", "torus", "--shape", "4x4x2", "--nodes", "2x2x2x2")


@pytest.mark.parametrize(
    "name, words",
    [
        ("run", ("run", "Bcast", "Reduce", *TINY, "--algorithm", "binomial,tree3", "--sizes", "1K,64K")),
        ("path", ("run", "Gather", *TINY, "--algorithm", "axes", "--sizes", "512", "--path")),
        (
            "compare",
            ("run", "Alltoall", *TINY, "--algorithm", "pairwise,torus", "--sizes", "4K", "--links-times", 2, "--compare"),
        ),
        ("sensitivity", ("run", "Barrier", *TINY, "--algorithm", "axes", "--sensitivity", "hop_latency+message_latency")),
        ("show", ("show", "dragonfly")),
        ("tune", ("tune", "Bcast", "Barrier", *TINY, "--sizes", "64,64K")),
    ],
)
def test_golden_reports(simulate, name, words):
    """KUMIHIMO_TEST_GOLDEN=1 writes them anew."""
    told, file = simulate(*words), GOLDEN / f"{name}.txt"
    if os.environ.get("KUMIHIMO_TEST_GOLDEN"):
        file.write_text(told)
    assert told == file.read_text()


def test_unreadable_file(simulate, tmp_path):
    assert "cannot read the machine" in simulate("show", tmp_path / "none.toml", code=2)


def test_interrupted_keeps_what_is_done(start):
    running = start("run", "Sendrecv", "Alltoall", *K, "--algorithm", "pairwise", "--sizes", "8,16,32", "--calls", 200)
    wait_for_a_computing_engine(running.pid)
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, out + err
    told = re.search(r"interrupted; ([0-5]) of 6 cells are done; with --json, the same command with --resume FILE", err)
    assert told, err
    assert ("Sendrecv" in out) == (int(told.group(1)) > 0)


def test_an_interrupted_table_has_the_rules_that_are_done(start):
    words = ("Barrier", "Alltoall", "--machine", "k-computer", "--shape", "16x6x32", "--nodes", "8x2x16", "--sizes", "16K,256K")
    running = start("tune", *words)
    wait_for_a_computing_engine(running.pid)
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, out + err
    told = re.search(r"interrupted; ([01]) of 3 cells are done; kumihimo simulate tune (Barrier )?Alltoall \.\.\. goes on", err)
    assert told and (told.group(2) is None) == (told.group(1) == "1"), err
    assert ("# barrier 0 B: " in out or "\nbarrier:" in out) == (told.group(1) == "1"), out


def test_of_tables_with_several_segments_the_complete_ones_count():
    def times(operation, size):
        if len(tables) == 2 and size == 8:
            raise KeyboardInterrupt
        return {"linear": 30.0 - 10 * len(tables), "tree3": 5.0}

    tables = []
    for segment in (1024, 2048, 4096):
        tables.append(tuning.Table(segment, [("Bcast", [1, 8])], times))
    assert [one.left for one in tables] == [[], [], [("Bcast", 8, None)]]
    assert tuning.best(tables) in tables[:2] and tuning.best(tables[2:]) is tables[2]


def wait_for_a_computing_engine(group):
    """Until this process group has an engine that has computed for longer than its start and its lists take."""
    assert wait_for(lambda: any(_computes(path, group) for path in pathlib.Path("/proc").glob("[0-9]*/stat")))


def _computes(stat, group):
    with contextlib.suppress(OSError):  # it has ended meanwhile
        name, rest = re.search(r"\((.*)\) (.*)", stat.read_text()).groups()
        fields = rest.split()
        seconds = int(fields[11]) / os.sysconf("SC_CLK_TCK")
        return name.startswith("kumihimo-simula") and int(fields[2]) == group and seconds > 0.3
    return False


def test_going_on(simulate, tmp_path):
    words = ("run", "Sendrecv", *K, "--sizes", "1K,64K", "--json")
    whole = json.loads(simulate(*words))
    part = {**whole, "cells": [{**whole["cells"][0], "time_us": 123.0}]}
    (tmp_path / "part").write_text(json.dumps(part))
    went_on = json.loads(simulate(*words, "--resume", tmp_path / "part"))
    assert went_on["cells"] == [part["cells"][0], whole["cells"][1]]  # what was done is not done again
    told = simulate(*words, "--segment", "4K", "--resume", tmp_path / "part", code=2)
    assert "part is of another question: k-computer: 8x6x8 ranks on nodes 4x2x4" in told
