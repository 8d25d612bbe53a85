// Who stands for a host.
#pragma once

#include <vector>

#include "collectives/call.hpp"

namespace kumihimo::collectives {

// The root stands for its own host, so that nothing takes a way more; elsewhere the rank at its place. So where roots take
// turns leaders do, and each rank has messages with few others. Leader number n is the n-th rank after that.
inline int leader_of(const Call& call, int host, int number = 0) {
    const Placement& placement = *call.placement;
    return placement.ranks(host)[static_cast<std::size_t>((placement.place(call.root) + number) % placement.size(host))];
}

inline std::vector<int> leaders_of(const Call& call, int number = 0) {
    std::vector<int> leaders;
    for (int host = 0; host < call.placement->hosts(); ++host) leaders.push_back(leader_of(call, host, number));
    return leaders;
}

inline std::vector<int> ranks_of(const Call& call, int host) {
    const auto ranks = call.placement->ranks(host);
    return {ranks.begin(), ranks.end()};
}

}  // namespace kumihimo::collectives
