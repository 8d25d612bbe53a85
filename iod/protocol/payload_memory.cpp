#include "iod/protocol/payload_memory.hpp"

#include <algorithm>

namespace kumihimo::iod {

namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool keeps = false;  // who uses what is given back is to be found
#else
constexpr bool keeps = true;
#endif

// Few sizes, so that those that differ by a header are one.
std::size_t rounded(std::size_t bytes) {
    return bytes < PayloadMemory::least ? bytes
                                        : (bytes + PayloadMemory::least - 1) / PayloadMemory::least * PayloadMemory::least;
}

}  // namespace

// It outlives all threads, and what they give back at the end.
PayloadMemory& PayloadMemory::of_process() {
    static PayloadMemory& memory = *new PayloadMemory;
    return memory;
}

PayloadMemory::Block PayloadMemory::take(std::size_t bytes) {
    bytes = rounded(bytes);
    if (bytes >= least) {
        const std::lock_guard lock(mutex_);
        const auto end = kept_.begin() + static_cast<std::ptrdiff_t>(count_);
        const auto fits = [&](const Block& one) { return one.bytes >= bytes && one.bytes / 2 <= bytes; };
        const auto found = std::find_if(std::make_reverse_iterator(end), kept_.rend(), fits);
        if (found != kept_.rend()) {
            const Block block = *found;
            std::move(found.base(), end, std::prev(found.base()));
            --count_;
            bytes_ -= block.bytes;
            return block;
        }
    }
    return {new std::byte[bytes], bytes};
}

void PayloadMemory::give_back(Block block) noexcept {
    if (keeps && block.bytes >= least) {
        const std::lock_guard lock(mutex_);
        if (count_ < kept_.size() && bytes_ + block.bytes <= most_kept) {
            kept_[count_++] = block;
            bytes_ += block.bytes;
            return;
        }
    }
    delete[] block.begin;
}

std::size_t PayloadMemory::kept_bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

}  // namespace kumihimo::iod
