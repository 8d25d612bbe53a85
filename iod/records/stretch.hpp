// What the sort buffer's two ways of holding records have in common.
#pragma once

#include <cstddef>
#include <cstdint>

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod {

struct Stretch {
    Offset begin, end;
};

struct Taken {
    Offset offset;
    std::size_t bytes;
};

struct RecordCounts {
    std::uint64_t records_in = 0, records_out = 0, merged = 0, overwritten_bytes = 0;
};

}  // namespace kumihimo::iod
