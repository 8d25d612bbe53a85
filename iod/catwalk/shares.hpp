// How the memory that a file may take at a host (Options.sort_buffer) is divided, so that all of it together stays below.
#pragma once

#include <algorithm>
#include <cstddef>

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod::process {

struct Shares {
    // For one lane. `root`: the server is here; it has a queue of records for its writer, the others keep what was read;
    // if nothing is written it does so, too.
    Shares(const Open& open, bool root) {
        const std::size_t lanes = std::max<std::size_t>(1, open.servers);
        const std::size_t all = std::max<std::size_t>(open.options.sort_buffer / lanes, smallest);
        batch = std::clamp<std::size_t>(all / 32, 64 << 10, 256 << 10);
        const std::size_t links = 4 * batch;  // frames on their way in and out
        if (root && open.mode.write) fifo = std::min<std::size_t>(all / 4, 32 << 20);
        if (open.mode.read && !open.mode.write) staged = all / 2;
        if (!root && open.mode.read && open.mode.write) staged = all / 4;
        stage = all - std::min(all / 2, links + fifo + staged);
    }

    static constexpr std::size_t smallest = 2 << 20;
    std::size_t batch = 0, fifo = 1 << 20, staged = 0, stage = 0;
};

}  // namespace kumihimo::iod::process
