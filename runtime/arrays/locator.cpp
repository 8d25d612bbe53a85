#include "runtime/arrays/locator.hpp"

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/globalview/gmove.hpp"
#include "runtime/globalview/gmove_holders.hpp"
#include "runtime/globalview/shadow_plan.hpp"

namespace kumihimo::arrays {

using globalview::Coordinates;

Locator::Locator(const execution::Array& array) : array_(array) {
    const sets::ArrayMapping& mapping = *array.mapping;
    const sets::NodeGrid& grid = mapping.target().grid();
    for (int d = 0; d < array.rank; ++d) {
        const int along = mapping.node_dimension(d);
        if (along < 0) {
            dimensions_.push_back({nullptr, mapping.lower(d), 0, 0});
            continue;
        }
        Coordinates second(static_cast<std::size_t>(grid.rank()), 0);
        const bool several = grid.extents()[static_cast<std::size_t>(along)] > 1;
        if (several) second[static_cast<std::size_t>(along)] = 1;
        const sets::Alignment& alignment = mapping.alignment(d);
        dimensions_.push_back({&mapping.target().dimension(alignment.template_dimension), mapping.lower(d), alignment.offset,
                               several ? grid.number(second) : 0});
    }
    globalview::GmoveNodes numbers;
    globalview::place_nodes(&array, *execution::Context::get().executing(), numbers.in_right, numbers.right_member);
    const globalview::Replicas replicas(mapping, numbers);
    const int me = execution::Context::get().executing()->my_number();
    for (Index number = 0; number < grid.size(); ++number) {
        const Coordinates coordinates = grid.coordinates(number);
        Node& node = nodes_.emplace_back();
        const Index sender = replicas.sender(coordinates, me);
        if (sender >= 0) node.sender = numbers.right_member[static_cast<std::size_t>(sender)];
        node.strides = globalview::strides_of(mapping, coordinates, array.element_bytes);
        for (int d = 0; d < array.rank; ++d) {
            const int along = mapping.node_dimension(d);
            node.origin -= mapping.view_origin(d, along < 0 ? 0 : coordinates[static_cast<std::size_t>(along)]) *
                           node.strides[static_cast<std::size_t>(d)];
        }
    }
}

Locator::Place Locator::of(const Index* positions) const {
    Index number = 0;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
        const Dimension& dimension = dimensions_[d];
        if (dimension.distribution != nullptr)
            number += dimension.distribution->owner(positions[d] + dimension.lower + dimension.shift) * dimension.weight;
    }
    const Node& node = nodes_[static_cast<std::size_t>(number)];
    if (node.sender < 0)
        throw base::Error(fmt::format("{} lies partly on nodes that do not execute now", array_.name),
                          "Call the function where all nodes of its arguments take part.");
    std::ptrdiff_t offset = node.origin;
    for (std::size_t d = 0; d < dimensions_.size(); ++d)
        offset += array_.mapping->view_subscript(static_cast<int>(d), positions[d] + dimensions_[d].lower) * node.strides[d];
    return {node.sender, offset};
}

}  // namespace kumihimo::arrays
