// Which node holds an element of an array, and where in its block: for subscripts that are data.
#pragma once

#include <vector>

#include "runtime/execution/objects.hpp"

namespace kumihimo::arrays {

using sets::Index;

class Locator {
public:
    explicit Locator(const execution::Array& array);

    struct Place {
        int node;               // number in the executing set
        std::ptrdiff_t offset;  // bytes from the start of its block
    };
    // Of the element at these positions, which count from 0 in each dimension and lie inside. Throws base::Error if no node
    // that executes holds it.
    Place of(const Index* positions) const;

private:
    struct Dimension {
        const sets::Distribution* distribution;  // null: on every node
        Index lower, shift;                      // position -> array index -> template index
        Index weight;                            // of a coordinate in the node's number
    };
    struct Node {
        int sender = -1;  // number in the executing set; of those that hold the same elements
        std::vector<std::ptrdiff_t> strides;
        std::ptrdiff_t origin = 0;  // offset of the element whose view subscripts are 0
    };
    const execution::Array& array_;
    std::vector<Dimension> dimensions_;
    std::vector<Node> nodes_;  // by number in the grid, with coordinate 0 where nodes hold the same
};

}  // namespace kumihimo::arrays
