#include "runtime/globalview/collective_checks.hpp"

#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/node_number.hpp"
#include "runtime/elements/element_type.hpp"
#include "runtime/localview/races.hpp"
#include "runtime/teams/team.hpp"

namespace kumihimo::globalview {

using teams::Team;

namespace {

constexpr std::size_t most_text = 256;

// What a node shows to the others. Longer words are cut: their end is not compared.
struct Call {
    char words[most_text] = {};
    char place[most_text] = {};
};

bool same(const Call& a, const Call& b) {
    return std::strcmp(a.words, b.words) == 0;
}

// A line for the nodes that do the same at the same place.
std::string table(const std::vector<Call>& calls, const execution::NodeSet& set) {
    std::string text;
    std::vector<bool> told(calls.size(), false);
    for (std::size_t first = 0; first < calls.size(); ++first) {
        if (told[first]) continue;
        std::vector<int> nodes;
        for (std::size_t other = first; other < calls.size(); ++other)
            if (same(calls[first], calls[other]) && std::strcmp(calls[first].place, calls[other].place) == 0) {
                told[other] = true;
                nodes.push_back(set.world_rank(static_cast<int>(other)));
            }
        text += fmt::format("\n    {} at {} ({})", base::nodes_text(nodes), calls[first].place, calls[first].words);
    }
    return text;
}

}  // namespace

void compare_calls(const execution::NodeSetPointer& set, const XMP_Site* site, const std::string& words) {
    localview::note_order(localview::Order::some_images);
    Call mine;
    words.copy(mine.words, most_text - 1);
    execution::place_text(*site).copy(mine.place, most_text - 1);
    std::vector<Call> calls(static_cast<std::size_t>(set->size()));
    Team::of(set, Team::Purpose::checks).gather(&mine, sizeof mine, calls.data());
    for (const Call& other : calls)
        if (!same(mine, other))
            throw base::Error(
                fmt::format("nodes that must do the same meet at different directives or arguments:{}", table(calls, *set)),
                "All nodes of the executing set execute the same directive with equal arguments.");
}

std::string reduction_words(int operation, int type, std::size_t count) {
    constexpr const char* names[] = {"+",      "*",   "&",   "|",        "^",        "&&",      "||",     ".eqv.",
                                     ".neqv.", "max", "min", "firstmax", "firstmin", "lastmax", "lastmin"};
    return fmt::format("reduction({}) of {} {}", names[operation], count, elements::type_name(type));
}

// A global array with its subscripts; of memory of each node only how many elements there are along each section.
std::string side_words(const XMP_Side& side) {
    const auto* const array = static_cast<const execution::Array*>(side.array);
    std::string text = array != nullptr ? array->name : "local";
    for (int d = 0; d < side.rank; ++d) {
        const XMP_Triplet& triplet = side.subscripts[d];
        const auto number = [](XMP_Index value) { return value == XMP_OPEN ? std::string() : std::to_string(value); };
        if (triplet.section == 0)
            text += array != nullptr ? fmt::format("[{}]", triplet.first) : "[]";
        else if (array != nullptr)
            text += fmt::format("[{}:{}:{}]", number(triplet.first), number(triplet.length), triplet.step);
        else
            text += fmt::format("[:{}]", number(triplet.length));
    }
    return text;
}

std::string width_words(const XMP_Width* widths, int rank) {
    std::string text;
    for (int d = 0; widths != nullptr && d < rank; ++d)
        text += fmt::format("{}{}{}:{}", d == 0 ? " width " : ", ",
                            widths[d].modifier == XMP_WIDTH_PERIODIC ? "/periodic/" : "", widths[d].lower, widths[d].upper);
    return text;
}

}  // namespace kumihimo::globalview
