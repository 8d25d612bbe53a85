"""What the two laws say of an outcome. What a file must hold is computed here, apart from the program that wrote it."""

import functools
import struct

CALLS, PIECES, PIECE_BYTES = 4, 4, 4096
CALL_BYTES = PIECES * PIECE_BYTES
COLLECTIVE = {"open", "set_size", "preallocate", "at_all", "all", "ordered", "split", "sync", "close"}
VERDICTS = ["handled", "needless error", "hang", "silent loss", "disagreement", "crash"]


@functools.cache
def content(ranks):
    """The file's bytes: word j is (j + 1) times a constant."""
    words = ranks * CALLS * CALL_BYTES // 8
    return struct.pack(f"<{words}Q", *((j + 1) * 0x9E3779B97F4A7C15 % 2**64 for j in range(words)))


def pieces(layout, rank, call, ranks):
    """Where the pieces of a call lie in the file: (offset, bytes)."""
    if layout == "interleaved":
        return [(((call * PIECES + i) * ranks + rank) * PIECE_BYTES, PIECE_BYTES) for i in range(PIECES)]
    first = rank * CALLS + call if layout == "blocks" else call * ranks + rank
    return [(first * CALL_BYTES, CALL_BYTES)]


def failed(result):
    return result[1] != "MPI_SUCCESS"


def disagreement(results):
    """The first collective call that ended differently on different ranks."""
    calls = [result["calls"] for result in results]
    for same in zip(*calls):
        if same[0][0] in COLLECTIVE and len({result[1] for result in same}) > 1:
            return f"{same[0][0]}: {[result[1] for result in same]}"
    return "ranks made different calls" if len({len(of_rank) for of_rank in calls}) > 1 else ""


def transfers(result):
    return [call for call in result["calls"] if call[0] not in ("open", "set_size", "preallocate", "sync", "close")]


def lost_in_calls(case, results):
    """A call that said success and did not move what it said."""
    may_be_short = case.pattern[0] == "read" and case.fault == "short=0"
    for rank, result in enumerate(results):
        for name, error_class, count, wrong in transfers(result):
            if wrong:
                return f"rank {rank} read {wrong} wrong bytes by {name}, told {error_class} and a count of {count}"
            if error_class == "MPI_SUCCESS" and count != CALL_BYTES and not may_be_short:
                return f"rank {rank} was told success and a count of {count} by {name}"
    return ""


def records(data):
    return sorted(data[i : i + CALL_BYTES] for i in range(0, len(data), CALL_BYTES))


def lost_in_file(case, results, data):
    """Bytes of a successful write that the file does not hold, though sync and close succeeded as well."""
    ranks, expected = len(results), content(len(results))
    if any(failed(call) for result in results for call in result["calls"] if call[0] in ("open", "sync", "close")):
        return ""
    shared = case.pattern[2] == "shared"
    for rank, result in enumerate(results):
        for number, call in enumerate(transfers(result)):
            where = pieces(case.pattern[1], rank, number, ranks)
            there = all(data[at : at + length] == expected[at : at + length] for at, length in where)
            if shared:
                there = b"".join(expected[at : at + length] for at, length in where) in records(data)
            if not failed(call) and not there:
                return f"call {number} of rank {rank} is not in the file"
    return ""


def judge(case, outcome, path):
    """The verdict and its reason."""
    if outcome.end != "finished":
        missing = [rank for rank, result in enumerate(outcome.results) if result is None]
        return outcome.end, f"ranks {missing} did not come back"
    loss = lost_in_calls(case, outcome.results)
    if not loss and case.pattern[0] != "read":
        loss = lost_in_file(case, outcome.results, path.read_bytes() if path.exists() else b"")
    if loss:
        return "silent loss", loss
    difference = disagreement(outcome.results)
    if difference:
        return "disagreement", difference
    errors = [
        f"rank {r}: {call[0]} {call[1]}" for r, result in enumerate(outcome.results) for call in result["calls"] if failed(call)
    ]
    return ("needless error" if errors and case.transient else "handled"), "; ".join(errors[:3])
