#include "sets/mapping.hpp"
#include "sets/wording.hpp"

namespace kumihimo::sets {

TemplateMapping::TemplateMapping(NodeGrid grid, std::vector<Distribution> dimensions, std::vector<int> node_dimension)
    : grid_(std::move(grid)), dimensions_(std::move(dimensions)), node_dimension_(std::move(node_dimension)) {
    require(rank() >= 1 && rank() <= max_rank, "a template has " + std::to_string(rank()) + " dimensions; 1 to 7 are allowed");
    require(dimensions_.size() == node_dimension_.size(), "a template of rank " + std::to_string(rank()) + " has " +
                                                              std::to_string(node_dimension_.size()) + " distribution formats");
    std::vector<bool> used(grid_.extents().size(), false);
    for (int d = 0; d < rank(); ++d) {
        const int onto = node_dimension_[d];
        if (dimensions_[d].format() == Format::undistributed) {
            require(onto == -1,
                    dimension_text(d) + " of the template is not distributed, yet names a dimension of the node array");
            continue;
        }
        require(onto >= 0 && onto < grid_.rank(), dimension_text(d) +
                                                      " of the template has no dimension of the node array of rank " +
                                                      std::to_string(grid_.rank()) + " to be distributed onto");
        require(!used[onto],
                "two dimensions of the template are distributed onto " + dimension_text(onto) + " of the node array");
        used[onto] = true;
        require(dimensions_[d].nodes() == grid_.extents()[onto],
                dimension_text(d) + " of the template is distributed onto " + std::to_string(dimensions_[d].nodes()) +
                    " nodes, but " + dimension_text(onto) + " of the node array has " + std::to_string(grid_.extents()[onto]));
    }
}

std::vector<IndexSet> TemplateMapping::owners(const std::vector<Range>& section) const {
    std::vector<IndexSet> result;
    for (const Index extent : grid_.extents()) result.push_back(IndexSet::interval(0, extent - 1));
    bool empty = false;
    for (int d = 0; d < rank(); ++d) {
        const IndexSet owners = dimensions_[d].owners(section[d]);
        if (owners.empty()) empty = true;
        if (node_dimension_[d] >= 0) result[node_dimension_[d]] = owners;
    }
    if (empty) result.assign(result.size(), IndexSet());  // an empty product: no node at all
    return result;
}

}  // namespace kumihimo::sets
