#include "sets/correspondence.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace kumihimo::sets {

Correspondence::Correspondence(Index run, Levels levels, Index to, Index from) : to_(to), from_(from), run_(run), bytes_(run) {
    for (std::size_t i = levels.size(); i-- > 0;) add_around(levels[i]);
    if (bytes_ > 0) return;
    run_ = bytes_ = 0;
    first_ = most_levels;
}

void Correspondence::add_around(const PairedLevel& level) {
    bytes_ *= std::max<Index>(level.count, 0);
    if (level.count == 1) return;
    if (contiguous() && level.to == run_ && level.from == run_) {
        run_ *= level.count;
        return;
    }
    if (!contiguous()) {
        PairedLevel& inner = levels_[first_];
        if (level.to == inner.count * inner.to && level.from == inner.count * inner.from) {
            inner.count *= level.count;
            return;
        }
    }
    levels_[--first_] = level;
}

Correspondence Correspondence::moved(Index to, Index from) const {
    Correspondence result = *this;
    result.to_ += to;
    result.from_ += from;
    return result;
}

Correspondence Correspondence::turned() const {
    Correspondence result = *this;
    std::swap(result.to_, result.from_);
    for (std::size_t i = first_; i < most_levels; ++i) std::swap(result.levels_[i].to, result.levels_[i].from);
    return result;
}

Correspondence Correspondence::ascending(End end) const {
    const auto faster = [end](const PairedLevel& a, const PairedLevel& b) {
        const End other = end == End::to ? End::from : End::to;
        if (a.stride(end) != b.stride(end)) return a.stride(end) < b.stride(end);
        return std::abs(a.stride(other)) < std::abs(b.stride(other));
    };
    std::array<PairedLevel, most_levels> sorted;
    std::size_t count = 0;
    Index to = to_, from = from_;
    for (PairedLevel level : levels()) {
        if (level.stride(end) < 0) {
            to += (level.count - 1) * level.to, from += (level.count - 1) * level.from;
            level.to = -level.to, level.from = -level.from;
        }
        std::size_t place = count++;  // insertion: there are few
        for (; place > 0 && faster(sorted[place - 1], level); --place) sorted[place] = sorted[place - 1];
        sorted[place] = level;
    }
    return Correspondence(run_, {sorted.data(), count}, to, from);
}

Correspondence Correspondence::dense(End end) const {
    std::array<PairedLevel, most_levels> levels = levels_;
    Index stride = run_;
    for (std::size_t i = most_levels; i-- > first_;) {
        (end == End::to ? levels[i].to : levels[i].from) = stride;
        stride *= levels[i].count;
    }
    return Correspondence(run_, Levels(levels).subspan(first_), end == End::to ? 0 : to_, end == End::to ? from_ : 0);
}

Correspondence Correspondence::inside(Index step) const {
    const PairedLevel& level = levels_[first_];
    Correspondence result = moved(step * level.to, step * level.from);
    result.bytes_ /= level.count;
    ++result.first_;
    return result;
}

Correspondence Correspondence::steps(Index first, Index count) const {
    if (count == 1) return inside(first);
    const PairedLevel& level = levels_[first_];
    Correspondence result = moved(first * level.to, first * level.from);
    result.bytes_ = result.bytes_ / level.count * count;
    result.levels_[first_].count = count;
    return result;
}

Correspondence Correspondence::part_of_run(Index begin, Index end) const {
    Correspondence result = moved(begin, begin);
    result.run_ = result.bytes_ = end - begin;
    return result;
}

Correspondence::Extent Correspondence::extent(End end) const {
    const Index start = end == End::to ? to_ : from_;
    Extent extent{start, start + run_};
    for (const PairedLevel& level : levels()) {
        const Index reach = (level.count - 1) * level.stride(end);
        (reach < 0 ? extent.first : extent.end) += reach;
    }
    return extent;
}

bool Correspondence::nested(End end) const {
    Index span = run_;
    for (std::size_t i = most_levels; i-- > first_;) {
        const Index stride = levels_[i].stride(end);
        if (stride < span) return false;
        span += (levels_[i].count - 1) * stride;
    }
    return true;
}

}  // namespace kumihimo::sets
