#include "copying/execute.hpp"

#include <array>
#include <cstdlib>

#include "copying/elements.hpp"
#include "copying/run.hpp"
#include "copying/transpose.hpp"

namespace kumihimo::copying {

namespace {

using sets::Correspondence;
using sets::PairedLevel;
using Levels = Correspondence::Levels;

// One side without gaps, as in packing: the compiler then needs no second stride.
template <typename Length>
void copy_row(std::byte* to, const std::byte* from, Length length, const PairedLevel& level) {
    const auto copy = [length](std::byte* t, const std::byte* f) { copy_element(t, f, length); };
    if constexpr (is_constant<Length>) {
        using Dense = std::integral_constant<Index, static_cast<Index>(Length::value)>;
        if (level.to == Dense::value) return for_each_element(to, from, level.count, Dense{}, level.from, copy);
        if (level.from == Dense::value) return for_each_element(to, from, level.count, level.to, Dense{}, copy);
    }
    for_each_element(to, from, level.count, level.to, level.from, copy);
}

// The product of all levels, outermost first; innermost(to, from) does the rest.
template <typename Innermost>
void repeat(std::byte* to, const std::byte* from, Levels levels, Innermost&& innermost) {
    if (levels.empty()) return innermost(to, from);
    const PairedLevel level = levels.front();
    levels = levels.subspan(1);
    if (levels.empty())
        for (Index i = 0; i < level.count; ++i) innermost(to + i * level.to, from + i * level.from);
    else
        for (Index i = 0; i < level.count; ++i) repeat(to + i * level.to, from + i * level.from, levels, innermost);
}

std::size_t smallest(Levels levels, sets::End end) {
    std::size_t found = levels.size() - 1;  // the innermost one wherever others are no smaller
    for (std::size_t i = 0; i < levels.size(); ++i)
        if (std::abs(levels[i].stride(end)) < std::abs(levels[found].stride(end))) found = i;
    return found;
}

// All levels but two, in their order.
using Kept = std::array<PairedLevel, Correspondence::most_levels>;
Levels without(Levels levels, std::size_t a, std::size_t b, Kept& kept) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < levels.size(); ++i)
        if (i != a && i != b) kept[count++] = levels[i];
    return {kept.data(), count};
}

constexpr Index small_square = 32;  // elements

Index bytes_of(Index length, Levels levels) {
    for (const PairedLevel& level : levels) length *= level.count;
    return length;
}

template <typename Length>
void copy_elements(std::byte* to, const std::byte* from, Length length, Levels levels) {
    const std::size_t across = smallest(levels, sets::End::to), along = smallest(levels, sets::End::from);
    Kept kept;
    const Levels outer = without(levels, across, along, kept);
    if (across == along)
        return repeat(to, from, outer, [&](std::byte* t, const std::byte* f) { copy_row(t, f, length, levels[across]); });
    if (levels[across].count * levels[along].count <= small_square)
        return repeat(to, from, outer, [&](std::byte* t, const std::byte* f) {
            for (Index i = 0; i < levels[along].count; ++i)
                copy_row(t + i * levels[along].to, f + i * levels[along].from, length, levels[across]);
        });
    const bool large = bytes_of(static_cast<Index>(length), levels) >= smallest_streamed;
    repeat(to, from, outer,
           [&](std::byte* t, const std::byte* f) { transpose(t, f, length, levels[across], levels[along], large); });
}

void copy_runs(std::byte* to, const std::byte* from, Index run, Levels levels) {
    const auto bytes = static_cast<std::size_t>(run);
    if (bytes <= short_run)
        repeat(to, from, levels.first(levels.size() - 1),
               [&](std::byte* t, const std::byte* f) { copy_row(t, f, bytes, levels.back()); });
    else
        repeat(to, from, levels,
               [&, copy = copy_of_runs(bytes_of(run, levels))](std::byte* t, const std::byte* f) { copy(t, f, bytes); });
}

}  // namespace

void execute(Index run, Levels levels, std::byte* to, const std::byte* from) {
    if (levels.empty())
        copy_run(to, from, static_cast<std::size_t>(run));
    else if (run > cache_line)
        copy_runs(to, from, run, levels);
    else if (levels.size() == 1)
        with_length(run, [&](auto length) { copy_row(to, from, length, levels.front()); });
    else
        with_length(run, [&](auto length) { copy_elements(to, from, length, levels); });
}

void execute(const Correspondence& correspondence, std::byte* to, const std::byte* from) {
    if (correspondence.bytes() > 0)
        execute(correspondence.run(), correspondence.levels(), to + correspondence.to(), from + correspondence.from());
}

}  // namespace kumihimo::copying
