#include "base/node_number.hpp"

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

}  // namespace kumihimo::base
