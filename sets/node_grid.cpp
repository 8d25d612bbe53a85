#include <stdexcept>
#include <string>

#include "sets/arithmetic.hpp"
#include "sets/mapping.hpp"

namespace kumihimo::sets {

NodeGrid::NodeGrid(std::vector<Index> extents, Order order) : extents_(std::move(extents)), order_(order) {
    if (rank() > max_rank) {
        throw std::invalid_argument("a node array has " + std::to_string(rank()) + " dimensions; at most 7 are allowed");
    }
    Wide size = 1;
    for (const Index extent : extents_) {
        if (extent < 1)
            throw std::invalid_argument("a dimension of a node array has " + std::to_string(extent) +
                                        " nodes; it needs at least 1");
        size *= extent;
        if (size > index_limit) throw std::invalid_argument("a node array has more than 2^62 nodes");
    }
}

Index NodeGrid::size() const {
    Index size = 1;
    for (const Index extent : extents_) size *= extent;
    return size;
}

// Dimension that varies fastest, second fastest, ...
static int by_speed(const NodeGrid& grid, int place) {
    return grid.order() == Order::column_major ? place : grid.rank() - 1 - place;
}

Index NodeGrid::number(const std::vector<Index>& coordinates) const {
    Index number = 0;
    for (int place = rank() - 1; place >= 0; --place) {
        const int d = by_speed(*this, place);
        number = number * extents_[d] + coordinates[d];
    }
    return number;
}

std::vector<Index> NodeGrid::coordinates(Index number) const {
    std::vector<Index> coordinates(extents_.size());
    for (int place = 0; place < rank(); ++place) {
        const int d = by_speed(*this, place);
        coordinates[d] = number % extents_[d];
        number /= extents_[d];
    }
    return coordinates;
}

std::vector<Index> NodeGrid::members(const std::vector<Range>& reference) const {
    std::vector<Index> numbers = {0};
    for (int place = rank() - 1; place >= 0; --place) {  // slowest first: earlier digits lead
        const int d = by_speed(*this, place);
        std::vector<Index> longer;
        for (const Index number : numbers) {
            for (Index i = 0; i < reference[d].count; ++i) {
                longer.push_back(number * extents_[d] + reference[d].first + i * reference[d].step);
            }
        }
        numbers = std::move(longer);
    }
    return numbers;
}

}  // namespace kumihimo::sets
