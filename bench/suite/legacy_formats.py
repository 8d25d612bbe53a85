"""A result in the tables that IMB and OSU print, for whoever has a parser of theirs. A cell is the median over the launches;
the number of repetitions is that of all launches."""

from . import quantiles

# ---- Intel MPI Benchmarks ----

_IMB_NAMES = {"Put": "Unidir_put", "Get": "Unidir_get", "Accumulate": "Accumulate"}
_IMB_RATE = {"PingPong": 1, "PingPing": 1, "Sendrecv": 2, "Exchange": 4, "Put": 1, "Get": 1}  # messages in Mbytes/sec
_IMB_PAIRS = ("PingPong", "PingPing", "Put", "Get", "Accumulate")
_RULE = "#" + "-" * 77


def imb(variant):
    text = "# In the form of Intel MPI Benchmarks, measured by kumihimo bench\n"
    for name, cells in _operations(variant):
        processes = 2 if name in _IMB_PAIRS else variant["ranks"]
        text += f"\n{_RULE}\n# Benchmarking {_IMB_NAMES.get(name, name)} \n# #processes = {processes} \n{_RULE}\n"
        text += _imb_line(_imb_heads(name, cells[0]))
        text += "".join(_imb_line(_imb_values(name, cell)) for cell in cells)
    return text + "\n\n# All processes entering MPI_Finalize\n\n"


def _imb_heads(name, cell):
    if cell["overlap_percent"] is not None:
        return ["#bytes", "#repetitions", "t_ovrl[usec]", "t_pure[usec]", "t_CPU[usec]", "overlap[%]"]
    if name == "Barrier":
        return ["#repetitions", "t_min[usec]", "t_max[usec]", "t_avg[usec]"]
    rate = ["Mbytes/sec"] if name in _IMB_RATE else []
    if name in _IMB_PAIRS:
        return ["#bytes", "#repetitions", "t[usec]", *rate]
    return ["#bytes", "#repetitions", "t_min[usec]", "t_max[usec]", "t_avg[usec]", *rate]


def _imb_values(name, cell):
    time, head = cell["median_us"], [cell["bytes"], _repetitions(cell)]
    if cell["overlap_percent"] is not None:
        return [*head, _over(cell, "together"), time, _over(cell, "computation"), cell["overlap_percent"]]
    three = [_over(cell, "fastest_rank"), time, _over(cell, "mean_rank")]
    if name == "Barrier":
        return [head[1], *three]
    rate = [_IMB_RATE[name] * cell["bytes"] / time] if name in _IMB_RATE else []  # 10^6 bytes in a second
    return [*head, *([time] if name in _IMB_PAIRS else three), *rate]


def _imb_line(values):
    return "".join(f"{value:13.2f}" if isinstance(value, float) else f"{value:>13}" for value in values) + "\n"


# ---- OSU micro-benchmarks ----

_OSU_ONE_SIDED = ("Put", "Get", "Accumulate")
_OSU_NONE = ("PingPing", "Sendrecv", "Exchange", "Stencil")  # OSU has no such test
_OSU_TITLES = {  # where they are not made of the operation's name
    "PingPong": "MPI Latency",
    "Bcast": "MPI Broadcast Latency",
    "Alltoall": "MPI All-to-All Personalized Exchange Latency",
    "Alltoallv": "MPI All-to-Allv Personalized Exchange Latency",
    "Ibarrier": "MPI Non-blocking Barrier Latency",
    "Ibcast": "MPI Non-blocking Broadcast Latency",
    "Iallgather": "MPI Non-blocking Allgather Latency",
    "Ialltoall": "MPI Non-blocking All-to-All Latency",
    "Iallreduce": "MPI Non-blocking Allreduce Latency",
    "Put": "MPI_Put Latency",
    "Get": "MPI_Get latency",
    "Accumulate": "MPI_Accumulate latency",
}


def osu(variant):
    text = ""
    for name, cells in _operations(variant):
        if name not in _OSU_NONE:
            title = _OSU_TITLES.get(name, f"MPI {name} Latency")
            text += f"\n# OSU {title} Test, measured by kumihimo bench\n"
            text += _osu_heads(name, cells[0]) + "".join(_osu_line(name, cell) for cell in cells)
    return text


def _osu_heads(name, cell):
    if cell["overlap_percent"] is not None:
        size = "" if name == "Ibarrier" else "Size           "
        return (
            "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n"
            f"# {size}Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)\n"
        )
    if name in _OSU_ONE_SIDED:
        return "# Window creation: MPI_Win_allocate\n# Synchronization: MPI_Win_flush\n# Size          Latency (us)\n"
    if name == "PingPong":
        return "# Size          Latency (us)\n"
    return "# Avg Latency(us)\n" if name == "Barrier" else "# Size       Avg Latency(us)\n"


def _osu_line(name, cell):
    size, time = "" if name in ("Barrier", "Ibarrier") else f"{cell['bytes']:<10}", cell["median_us"]
    if cell["overlap_percent"] is not None:
        values = [_over(cell, "together"), _over(cell, "computation"), time, cell["overlap_percent"]]
        return size + "".join(f"{value:18.2f}" for value in values) + "\n"
    mean_of_ranks = name not in ("PingPong", *_OSU_ONE_SIDED)
    return f"{size}{_over(cell, 'mean_rank') if mean_of_ranks else time:18.2f}\n"


# ---- Both ----


def _operations(variant):
    """(name, cells) of each operation."""
    found = {}
    for cell in variant["cells"]:
        found.setdefault(cell["operation"], []).append(cell)
    return found.items()


def _over(cell, field):
    return quantiles.median([one[field] for one in cell["launches"]])


def _repetitions(cell):
    return sum(one["samples"] for one in cell["launches"])
