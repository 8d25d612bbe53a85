#include "copying/lists.hpp"

#include "copying/elements.hpp"

namespace kumihimo::copying {

namespace {

using sets::Blocks;

// Calls copy(row, place, length) for each block of a list, its length a constant where it can be.
template <typename Copy>
Index for_each_of_list(std::span<const Blocks> list, Copy&& copy) {
    Index row = 0;
    for (std::size_t i = 0; i < list.size();)
        with_length(list[i].length, [&](auto length) {
            for (const Index first = list[i].length; i < list.size() && list[i].length == first; ++i)
                for (Index k = 0; k < list[i].count; ++k, row += static_cast<Index>(length))
                    copy(row, list[i].offset + k * list[i].stride, length);
        });
    return row;
}

}  // namespace

Index gather_list(std::byte* row, const std::byte* base, std::span<const Blocks> list) {
    return for_each_of_list(list, [&](Index at, Index place, auto length) { copy_element(row + at, base + place, length); });
}

Index scatter_list(std::byte* base, const std::byte* row, std::span<const Blocks> list) {
    return for_each_of_list(list, [&](Index at, Index place, auto length) { copy_element(base + place, row + at, length); });
}

}  // namespace kumihimo::copying
