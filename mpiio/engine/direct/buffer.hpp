// Memory for rows of bytes, beside the copies that fill it (copying/streams.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "copying/streams.hpp"

namespace kumihimo::mpiio::direct {

using copying::pack, copying::unpack;
using sets::Index, sets::Blocks;

// Memory that is kept between calls, since fresh memory costs a page fault for every 4 KiB. Contents are lost when it grows. It
// begins a cache line, so that copies fill whole ones.
class Buffer {
public:
    std::byte* of(Index bytes) {
        if (bytes <= capacity_) return memory_.get();
        memory_.reset();
        memory_.reset(static_cast<std::byte*>(operator new(static_cast<std::size_t>(bytes), alignment)));
        capacity_ = bytes;
        return memory_.get();
    }
    void keep_at_most(Index bytes) {
        if (capacity_ <= bytes) return;
        memory_.reset();
        capacity_ = 0;
    }

private:
    static constexpr std::align_val_t alignment{64};
    struct Free {
        void operator()(std::byte* memory) const { operator delete(memory, alignment); }
    };
    std::unique_ptr<std::byte, Free> memory_;
    Index capacity_ = 0;
};

}  // namespace kumihimo::mpiio::direct
