#include "runtime/transport/pending.hpp"

#include <algorithm>

namespace kumihimo::transport {

namespace {

constexpr std::size_t most = 8;  // extents of an image

bool conflict(const Pending::Access& a, const Pending::Access& b) {
    return a.first < b.end && b.first < a.end && (a.kind == 0 || a.kind != b.kind);
}

// Loops go through an array: what follows the latest access needs no extent of its own.
bool continues(const Pending::Access& before, const Pending::Access& access) {
    return before.end == access.first && before.kind == access.kind;
}

Pending::Access hull(const Pending::Access& a, const Pending::Access& b) {
    return {std::min(a.first, b.first), std::max(a.end, b.end), a.kind == b.kind ? a.kind : 0};
}

}  // namespace

bool Pending::meets(int rank, const Access& access) const {
    if (static_cast<std::size_t>(rank) >= of_rank_.size()) return false;
    const auto& others = of_rank_[static_cast<std::size_t>(rank)];
    return std::any_of(others.begin(), others.end(), [&](const Access& other) { return conflict(access, other); });
}

void Pending::add(int rank, const Access& access) {
    if (static_cast<std::size_t>(rank) >= of_rank_.size()) of_rank_.resize(static_cast<std::size_t>(rank) + 1);
    auto& accesses = of_rank_[static_cast<std::size_t>(rank)];
    if (accesses.empty()) dirty_.push_back(rank);
    if (!accesses.empty() && continues(accesses.back(), access))
        accesses.back().end = access.end;
    else if (accesses.size() < most)
        accesses.push_back(access);
    else
        accesses.back() = hull(accesses.back(), access);
}

void Pending::done(int rank) {
    if (static_cast<std::size_t>(rank) >= of_rank_.size() || of_rank_[static_cast<std::size_t>(rank)].empty()) return;
    of_rank_[static_cast<std::size_t>(rank)].clear();
    dirty_.erase(std::find(dirty_.begin(), dirty_.end(), rank));
}

void Pending::all_done() {
    for (const int rank : dirty_) of_rank_[static_cast<std::size_t>(rank)].clear();
    dirty_.clear();
}

Pending::Access access_of(std::size_t offset, const sets::Correspondence& put, int kind) {
    const sets::Correspondence::Extent extent = put.extent(sets::End::to);
    const auto start = static_cast<std::ptrdiff_t>(offset);
    return {start + extent.first, start + extent.end, kind};
}

}  // namespace kumihimo::transport
