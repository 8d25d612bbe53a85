// Memory of long payloads, used again and again: what malloc gives back to the kernel comes again as pages to be found, cleared
// and charged, which costs more than to fill them. The block that was given back last is taken first, and is in a cache still.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

namespace kumihimo::iod {

// For all threads of the process.
class PayloadMemory {
public:
    static PayloadMemory& of_process();

    struct Block {
        std::byte* begin = nullptr;
        std::size_t bytes = 0;
    };
    Block take(std::size_t bytes);  // at least so many. Throws std::bad_alloc
    void give_back(Block block) noexcept;
    std::size_t kept_bytes() const;

    static constexpr std::size_t least = std::size_t{64} << 10;      // bytes of a block that is kept
    static constexpr std::size_t most_kept = std::size_t{16} << 20;  // bytes of all that nobody uses

private:
    mutable std::mutex mutex_;
    std::array<Block, 32> kept_;  // the last `count_` that came back
    std::size_t count_ = 0, bytes_ = 0;
};

}  // namespace kumihimo::iod
