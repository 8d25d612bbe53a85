#include "base/node_number.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace kumihimo::base {

namespace {
int first_node = 0;
}

void count_nodes_from(int first) {
    first_node = first;
}

int node_number(int rank) {
    return rank + first_node;
}

std::string member_text(std::string_view noun, int rank) {
    return fmt::format("{} {}", noun, noun == "node" ? node_number(rank) : rank);
}

std::string nodes_text(const std::vector<int>& nodes) {
    constexpr std::size_t most_named = 16;
    const std::size_t named = std::min(nodes.size(), most_named);
    std::string text = nodes.size() == 1 ? "node " : "nodes ";
    for (std::size_t i = 0; i < named; ++i) {
        if (i > 0) text += i + 1 == nodes.size() ? " and " : ", ";
        text += std::to_string(node_number(nodes[i]));
    }
    return nodes.size() == named ? text : text + fmt::format(" and {} more", nodes.size() - named);
}

}  // namespace kumihimo::base
