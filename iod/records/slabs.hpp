// The memory of a sort buffer, in parts of one size that are kept: fresh memory costs more than what is done with it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include "iod/records/page_memory.hpp"

namespace kumihimo::iod {

class Slabs {
public:
    // A slab is a small part of the buffer, so that rounding up to whole slabs wastes little of it; at most a huge page.
    static constexpr std::size_t smallest = page_bytes, largest = huge_page_bytes, per_buffer = 16;

    explicit Slabs(std::size_t capacity_bytes)
        : slab_bytes_(std::bit_floor(std::clamp(capacity_bytes / per_buffer, smallest, largest))) {}

    PageMemory take() {
        if (free_.empty()) return ++slabs_, page_memory(slab_bytes_);
        PageMemory slab = std::move(free_.back());
        free_.pop_back();
        return slab;
    }
    void give_back(PageMemory slab) { free_.push_back(std::move(slab)); }
    // Frees what nobody has taken, as far as that is more than so many bytes.
    void keep_at_most(std::size_t bytes) {
        while (!free_.empty() && memory_bytes() > bytes) free_.pop_back(), --slabs_;
    }

    std::size_t slab_bytes() const { return slab_bytes_; }
    std::size_t memory_bytes() const { return slabs_ * slab_bytes_; }  // taken or kept

private:
    std::size_t slab_bytes_, slabs_ = 0;
    std::vector<PageMemory> free_;
};

}  // namespace kumihimo::iod
