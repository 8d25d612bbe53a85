// Memory for rows of bytes, beside the copies that fill it (mpiio/engine/copy.hpp).
#pragma once

#include <cstddef>
#include <memory>

#include "mpiio/engine/copy.hpp"

namespace kumihimo::mpiio::direct {

// Memory that is kept between calls, since fresh memory costs a page fault for every 4 KiB. Contents are lost when it grows.
class Buffer {
public:
    std::byte* of(Index bytes) {
        if (bytes <= capacity_) return memory_.get();
        memory_.reset();
        memory_.reset(new std::byte[static_cast<std::size_t>(bytes)]);
        capacity_ = bytes;
        return memory_.get();
    }

private:
    std::unique_ptr<std::byte[]> memory_;
    Index capacity_ = 0;
};

}  // namespace kumihimo::mpiio::direct
