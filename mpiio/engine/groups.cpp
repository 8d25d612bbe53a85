#include "mpiio/engine/groups.hpp"

#include <algorithm>
#include <map>

namespace kumihimo::mpiio {

int Groups::place_in_group(int rank) const {
    const auto& neighbours = ranks[static_cast<std::size_t>(group_of_rank[static_cast<std::size_t>(rank)])];
    return static_cast<int>(std::find(neighbours.begin(), neighbours.end(), rank) - neighbours.begin());
}

Groups groups_of(const std::vector<int>& host_of_rank, int split) {
    std::map<int, std::vector<int>> hosts;
    for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank) hosts[host_of_rank[rank]].push_back(static_cast<int>(rank));
    Groups groups;
    groups.one_machine = hosts.size() == 1;
    for (const auto& [host, ranks] : hosts) {
        const auto parts = static_cast<std::size_t>(std::clamp(split, 1, static_cast<int>(ranks.size())));
        for (std::size_t part = 0; part < parts; ++part)
            groups.ranks.emplace_back(ranks.begin() + static_cast<long>(part * ranks.size() / parts),
                                      ranks.begin() + static_cast<long>((part + 1) * ranks.size() / parts));
    }
    std::sort(groups.ranks.begin(), groups.ranks.end());
    groups.group_of_rank.resize(host_of_rank.size());
    for (int group = 0; group < groups.count(); ++group)
        for (const int rank : groups.ranks[static_cast<std::size_t>(group)])
            groups.group_of_rank[static_cast<std::size_t>(rank)] = group;
    return groups;
}

}  // namespace kumihimo::mpiio
