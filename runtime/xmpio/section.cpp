#include "runtime/xmpio/section.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace kumihimo::xmpio {

namespace {

std::string text_of(const Range& range) {
    return std::to_string(range.first) + ":" + std::to_string(range.last()) + ":" + std::to_string(range.step);
}

}  // namespace

Section section_of(const execution::Array& array, const xmp_range_t* rp) {
    const sets::ArrayMapping& mapping = *array.mapping;
    Section section;
    for (int d = 0; d < mapping.rank(); ++d) section.push_back({mapping.lower(d), mapping.extent(d), 1});
    if (rp == nullptr) return section;
    if (!rp->valid) throw base::Error("the range was set wrongly (an earlier message of xmp_set_range says how)");
    if (static_cast<int>(rp->dimensions.size()) != mapping.rank())
        throw base::Error("the range has " + std::to_string(rp->dimensions.size()) + " dimensions, array '" + array.name +
                              "' has " + std::to_string(mapping.rank()),
                          "allocate it with xmp_allocate_range(" + std::to_string(mapping.rank()) + ")");
    for (int d = 0; d < mapping.rank(); ++d) {
        if (!rp->dimensions[d].set) continue;
        const Range& range = rp->dimensions[d].range;
        const auto [low, high] = std::minmax({range.first, range.last()});  // by value: last() is a temporary
        if (!range.empty() && (low < mapping.lower(d) || high > mapping.upper(d)))
            throw base::Error("section " + text_of(range) + " leaves dimension " + std::to_string(d + 1) + " of array '" +
                              array.name + "', whose indices are " + std::to_string(mapping.lower(d)) + " to " +
                              std::to_string(mapping.upper(d)));
        section[d] = range;
    }
    return section;
}

Index elements(const Section& section) {
    Index product = 1;
    for (const Range& range : section) product *= range.count;
    return product;
}

}  // namespace kumihimo::xmpio
