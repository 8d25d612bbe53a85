"""The tables of IMB and OSU, read as scripts read them."""

import re

import pytest
from bench_support import made_up_result, read_imb
from kumihimo.bench.suite import legacy_formats


def test_imb_tables_hold_the_medians():
    result = made_up_result()
    tables = read_imb(legacy_formats.imb(result["variants"][0]))
    for cell in result["variants"][0]["cells"]:
        repetitions, *values = tables[cell["operation"]][cell["bytes"]]
        assert repetitions == 500
        time = values[0] if cell["operation"] == "PingPong" else values[1]
        assert time == pytest.approx(cell["median_us"], abs=0.006)
        if cell["operation"] == "PingPong":
            assert values[1] == pytest.approx(cell["bytes"] / cell["median_us"], rel=0.01, abs=0.006)


def test_osu_lines_are_found_by_size():
    result = made_up_result()
    parts = legacy_formats.osu(result["variants"][0]).split("# OSU MPI")[1:]
    assert [part.split(" Test")[0].strip() for part in parts] == ["Latency", "Broadcast Latency", "Allreduce Latency"]
    assert "\n# Size          Latency (us)\n" in parts[0] and "\n# Size       Avg Latency(us)\n" in parts[1]  # as scripts seek
    for part, name in zip(parts, ("PingPong", "Bcast", "Allreduce")):
        for cell in result["variants"][0]["cells"]:
            if cell["operation"] == name:
                (found,) = re.findall(rf"^{cell['bytes']}\s+(\S+)", part, re.M)
                assert float(found) == pytest.approx(cell["median_us"], abs=0.006)
