#include "runtime/xmpnc/placement.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "sets/section_extents.hpp"

namespace kumihimo::xmpnc {

namespace {

// For each dimension of the variable, the array's in file order; -1: none.
std::vector<int> axes_of(const execution::Array& array, const Target& target, int variable_rank) {
    const int rank = array.mapping->rank(), leading = variable_rank - rank;
    const bool elsewhere = target.start != nullptr;
    if (leading < 0 || (leading > 0 && !elsewhere))
        throw base::Error("the variable has " + std::to_string(variable_rank) + " dimensions, array '" + array.name + "' has " +
                              std::to_string(rank),
                          leading > 0 ? "say where in the other dimensions with xmpnc_put_varx or xmpnc_get_varx" : "");
    std::vector<int> axes, named;
    for (int d = 0; d < variable_rank; ++d) {
        const MPI_Offset axis = target.map != nullptr ? target.map[d] : std::max(d - leading, -1);
        axes.push_back(axis >= -1 && axis < rank ? static_cast<int>(axis) : rank);
        if (axis != -1) named.push_back(axes.back());
    }
    std::sort(named.begin(), named.end());
    std::vector<int> all(static_cast<std::size_t>(rank));
    std::iota(all.begin(), all.end(), 0);
    if (named != all)
        throw base::Error("imap has to name each of the " + std::to_string(rank) + " dimensions of array '" + array.name +
                          "' once, and -1 for the others of the variable");
    return axes;
}

Placement placement_of(const execution::Array& array, const xmp_range_t* rp, const Target& target,
                       const std::vector<int>& axes) {
    const sets::ArrayMapping& mapping = *array.mapping;
    const std::vector<int> order = sets::slowest_first(mapping);
    const xmpio::Section section = xmpio::section_of(array, rp);
    Placement placement;
    for (std::size_t v = 0; v < axes.size(); ++v) {
        Along along;
        if (axes[v] >= 0) {
            along.dimension = order[static_cast<std::size_t>(axes[v])];
            along.range = section[static_cast<std::size_t>(along.dimension)];
        }
        if (target.start != nullptr) {
            along.start = target.start[v];
            along.stride = target.stride != nullptr ? target.stride[v] : 1;
        } else {  // the same indices of the variable, whatever the direction
            along.range = along.range.ascending();
            along.start = along.range.first - mapping.lower(along.dimension);
            along.stride = along.range.step;
        }
        placement.push_back(along);
    }
    return placement;
}

Form form_of(const sets::ArrayMapping& mapping, const Plan& plan) {
    bool strided = false;
    for (int d = 0; d < mapping.rank(); ++d) {
        if (mapping.format(d) != sets::Format::cyclic) continue;
        const sets::Distribution& along = mapping.target().dimension(mapping.alignment(d).template_dimension);
        if (along.nodes() == 1) continue;  // which has all of it
        if (along.block_size() > 1) return Form::varn;
        strided = true;
    }
    if (plan.sections.size() > 1) return Form::varn;
    for (const Placement& placement : plan.sections)
        for (const Along& along : placement) strided = strided || along.stride != 1;
    return strided ? Form::vars : Form::vara;
}

bool empty(const Placement& placement) {
    return std::any_of(placement.begin(), placement.end(), [](const Along& along) { return along.range.empty(); });
}

}  // namespace

Plan make_plan(const execution::Array& array, const Target& target, int variable_rank) {
    Plan plan;
    const std::vector<int> axes = axes_of(array, target, variable_rank);
    for (int i = 0; i < target.sections; ++i)
        plan.sections.push_back(placement_of(array, target.ranges == nullptr ? nullptr : target.ranges[i], target, axes));
    plan.form = form_of(*array.mapping, plan);
    std::erase_if(plan.sections, empty);
    return plan;
}

}  // namespace kumihimo::xmpnc
