// Copies between bytes in a row and bytes in blocks: packing and unpacking without MPI.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>

#include "mpiio/engine/access.hpp"

namespace kumihimo::mpiio::direct {

using sets::Blocks;

// Offsets of `blocks` count from `base`. Return the byte behind the last one of the row.
std::byte* pack(const std::byte* base, const Blocks& blocks, std::byte* to);
const std::byte* unpack(const std::byte* from, const Blocks& blocks, std::byte* base);

// Bytes [begin, end) of a transfer's memory.
void gather(const Memory& memory, Index begin, Index end, std::byte* to);
void scatter(const std::byte* from, const Memory& memory, Index begin, Index end);

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
