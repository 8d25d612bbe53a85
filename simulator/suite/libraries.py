"""Which algorithms an MPI library may have run for a collective operation, where no rule of libkumihimo_coll says it.

MPICH tells by which of its algorithms it does an operation (the descriptions of MPIR_CVAR_BCAST_SHORT_MSG_SIZE and the others,
with their defaults; Thakur, Rabenseifner and Gropp, Int. J. of High Performance Computing Applications 19(1), 2005). For other
libraries, and for what MPICH leaves open, the fastest algorithm stands."""

from . import tuning

KIB = 1024


def _broadcast(size, ranks):
    return ("binomial",) if size < 12 * KIB or ranks < 8 else ("scatter_allgather",)


def _allgather(size, ranks):
    if size * ranks < 512 * KIB and not ranks & (ranks - 1):
        return ("recursive_doubling",)
    return ("bruck",) if size * ranks < 80 * KIB else ("ring",)


def _reduce(size, _):  # for long vectors a Reduce_scatter and a Gather, as our ring is
    return ("binomial",) if size <= 2 * KIB else ("ring",)


def _allreduce(size, _):
    return ("recursive_doubling",) if size <= 2 * KIB else ("rabenseifner",)


def _reduce_scatter(size, _):
    return ("halving", "pairwise") if size < 512 * KIB else ("pairwise",)


def _alltoall(size, ranks):
    if size <= 256 and ranks >= 8:
        return ("bruck",)
    return ("linear",) if size <= 32 * KIB else ("pairwise",)


_MPICH = {
    "Bcast": _broadcast,
    "Allgather": _allgather,
    "Reduce": _reduce,
    "Allreduce": _allreduce,
    "Reduce_scatter": _reduce_scatter,
    "Alltoall": _alltoall,
}


def candidates(family, operation, size, ranks, known):
    """Lists of algorithms, in turn: of the first list with one that suits the call the fastest one stands for the library.
    size: bytes, as `kumihimo bench` counts them. known: the operation's algorithms."""
    if choice := _MPICH.get(operation.removesuffix("v")) if family == "mpich" else None:
        for name in choice(size, ranks):
            yield [name] if name in known else []
    yield [one for one in known if one in tuning.LIBRARIES]
