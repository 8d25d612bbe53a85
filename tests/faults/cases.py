"""The cases of a sweep: patterns of access, the faults of each kind of call, and "fail the k-th call, for all k"."""

import dataclasses

# Rounds of a collective call meet many faults only if there are many: small buffers, and ranks that exchange data.
EXCHANGE = "cb_buffer_size=16384+romio_cb_write=enable+romio_cb_read=enable+romio_ds_write=disable"

# Kumihimo's independent writes wait only where that is asked for; other libraries do not know the hint.
BEHIND = "kumihimo_write_behind=65536"

# (direction, layout, access, hints), as workload.c knows them. `closed` leaves the sync to close.
WRITES = [
    ("write", "blocks", "all", "-"),
    ("write", "interleaved", "all", "-"),
    ("write", "interleaved", "all", EXCHANGE),
    ("write", "interleaved", "split", EXCHANGE),
    ("write", "interleaved", "one", "-"),
    ("write", "turns", "at", "-"),
    ("write", "turns", "at_all", EXCHANGE),
    ("write", "turns", "iat", "-"),
    ("write", "interleaved", "iat_all", "-"),
    ("write", "turns", "shared", "-"),
    ("write", "turns", "ordered", "-"),
    ("write", "turns", "at", BEHIND),
    ("sized", "turns", "at_all", "-"),
    ("closed", "interleaved", "all", "-"),
    ("closed", "turns", "at", BEHIND),
]
PATTERNS = WRITES + [("read", *pattern[1:]) for pattern in WRITES if pattern[0] == "write" and pattern[3] != BEHIND]

TRANSIENT = ["error=EINTR", "error=EAGAIN", "error=EINTR,times=3", "short=1", "short=half", "short=n-1"]
FAULTS = {
    "open": ["error=" + name for name in ("EIO", "ENOENT", "EACCES", "EMFILE", "ENOSPC", "EINTR")],
    "read": ["error=EIO", "error=EIO,times=0", "short=0", *TRANSIENT],
    "write": ["error=" + name for name in ("EIO", "ENOSPC", "ENOSPC,times=0", "EDQUOT", "EFBIG")] + ["short=0", *TRANSIENT],
    "sync": ["error=" + name for name in ("EIO", "ENOSPC", "EDQUOT", "EINTR")],
    "close": ["error=" + name for name in ("EIO", "ENOSPC", "EDQUOT", "EINTR")],
    "truncate": ["error=" + name for name in ("EIO", "EFBIG", "ENOSPC", "EINTR")],
    "allocate": ["error=" + name for name in ("EIO", "EFBIG", "ENOSPC", "EDQUOT", "EINTR", "EOPNOTSUPP")],
    "lock": ["error=" + name for name in ("ENOLCK", "EINTR")],
    "unlink": ["error=" + name for name in ("EIO", "EACCES")],
    "size": ["error=EIO"],
}


@dataclasses.dataclass
class Case:
    number: int
    pattern: tuple
    kind: str = ""  # of the call that fails; empty: none does
    fault: str = ""
    rank: int = 0
    k: int = 0

    @property
    def rules(self):
        rule = "path=*/case-*"
        return rule + (f",rank={self.rank},call={self.kind},k={self.k},{self.fault}" if self.kind else "")

    @property
    def line(self):
        return " ".join([str(self.number), *self.pattern, self.rules])

    @property
    def transient(self):
        """Whether a retry gets over it, so that no call may fail."""
        interrupted = self.fault.startswith("error=EINTR") or (
            self.fault.startswith("error=EAGAIN") and self.kind in ("read", "write")
        )
        return interrupted or self.fault in ("short=1", "short=half", "short=n-1")


def fault_free(patterns):
    """One case for each pattern, which counts the calls."""
    return [Case(number, pattern) for number, pattern in enumerate(patterns)]


def sweep(counts, most=None, faults=FAULTS):
    """Fails the k-th call of each kind, for all k (or the first `most`) and all ranks. `counts[pattern][rank][kind]`: how many
    calls the fault-free case made."""
    cases = []
    for pattern, of_ranks in counts.items():
        for rank, of_rank in enumerate(of_ranks):
            for kind, number in of_rank.items():
                for k in range(1, min(number, most or number) + 1):
                    for fault in faults.get(kind, []):
                        cases.append(Case(len(PATTERNS) + len(cases), pattern, kind, fault, rank, k))
    return cases
