// What the method `automatic` looks at: whether records come as a disk likes them, large and each where the one before ended,
// and whether they come faster than they leave.
#pragma once

#include <algorithm>
#include <vector>

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod {

class OrderWatch {
public:
    OrderWatch(int children, std::size_t large_record)
        : ends_(static_cast<std::size_t>(children) + 1, 0), large_record_(large_record) {}

    void arrived(int source, Offset offset, std::size_t bytes) {
        Offset& end = ends_.at(static_cast<std::size_t>(source + 1));
        // Ascending is not enough: what lies in the gaps comes from other ranks, soon.
        const bool orderly = offset == end && bytes >= large_record_;
        end = offset + static_cast<Offset>(bytes);
        score_ = orderly ? std::min(score_ + 1, most) : std::max(score_ - penalty, 0);
    }
    void begin_again() { std::fill(ends_.begin(), ends_.end(), 0); }

    bool orderly() const { return score_ >= most / 2; }
    bool disorderly() const { return score_ < most / 4; }

    void refused() { ++refusals_; }
    void left() { refusals_ = 0; }
    bool way_out_is_slow() const { return refusals_ >= many_refusals; }

private:
    // One record in five out of order is too many.
    static constexpr int most = 64, penalty = 4, many_refusals = 8;
    std::vector<Offset> ends_;
    std::size_t large_record_;
    int score_ = 0, refusals_ = 0;
};

}  // namespace kumihimo::iod
