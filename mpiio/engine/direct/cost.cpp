#include "mpiio/engine/direct/cost.hpp"

namespace kumihimo::mpiio::direct {

namespace {

constexpr double memory = 0.999;       // of an observation, for each later one: about the last thousand count
constexpr double least_count = 16;     // before that, what is known of the kind of file system is the better guess
constexpr double least_spread = 0.25;  // of sizes, relative to their mean: else the line's slope is noise

}  // namespace

void Regression::add(double bytes, double seconds) {
    count_ = count_ * memory + 1;
    bytes_ = bytes_ * memory + bytes;
    seconds_ = seconds_ * memory + seconds;
    squares_ = squares_ * memory + bytes * bytes;
    products_ = products_ * memory + bytes * seconds;
}

Cost Regression::fit(const Cost& expected) const {
    if (count_ < least_count) return expected;
    const double mean_bytes = bytes_ / count_, mean_seconds = seconds_ / count_;
    const double variance = squares_ / count_ - mean_bytes * mean_bytes;
    if (variance > least_spread * least_spread * mean_bytes * mean_bytes) {
        const double slope = (products_ / count_ - mean_bytes * mean_seconds) / variance;
        const double start = mean_seconds - slope * mean_bytes;
        if (slope > 0 && start > 0) return {start, slope};
    }
    const double scale = mean_seconds / expected.of(1, mean_bytes);
    return {expected.operation_s * scale, expected.byte_s * scale};
}

}  // namespace kumihimo::mpiio::direct
