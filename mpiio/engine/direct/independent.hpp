// Transfers of one rank: as few operations on the file as its view allows. Long rows of memory go straight to the file, short
// ones through a buffer; reads go through gaps where that is cheaper than another operation. Writes never do: what lies in a
// gap may be another rank's, and would be undone.
#pragma once

#include "mpiio/engine/direct/buffer.hpp"
#include "mpiio/engine/direct/posix.hpp"

namespace kumihimo::mpiio::direct {

struct Tuning {
    Index buffer_bytes;   // of a copy
    Index gap_bytes = 0;  // that a read may fetch for nothing to save an operation
};

constexpr Index long_row_bytes = 4096;  // from here on an entry of a vectored call beats a copy

// Bytes of `moved` count from the beginning of the access.
Moved write_alone(PosixFile& file, const Access& access, Buffer& buffer, const Tuning& tuning);
Moved read_alone(PosixFile& file, const Access& access, Buffer& buffer, const Tuning& tuning);

// The first byte of an access in the file, and the byte behind its last one. Equal if it has none.
struct Span {
    Index begin = 0, end = 0;
    bool empty() const { return begin == end; }
};
Span span_of(const Access& access);
// How many pieces of the file an access has: its view's, in proportion.
Index pieces_of(const Access& access);

}  // namespace kumihimo::mpiio::direct
