#include "runtime/globalview/box.hpp"

#include <algorithm>

namespace kumihimo::globalview {
namespace {

bool same_set(const sets::IndexSet& a, const sets::IndexSet& b) {
    return a.pieces() == b.pieces();
}

bool contiguous(const sets::IndexSet& set) {
    return set.size() == set.highest() - set.lowest() + 1;
}

}  // namespace

bool empty(const Box& box) {
    return std::any_of(box.begin(), box.end(), [](const sets::IndexSet& set) { return set.empty(); });
}

bool same(const Box& a, const Box& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_set);
}

bool contains(const Box& box, const std::vector<Index>& element) {
    for (std::size_t d = 0; d < box.size(); ++d)
        if (!box[d].contains(element[d])) return false;
    return true;
}

bool join(Box& into, const Box& other) {
    int differs = -1;
    for (std::size_t d = 0; d < into.size(); ++d) {
        if (same_set(into[d], other[d])) continue;
        if (differs >= 0) return false;
        differs = static_cast<int>(d);
    }
    if (differs < 0) return true;
    sets::IndexSet& a = into[differs];
    const sets::IndexSet& b = other[differs];
    if (!contiguous(a) || !contiguous(b) || b.lowest() > a.highest() + 1 || a.lowest() > b.highest() + 1) return false;
    a = sets::IndexSet::interval(std::min(a.lowest(), b.lowest()), std::max(a.highest(), b.highest()));
    return true;
}

}  // namespace kumihimo::globalview
