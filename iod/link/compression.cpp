#include "iod/link/compression.hpp"

#include <algorithm>

namespace kumihimo::iod::process {

namespace {

constexpr double shortest = 1e-9;  // seconds: no clock says less

}  // namespace

void Compression::sent(std::size_t bytes) {
    all_ += bytes;
    since_ += bytes;
}

// What went since it was full the last time says how fast it is.
void Compression::full(double now) {
    if (full_since_) {
        bytes_ += since_;
        seconds_ += now - *full_since_;
    }
    full_since_ = now;
    since_ = 0;
    if (seconds_ < least_seconds) return;
    rate_ = static_cast<double>(bytes_) / seconds_;
    bytes_ = 0;
    seconds_ = 0;
}

void Compression::compressed(std::size_t from, std::size_t to, double seconds) {
    const auto whole = static_cast<double>(from);
    const double speed = whole / std::max(seconds, shortest);
    const double saved = std::max(0.0, 1 - static_cast<double>(to) / whole);
    const double part = speed_ == 0 ? 1 : newest_part;
    speed_ += part * (speed - speed_);
    saved_ += part * (saved - saved_);
}

int Compression::level() const {
    if (rate_ == 0 || rate_ >= slow_way) return 1;
    return rate_ < very_slow_way ? 6 : 3;
}

bool Compression::pays() {
    const bool shortens = speed_ == 0 || saved_ >= least_saving;
    const bool fast_enough = speed_ == 0 || is_new() || speed_ * saved_ > margin * rate_;
    const bool worth = shortens && fast_enough;
    passed_over_ = worth || passed_over_ == try_again ? 0 : passed_over_ + 1;
    return worth || passed_over_ == 0;
}

}  // namespace kumihimo::iod::process
