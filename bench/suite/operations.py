"""What Python knows about the operations that bench/measure measures: their groups, and throughput as it is defined for the
K computer (IPSJ SIG Technical Report 2016-HPC-153 No. 34, section 3): messages that go through a node per call, times the
message's size, divided by the time. Point-to-point operations count as IMB does, Allreduce twice (it reduces and broadcasts),
operations with a block for each rank once for each rank."""

GIB = 1 << 30
RANKS, STENCIL = "ranks", "stencil"  # messages that depend on the job


class Operation:
    def __init__(self, name, group, messages, explanation, in_paper=False):
        self.name, self.group, self.messages, self.explanation, self.in_paper = name, group, messages, explanation, in_paper

    def throughput(self, size, time_us, ranks, shape):
        """GiB/s, or None where there is no message."""
        if self.messages is None or size == 0 or not time_us:
            return None
        count = {RANKS: ranks, STENCIL: 4 * len(shape)}.get(self.messages, self.messages)
        return count * size / (time_us * 1e-6) / GIB


_TABLE = (
    ("PingPong", "p2p", 1, "rank 0 to rank 1 and back; half the time of both", True),
    ("PingPing", "p2p", 1, "ranks 0 and 1 send to each other at once", True),
    ("Sendrecv", "p2p", 2, "every rank receives from the rank before it and sends to the one after it", True),
    ("Exchange", "p2p", 4, "every rank exchanges with the ranks before and after it", True),
    ("Stencil", "p2p", STENCIL, "every rank exchanges with its neighbours along all axes of the node shape", False),
    ("Bcast", "collective", 1, "rank 0 to all", True),
    ("Allreduce", "collective", 2, "sum of all vectors, to all", True),
    ("Reduce", "collective", 1, "sum of all vectors, to rank 0", True),
    ("Reduce_scatter", "collective", 1, "sum of all vectors, each rank gets its part", True),
    ("Allgather", "collective", RANKS, "every rank's block to all", True),
    ("Allgatherv", "collective", RANKS, "Allgather with counts and displacements", True),
    ("Gather", "collective", RANKS, "every rank's block to rank 0", True),
    ("Gatherv", "collective", RANKS, "Gather with counts and displacements", True),
    ("Alltoall", "collective", RANKS, "a block from every rank to every rank", True),
    ("Alltoallv", "collective", RANKS, "Alltoall with counts and displacements", True),
    ("Scatter", "collective", RANKS, "a block from rank 0 to every rank", True),
    ("Scatterv", "collective", RANKS, "Scatter with counts and displacements", True),
    ("Barrier", "collective", None, "no data", False),
    ("Ibarrier", "overlap", None, "Barrier beside a computation", False),
    ("Ibcast", "overlap", 1, "Bcast beside a computation", False),
    ("Iallgather", "overlap", RANKS, "Allgather beside a computation", False),
    ("Ialltoall", "overlap", RANKS, "Alltoall beside a computation", False),
    ("Iallreduce", "overlap", 2, "Allreduce beside a computation", False),
    ("Put", "onesided", 1, "rank 0 writes to the memory of rank 1", False),
    ("Get", "onesided", 1, "rank 0 reads the memory of rank 1", False),
    ("Accumulate", "onesided", 1, "rank 0 adds to the memory of rank 1", False),
)
OPERATIONS = {row[0]: Operation(*row) for row in _TABLE}
GROUPS = ("p2p", "collective", "overlap", "onesided")


class UnknownOperation(Exception):
    pass


def chosen(words):
    """Names in the table's order from names and groups in any spelling; all where there are none."""
    if not words:
        return list(OPERATIONS)
    spelt = {name.lower(): name for name in OPERATIONS}
    found = set()
    for word in words:
        lower = word.lower()
        if lower in GROUPS:
            found.update(name for name, one in OPERATIONS.items() if one.group == lower)
        elif lower == "paper":
            found.update(name for name, one in OPERATIONS.items() if one.in_paper)
        elif lower in spelt:
            found.add(spelt[lower])
        else:
            raise UnknownOperation(f"no operation or group '{word}' (kumihimo bench list)")
    return [name for name in OPERATIONS if name in found]


def throughput(name, size, time_us, ranks, shape):
    """Of operations that are known."""
    return OPERATIONS[name].throughput(size, time_us, ranks, shape) if name in OPERATIONS else None


def overlap_percent(alone_us, computation_us, together_us):
    """How much of the shorter one is hidden by the other: 0 nothing, 100 all. None where there is nothing to hide."""
    shorter = min(alone_us, computation_us)
    return None if shorter <= 0 else 100 * max(0.0, min(1.0, (alone_us + computation_us - together_us) / shorter))
