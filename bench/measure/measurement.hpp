// Repeats a kernel and takes the times of all ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/measure/clock.hpp"
#include "bench/measure/kernels.hpp"
#include "bench/measure/operations.hpp"
#include "bench/measure/options.hpp"

namespace kumihimo::bench {

// Complete on rank 0 only. A sample is one call; times are those of the slowest rank, and the mean over the ranks that take
// part.
struct Samples {
    std::vector<double> fastest_us, mean_us, slowest_us;
    Start start = Start::window;  // what was possible
    int late = 0;                 // calls that some rank began too late; they are no samples
};

struct Measurement {
    Samples alone, computation, together;  // the last two only of operations that overlap
    std::int64_t wrong = 0;                // bytes or elements, over all ranks, of two checks
};

// Collective.
Measurement measure(const Operation& operation, Kernel& kernel, const Place& place, CommonClock& clock, const Options& options);

}  // namespace kumihimo::bench
