// How records come from the ranks' rings into the lanes of a session, from all ranks at about the same pace.
#include <algorithm>

#include "iod/catwalk/session.hpp"
#include "iod/catwalk/stopwatch.hpp"

namespace kumihimo::iod::process {

bool Session::empty_rings() {
    Stopwatch stopwatch(ring_seconds_);
    bool moved = false;
    const std::uint64_t limit = limit_of_ranks();
    for (const auto& port : ports_)
        moved = port->work([this](Offset offset, std::span<const std::byte> data) { return put(offset, data); },
                           port->requests.empty() ? limit : Pace::no_limit, is_asked_for(*port)) ||
                moved;
    if (moved) stopwatch.counts();
    return moved;
}

bool Session::is_asked_for(const RankPort& port) const {
    return !port.requests.empty() || !waited_for(port);
}

// Who has asked for a drain brings nothing more before the others have.
bool Session::waited_for(const RankPort& port) const {
    return !drain_ || std::ranges::find(drain_->targets, &port, &AllDrain::Target::first) == drain_->targets.end();
}

std::uint64_t Session::limit_of_ranks() {
    std::uint64_t least = Pace::no_limit, all = 0, left = 0;
    for (const auto& port : ports_)
        if (waited_for(*port)) least = std::min(least, port->brought_bytes());
    bool crowded = false;
    for (const auto& lane : lanes_) {
        crowded = crowded || lane->crowded();
        all += lane->arrived_bytes();
        left += lane->left_bytes();
    }
    const bool all_drain = least == Pace::no_limit;
    const std::uint64_t limit = pace_.limit(crowded && !all_drain, least, all, left, Pace::Clock::now());
    if (const auto deadline = pace_.deadline()) pace_alarm_.set(*deadline);
    return limit;
}

// A beginning that belongs to one server and is no longer than a record may be.
std::size_t Session::put(Offset offset, std::span<const std::byte> data) {
    const auto stripe = static_cast<Offset>(open_.options.stripe);
    std::size_t bytes = std::min<std::size_t>(data.size(), open_.options.largest_record);
    std::size_t server = 0;
    if (open_.servers > 1) {
        bytes = static_cast<std::size_t>(std::min<Offset>(static_cast<Offset>(bytes), stripe - offset % stripe));
        server = static_cast<std::size_t>(offset / stripe) % open_.servers;
    }
    return lanes_[server]->put(offset, data.first(bytes)) ? bytes : 0;
}

}  // namespace kumihimo::iod::process
