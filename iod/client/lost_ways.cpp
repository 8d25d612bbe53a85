#include "iod/client/lost_ways.hpp"

#include <algorithm>

#include "iod/link/random_bytes.hpp"
#include "iod/protocol/limits.hpp"

namespace kumihimo::iod {

LostWays& LostWays::of_process() {
    static LostWays ways;
    return ways;
}

WayThere LostWays::prepare(Route& route) {
    route.way = process::random_name();
    const std::lock_guard lock(mutex_);
    if (const auto found = by_host_.find(route.host); found != by_host_.end()) route.lost = found->second;
    return {route.host, route.way};
}

void LostWays::ended(const Route& route) {
    const std::lock_guard lock(mutex_);
    std::erase_if(by_host_[route.host], [&](const Way& way) { return std::ranges::find(route.lost, way) != route.lost.end(); });
}

// The newest count, where there are more than a route can name.
void LostWays::add(const WayThere& lost) {
    if (lost.host.empty()) return;
    const std::lock_guard lock(mutex_);
    std::vector<Way>& ways = by_host_[lost.host];
    if (ways.size() == limit::lost_ways) ways.erase(ways.begin());
    ways.push_back(lost.way);
}

}  // namespace kumihimo::iod
