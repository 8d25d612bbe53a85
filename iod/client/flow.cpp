#include "iod/client/flow.hpp"

#include <algorithm>

namespace kumihimo::iod {

namespace {

constexpr double least_seconds = 0.05;                       // of a measurement, and
constexpr double round_trips = 2;                            // so many round trips at least
constexpr std::size_t least_counted = std::size_t{2} << 20;  // bytes: of one answer the peak is only what came behind it
constexpr double short_way = 0.004;                          // where ssh's window is more than it can encrypt
constexpr double long_way = 0.02;  // where one connection after the other would take too long to begin
constexpr double moment = 0.05;    // seconds
constexpr double filled = 0.88;    // of what the windows allow: then they are what limits, not the link or the processors

}  // namespace

void Flow::round_trip(double seconds) {
    round_trip_ = round_trip_ == 0 ? seconds : std::min(round_trip_, seconds);
}

void Flow::sent(std::size_t bytes, double now) {
    if (under_way_ == 0) busy_since_ = now;
    under_way_ += bytes;
    peak_ = std::max(peak_, under_way_);
}

void Flow::answered(std::size_t bytes, double now) {
    under_way_ -= std::min(bytes, under_way_);
    counted_ += bytes;
    busy_ += now - busy_since_;
    busy_since_ = now;
    if (busy_ < std::max(least_seconds, round_trips * round_trip_) || counted_ < least_counted) return;
    rate_ = static_cast<double>(counted_) / busy_;
    last_peak_ = peak_;
    measured_ = true;
    busy_ = 0;
    counted_ = 0;
    peak_ = under_way_;
}

// So the way is never empty while answers come back; more would only wait in some memory.
std::size_t Flow::held() const {
    return std::clamp(static_cast<std::size_t>(2 * rate_ * round_trip_), least_held, std::max(least_held, most_window_));
}

// On a slow way whoever reads the last byte that it wants would wait long for what comes with it.
std::size_t Flow::piece() const {
    if (!(rate_ > 0)) return largest_piece;
    return std::clamp(static_cast<std::size_t>(rate_ * moment), least_piece, largest_piece);
}

// Enough that all different ways can be full, and that it shows.
std::size_t Flow::window(std::size_t ways) const {
    return std::min(std::max({held(), least_window, (ways + 1) * stream_window}), most_window_);
}

// Different ways have links of their own: as soon as there is enough for one. Of the others how many would do nobody knows
// before they are there, and to start one takes a dozen round trips. On a long way these are what counts: so all that may be,
// at once. On a short one logins take processor time from what is under way: so twice as many, and then it is measured again.
std::size_t Flow::more_streams(std::size_t streams, std::size_t most, std::size_t ways) const {
    if (streams >= most) return 0;
    const auto windows = static_cast<double>(streams * stream_window);
    const auto all = static_cast<double>(sharers_);
    const auto busy = [&](std::size_t peak) { return static_cast<double>(peak) * all > windows; };
    if (streams < ways && busy(std::max(peak_, last_peak_))) return std::min(most, ways) - streams;
    if (!measured_ || !busy(last_peak_) || round_trip_ < short_way || rate_ * all <= filled * windows / round_trip_) return 0;
    return round_trip_ >= long_way ? most - streams : std::min(streams, most - streams);
}

}  // namespace kumihimo::iod
