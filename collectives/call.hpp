// One rank's call of a collective operation: all that an algorithm needs to know to write the rank's schedule.
#pragma once

#include "collectives/placement.hpp"
#include "collectives/schedule.hpp"
#include "collectives/torus.hpp"

namespace kumihimo::collectives {

enum class Operation { broadcast, reduce, allreduce, reduce_scatter, allgather, gather, scatter, alltoall, barrier };
constexpr int operations = 9;
const char* name_of(Operation operation);  // "bcast", "reduce_scatter": MPI's name without MPI_, in small letters

// How the ranks' blocks lie in a buffer: all of one size and side by side, or as the v-forms' arguments say (in bytes; the
// caller's arrays, which must outlive the schedule).
struct Blocks {
    Bytes bytes = 0;
    const Bytes* sizes = nullptr;
    const Bytes* offsets = nullptr;

    Bytes size(int rank) const { return sizes ? sizes[rank] : bytes; }
    Bytes offset(int rank) const { return offsets ? offsets[rank] : bytes * rank; }
    Span in(Buffer buffer, int rank) const { return {buffer, offset(rank), size(rank)}; }
    // The blocks first..first+count-1, which lie side by side, as one span.
    Span in(Buffer buffer, int first, int count) const {
        const int last = first + count - 1;
        return {buffer, offset(first), offset(last) + size(last) - offset(first)};
    }
};

struct Call {
    Operation operation = Operation::barrier;
    int ranks = 1, rank = 0;
    int root = 0;

    // Bcast, Reduce, Allreduce work on a vector: bytes [offset, offset + bytes) of the user's buffers. An algorithm may be
    // asked for a piece of it.
    Bytes offset = 0, bytes = 0;
    // The others work on blocks. Reduce_scatter, Scatter, Alltoall: how the send buffer is divided. Allgather, Gather,
    // Alltoall: the receive buffer. Of Scatterv and Gatherv only the root knows sizes; every rank knows its own block's
    // (block_bytes).
    Blocks send_blocks, receive_blocks;
    Bytes block_bytes = 0;
    bool varying = false;  // a v-form: sizes differ
    // What the ranks of a host have told its leader of their blocks, for algorithms that ask (Algorithm::asks_sizes). By place:
    // Gather, Scatter: the block's size. Alltoall: the sizes of what goes to each rank, then of what comes from each.
    const Bytes* told = nullptr;

    Bytes element_bytes = 1;  // reductions: nothing is cut inside an element
    bool commutative = true;  // reductions: ranks may be combined in any order
    bool in_place = false;    // MPI_IN_PLACE, as MPI-4.0 6 defines it for each operation

    Torus torus;                           // torus.ranks() == ranks
    const Placement* placement = nullptr;  // null: not known, for algorithms that do not ask
    Bytes segment_bytes = 16384;           // of pipelines
    Bytes work_limit = 6 << 20;            // work space on a rank
    int rounds_in_flight = 128;            // of exchanges between all pairs (alltoall_torus.cpp)

    // Where a piece of a vector finds its work space and its messages.
    Bytes work_offset = 0;
    int channel = 0;

    // Ranks counted from the root, for algorithms that are drawn with the root as rank 0.
    int from_root(int other) const { return modulo(other - root, ranks); }
    int from_root() const { return from_root(rank); }
    int absolute(int relative) const { return (relative + root) % ranks; }
    int ahead(int distance) const { return modulo(rank + distance, ranks); }

    Span vector(Buffer buffer) const { return {buffer, offset, bytes}; }
    // Piece number i of work space as long as the vector.
    Span work(int i) const { return {Buffer::work, work_offset + i * bytes, bytes}; }
    // Where this rank's own input of a reduction is.
    Buffer input() const { return in_place ? Buffer::receive : Buffer::send; }
};

// Cuts `bytes` into `parts` as equal as whole elements allow: part i is [cut(i), cut(i + 1)).
constexpr Bytes cut(Bytes bytes, Bytes element_bytes, int parts, int i) {
    return bytes / element_bytes * i / parts * element_bytes;
}

}  // namespace kumihimo::collectives
