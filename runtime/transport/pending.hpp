// What one region has under way: members whose library does not keep the order of puts ask here whether a new access meets an
// older one, and which images a fence must wait for. A few extents for each image; beyond them their hull.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kumihimo::transport {

class Pending {
public:
    // kind: accesses of the same kind above 0 may meet each other (accumulates with one operation and type).
    struct Access {
        std::ptrdiff_t first, end;
        int kind;
    };

    bool meets(int rank, const Access& access) const {
        if (dirty_.empty() || static_cast<std::size_t>(rank) >= of_rank_.size()) return false;
        const auto& others = of_rank_[static_cast<std::size_t>(rank)];
        return std::any_of(others.begin(), others.end(), [&](const Access& other) {
            return access.first < other.end && other.first < access.end && (access.kind == 0 || access.kind != other.kind);
        });
    }
    void add(int rank, const Access& access) {
        if (static_cast<std::size_t>(rank) >= of_rank_.size()) of_rank_.resize(static_cast<std::size_t>(rank) + 1);
        auto& accesses = of_rank_[static_cast<std::size_t>(rank)];
        if (accesses.empty()) dirty_.push_back(rank);
        if (accesses.size() < most) {
            accesses.push_back(access);
        } else {
            Access& last = accesses.back();
            last = {std::min(last.first, access.first), std::max(last.end, access.end),
                    last.kind == access.kind ? last.kind : 0};
        }
    }
    void done(int rank) {
        if (static_cast<std::size_t>(rank) >= of_rank_.size() || of_rank_[static_cast<std::size_t>(rank)].empty()) return;
        of_rank_[static_cast<std::size_t>(rank)].clear();
        dirty_.erase(std::find(dirty_.begin(), dirty_.end(), rank));
    }
    void all_done() {
        for (const int rank : dirty_) of_rank_[static_cast<std::size_t>(rank)].clear();
        dirty_.clear();
    }
    const std::vector<int>& dirty() const { return dirty_; }  // images with something under way

private:
    static constexpr std::size_t most = 8;
    std::vector<std::vector<Access>> of_rank_;
    std::vector<int> dirty_;
};

}  // namespace kumihimo::transport
