// Which ranks of an operation share a host: what algorithms in two levels are drawn on.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kumihimo::collectives {

class Placement {
public:
    // Ranks of one host have the same number; which one does not matter.
    explicit Placement(const std::vector<int>& host_of_rank);

    // Hosts are numbered in the order of their lowest ranks.
    int hosts() const { return static_cast<int>(first_.size()) - 1; }
    int host(int rank) const { return host_[static_cast<std::size_t>(rank)]; }
    int size(int host) const { return first(host + 1) - first(host); }
    int largest() const;
    std::span<const int> ranks(int host) const {  // ascending
        return std::span(ordered_).subspan(static_cast<std::size_t>(first(host)), static_cast<std::size_t>(size(host)));
    }
    int place(int rank) const { return place_[static_cast<std::size_t>(rank)]; }  // among the ranks of its host
    // The ranks of all hosts before: where a host's blocks begin, where blocks are in the order of hosts.
    int first(int host) const { return first_[static_cast<std::size_t>(host)]; }
    bool several() const { return hosts() > 1 && hosts() < static_cast<int>(host_.size()); }  // and some with several ranks
    bool consecutive() const { return consecutive_; }  // the order of hosts is that of ranks
    bool equal() const { return largest() * hosts() == static_cast<int>(host_.size()); }

private:
    std::vector<int> host_, place_, ordered_, first_;
    bool consecutive_ = true;
};

}  // namespace kumihimo::collectives
