// Copies of long runs of bytes. libc's memcpy is the best for most; not on all processors at all lengths.
#pragma once

#include <cstddef>
#include <cstring>

namespace kumihimo::copying {

// Up to here libc's memcpy is best everywhere.
inline constexpr std::size_t short_run = 1024;

using CopyRun = void (*)(std::byte* to, const std::byte* from, std::size_t bytes);
// What is best for runs that are `bytes` together: it is their sum that fits into a cache or not.
CopyRun copy_of_runs(std::size_t bytes);
void copy_run_by_vectors(std::byte* to, const std::byte* from, std::size_t bytes);

// memcpy, or a loop of vectors where that is faster: on Zen 4 `rep movsb` is up to 16 times slower where the distance of source
// and target is a little more than a multiple of 4096; on Zen 5 it is slower inside the first cache, and in one piece beyond.
inline void copy_run(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (bytes <= short_run)
        std::memcpy(to, from, bytes);
    else
        copy_of_runs(bytes)(to, from, bytes);
}

}  // namespace kumihimo::copying
