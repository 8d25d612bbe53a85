// Which algorithm an operation takes. Every rule gives an algorithm a score for some sizes and numbers of ranks, or one shape
// of the network; the highest score among the usable ones wins. The MPI library's own ("native") is always a candidate, with a
// score that only rules can beat.
//
//     KUMIHIMO_COLL_TUNE=bcast:64k-inf:@tree3,allreduce:0-2k:4-16:@recursive_doubling,barrier:0-0:4-64/2:@hosts,gather:@native
//
// An operation, sizes in bytes (of the vector, or of a block), numbers of ranks and of hosts (4-16/2-4, 2-2/1) or a shape
// (8x6x8),
// @algorithm, all but the first and last optional; =score after the name. What a user writes has score 1000, so it beats a
// table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/algorithms.hpp"

namespace kumihimo::collectives {

constexpr int native_score = 100;
constexpr int user_score = 1000;

struct Rule {
    Operation operation;
    Bytes least_bytes = 0, most_bytes = any;
    int least_ranks = 1, most_ranks = any_ranks;
    int least_hosts = 1, most_hosts = any_ranks;
    std::optional<Torus> shape = std::nullopt;  // instead of the numbers of ranks
    const Algorithm* algorithm = nullptr;       // null: native
    int score = user_score;

    static constexpr Bytes any = INT64_MAX;
    static constexpr int any_ranks = INT32_MAX;
};

std::string text(const Rule& rule);

// What rules take for the size of a call whose ranks have vectors or blocks of so many bytes: that of Reduce_scatter is the
// whole vector's, of whose blocks each rank gets one.
Bytes size_in_rules(Operation operation, Bytes bytes, int ranks);

class Selection {
public:
    Selection() = default;
    // Rules separated by commas, blanks or line ends; # begins a comment. Throws base::Error with what is wrong and what there
    // is.
    explicit Selection(const std::string& rules);

    const std::vector<Rule>& rules() const { return rules_; }
    // Whether any rule is for so many ranks on so many hosts.
    bool concern(int ranks, int hosts, const Torus& torus) const;
    bool has(Operation operation) const { return has_[static_cast<int>(operation)]; }  // any rule but for native
    // Null: native. Where the ranks do not all know the size (Gatherv, Scatterv, Alltoallv) only rules for all sizes count. All
    // ranks choose the same, because all that counts is equal on them.
    const Algorithm* choose(const Call& call, std::optional<Bytes> size) const;

private:
    void add(const std::string& word);

    std::vector<Rule> rules_;
    bool has_[operations] = {};
};

}  // namespace kumihimo::collectives
