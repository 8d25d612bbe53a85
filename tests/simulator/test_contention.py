"""The simulator beside real networks of namespaces (bench/contention.py): the ways of wires.py are the simulator's, and, in the
long form, times are as predicted."""

import json
import pathlib
import subprocess
import sys
import types

import pytest
from kumihimo.simulator.suite import engine
from long_form import LONG_FORM

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cluster"))
import wires  # noqa: E402

EXTENTS = (4, 2, 2)
TORUS = """
name = "hosts"
explanation = "as wires.py"
[network]
kind = "torus"
placement = "order"
routing = "abc"
axes = [{name = "a", extent = 4, ring = true}, {name = "b", extent = 2, ring = false}, {name = "c", extent = 2, ring = false}]
"""


def test_ways_are_the_simulator_s(build, tmp_path):
    constants = (ROOT / "simulator/machines/torus.toml").read_text().partition("[constants]")
    (tmp_path / "hosts.toml").write_text(TORUS + "".join(constants[1:]))
    torus = wires.Torus(EXTENTS)
    question = {"machine": str(tmp_path / "hosts.toml"), "operation": "PingPong", "shape": "16", "nodes": "", "bytes": 8}
    with engine.Engine() as one:
        for to in range(1, 16):
            mapping = [0, to, *(rank for rank in range(1, 16) if rank != to)]
            answer = one.ask("run", mapping=mapping, path=False, links=64, **question)
            used = {link["link"] for link in answer["links"] if link["bytes"] > 0}
            there, back = torus.way(0, to), torus.way(to, 0)
            assert len(used) == len({*zip(there, there[1:]), *zip(back, back[1:])}), (to, used)
            for here in [*there[:-1], *back[:-1]]:
                a, b, c = torus.place(here)
                assert any(link.startswith(f"a{a}b{b}c{c}") for link in used), (to, used)


def test_hosts_pass_on_what_is_for_others(hosts):
    torus = wires.Torus((2, 2, 1))
    made = hosts([1] * torus.hosts)
    wires.connect(made, torus, "50mbit")
    listening = "import socket; s = socket.create_server(('', 7)); print(flush=True); print(s.accept()[1][0])"
    sending = f"import socket; socket.create_connection(('{wires.address(3)}', 7))"
    with subprocess.Popen(made.words("python3", "-c", listening, host="host4"), stdout=subprocess.PIPE, text=True) as listener:
        listener.stdout.readline()
        assert made.run("python3", "-c", sending, host="host1").returncode == 0
        assert listener.stdout.read().strip() == wires.address(0)
    passed = made.run("cat", "/sys/class/net/to3/statistics/tx_packets", host="host2", capture_output=True, text=True)
    assert int(passed.stdout) > 0


@pytest.mark.parametrize("network, ranks, hops", [(wires.Torus((2, 2, 2)), 8, 3), (wires.Star(8), 8, 2)])
def test_a_fit_finds_what_messages_are_made_of(monkeypatch, network, ranks, hops):
    """Of a star, whose ends are equally far, hops are part of the latency."""
    monkeypatch.syspath_prepend(ROOT / "bench")
    import contention

    rate, hop, overhead, latency = 6.0, 70.0, 15.0, 90.0  # MB/s of what is sent; microseconds

    def measured(_name, _rules, _kind, sizes, ways, samples):
        found = {}
        for way in ways.split(","):
            pairs = [tuple(map(int, pair.split(">"))) for pair in way.split("+")]
            for size in map(int, sizes.split(",")):
                passes = max(len(network.way(*pair)) - 1 for pair in pairs)
                found[way, size] = [len(pairs) * size / rate + passes * hop + 2 * overhead + latency] * samples
            found[f"burst {way}", 8] = [overhead] * samples
        return found

    found = contention.fit(types.SimpleNamespace(network=network, ranks=ranks, measured=measured))
    star = isinstance(network, wires.Star)
    assert found["rate"] == pytest.approx(rate * contention.FRAME / (contention.FRAME - contention.HEADERS))
    assert found["hop"] == pytest.approx(0 if star else hop)
    assert found["latency"] == pytest.approx(latency + hops * hop if star else latency)
    assert found["overhead"] == overhead


def test_tables_and_json_say_the_same(build, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bench")
    import contention

    cells = [
        contention.Cell("Bcast", 1 << 20, "tree3", 100, [100, 110, 90]),
        contention.Cell("Bcast", 1 << 20, "binomial", 200, [250]),
        contention.Cell("Scatter", 1 << 18, "linear", 20, [40]),
    ]
    fitted = dict.fromkeys(("rate", "hop", "overhead", "latency", "alone", "shared"), 1.0)
    bench = types.SimpleNamespace(directory=pathlib.Path("torus"))
    found = contention.summary(bench, fitted, cells, {("Bcast", 1 << 20): 400})
    assert (found["median"], found["worst"]) == pytest.approx((0.2, 0.5))
    assert (found["pairs"], found["faster_right"]) == (1, 1.0)
    assert found["beside_the_library"] == [0.25] and found["worst_choice"] == 1.0
    text = "\n".join(contention.tables(found))
    assert "| Bcast | 2 | 10.0 % | -10.0 % | 100 % of 2 | 20.0 % |" in text
    assert "| **all** | 3 | 20.0 % | -20.0 % | 67 % of 3 | 50.0 % |" in text


@pytest.mark.skipif(not LONG_FORM, reason="takes minutes: KUMIHIMO_TEST_LONG=1")
@pytest.mark.parametrize("network", ["torus-2x2x2", "star-8", "torus-4x2x2"])
def test_times_are_as_predicted(hosts, network):
    hosts([1])  # skips where there can be none
    words = [sys.executable, ROOT / "bench/contention.py", network, "--json", "--sizes", "256K,1M", "--longest", "1"]
    told = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert told["median"] <= 0.10 and told["within_25_percent"] >= 0.95 and told["faster_right"] >= 0.90, told
