#include "collectives/placement.hpp"

#include <algorithm>
#include <unordered_map>

namespace kumihimo::collectives {

Placement::Placement(const std::vector<int>& host_of_rank) {
    std::unordered_map<int, int> numbers;
    for (const int host : host_of_rank)
        host_.push_back(numbers.try_emplace(host, static_cast<int>(numbers.size())).first->second);
    std::vector<std::vector<int>> ranks(numbers.size());
    for (int rank = 0; rank < static_cast<int>(host_.size()); ++rank) {
        std::vector<int>& of_host = ranks[static_cast<std::size_t>(host(rank))];
        place_.push_back(static_cast<int>(of_host.size()));
        of_host.push_back(rank);
    }
    for (const std::vector<int>& of_host : ranks) {
        first_.push_back(static_cast<int>(ordered_.size()));
        ordered_.insert(ordered_.end(), of_host.begin(), of_host.end());
    }
    first_.push_back(static_cast<int>(ordered_.size()));
    consecutive_ = std::is_sorted(ordered_.begin(), ordered_.end());
}

int Placement::largest() const {
    int most = 0;
    for (int host = 0; host < hosts(); ++host) most = std::max(most, size(host));
    return most;
}

}  // namespace kumihimo::collectives
