// Which ranks share an I/O process: those of a machine, or of a part of one. Pure: every rank computes the same from the same
// numbers.
#pragma once

#include <vector>

namespace kumihimo::mpiio {

// Groups are numbered by their lowest rank, which is their leader.
struct Groups {
    std::vector<int> group_of_rank;
    std::vector<std::vector<int>> ranks;  // of each group, ascending
    bool one_machine = true;

    int count() const { return static_cast<int>(ranks.size()); }
    int leader(int group) const { return ranks[static_cast<std::size_t>(group)].front(); }
    int place_in_group(int rank) const;  // 0: the leader
};

// host_of_rank: as base::Hosts has it. The ranks of each host become `split` groups of neighbours, or as many as there are
// ranks.
Groups groups_of(const std::vector<int>& host_of_rank, int split);

}  // namespace kumihimo::mpiio
