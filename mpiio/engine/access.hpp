// One transfer as an engine sees it: bytes of the file, bytes of memory, in the same order.
#pragma once

#include <span>

#include "base/agreement.hpp"
#include "copying/streams.hpp"
#include "sets/extents.hpp"

namespace kumihimo::mpiio {

using copying::Memory;
using sets::Index;

// The bytes of a file that a view shows, as an endless stream: `pattern` (a file type) laid end to end from `displacement` on,
// `period` (its extent) apart. Offsets ascend with stream positions (MPI 3.1, 13.1.1).
struct View {
    Index displacement = 0;
    sets::Extents pattern = sets::Extents::contiguous(1);
    Index period = 1;

    bool contiguous() const { return pattern.contiguous() && pattern.size() == period; }
    // Visits stream bytes [begin, end) in order as strided blocks: visit(const sets::Blocks&), offsets in the file.
    template <typename Visit>
    void for_each(Index begin, Index end, Visit&& visit) const {
        sets::for_each_tiled(pattern, period, displacement, begin, end, visit);
    }
    sets::Extents part(Index begin, Index end) const { return sets::tiled_part(pattern, period, displacement, begin, end); }
    Index offset(Index position) const { return displacement + sets::tiled_offset(pattern, period, position); }
    // How many stream bytes lie before the byte at `offset` of the file.
    Index position(Index offset) const { return sets::tiled_below(pattern, period, offset - displacement); }
};

struct Access {
    const View& view;
    Index position;  // of the stream, where the transfer begins
    Index bytes;
    const Memory& memory;  // the first byte of the stream goes to or comes from its first byte; writes only read it
    // Collective calls: what the others shall hear of besides what happens now: wrong arguments of this rank, whose bytes are 0
    // then, or what an earlier nonblocking call left behind. An engine that says `agreed` has told them.
    const base::Failure* earlier_failure = nullptr;
    // Collective calls: the memory of every rank as this one reaches it, whose stream begins with that rank's transfer. None:
    // not all ranks reach each other's. Whether there is some is the same on all ranks.
    std::span<const Memory> peers = {};
};

}  // namespace kumihimo::mpiio
