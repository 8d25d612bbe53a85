#include "runtime/xmpnc/plan.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace kumihimo::xmpnc {

namespace {

// Visits the box's rows along its fastest dimension: visit(offset in memory).
template <typename Visit>
void for_each_row(const Box& box, std::size_t leading, std::size_t d, std::ptrdiff_t offset, Visit& visit) {
    if (d + 1 == box.steps.size()) return visit(offset);
    for (MPI_Offset i = 0; i < box.count[leading + d]; ++i) for_each_row(box, leading, d + 1, offset + i * box.steps[d], visit);
}

template <typename Copy>
void walk(const Box& box, Copy&& copy) {
    const std::size_t leading = box.count.size() - box.steps.size();
    if (box.elements() > 0) for_each_row(box, leading, 0, box.offset, copy);
}

}  // namespace

bool Place::empty() const {
    return std::any_of(count.begin(), count.end(), [](MPI_Offset n) { return n == 0; });
}

std::vector<MPI_Offset> Place::last() const {
    std::vector<MPI_Offset> indices(start);
    for (std::size_t d = 0; d < indices.size(); ++d) indices[d] += (count[d] - 1) * stride[d];
    return indices;
}

Index Box::elements() const {
    Index product = 1;
    for (const MPI_Offset n : count) product *= n;
    return product;
}

Plan make_plan(const execution::Array& array, const xmp_range_t* rp, int variable_rank, const MPI_Offset* fstart,
               const MPI_Offset* fstride) {
    const sets::ArrayMapping& mapping = *array.mapping;
    const int leading = variable_rank - mapping.rank();
    if (leading < 0 || (leading > 0 && fstart == nullptr))
        throw base::Error("the variable has " + std::to_string(variable_rank) + " dimensions, array '" + array.name + "' has " +
                              std::to_string(mapping.rank()),
                          leading > 0 ? "say where in the other dimensions with xmpnc_put_varx or xmpnc_get_varx" : "");
    Plan plan;
    plan.section = xmpio::section_of(array, rp);
    plan.place.start.assign(leading, 0);
    plan.place.count.assign(leading, 1);
    plan.place.stride.assign(leading, 1);
    for (const int d : xmpio::file_order(mapping)) {
        sets::Range& range = plan.section[d];
        if (fstart == nullptr) range = range.ascending();  // the same indices of the variable, whatever the direction
        plan.place.start.push_back(range.first - mapping.lower(d));
        plan.place.count.push_back(range.count);
        plan.place.stride.push_back(fstart == nullptr ? range.step : 1);
        const bool cyclic = mapping.format(d) == sets::Format::cyclic;
        if (cyclic && mapping.target().dimension(mapping.alignment(d).template_dimension).block_size() > 1)
            plan.form = Form::varn;
        if (cyclic && plan.form == Form::vara) plan.form = Form::vars;
    }
    for (int d = 0; d < variable_rank; ++d) {
        if (fstart != nullptr) plan.place.start[d] = fstart[d];
        if (fstride != nullptr) plan.place.stride[d] = fstride[d];
        if (plan.place.stride[d] != 1 && plan.form == Form::vara) plan.form = Form::vars;
    }
    return plan;
}

std::vector<Box> boxes(const execution::Array& array, const Plan& plan, const std::vector<Index>& coordinates) {
    const auto dimensions = xmpio::Part::unjoined(*array.mapping, array.element_bytes, plan.section, coordinates);
    const std::size_t leading = plan.place.start.size() - dimensions.size();
    Box seed;
    seed.start.assign(plan.place.start.begin(), plan.place.start.begin() + leading);
    seed.count.assign(leading, 1);
    seed.stride.assign(leading, 1);
    std::vector<Box> result{seed};
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const MPI_Offset origin = plan.place.start[leading + i], stride = plan.place.stride[leading + i];
        std::vector<Box> longer;
        const auto append = [&](const Box& box, const xmpio::Strip& strip, Index first, Index count) {
            Box extended = box;
            extended.start.push_back(origin + (strip.position + first * strip.position_step) * stride);
            extended.count.push_back(count);
            extended.stride.push_back(strip.position_step * stride);
            extended.offset += strip.offset + first * strip.offset_step;
            extended.steps.push_back(strip.offset_step);
            longer.push_back(std::move(extended));
        };
        for (const Box& box : result)
            for (const xmpio::Strip& strip : dimensions[i].strips) {
                const bool piecewise = plan.form == Form::varn && strip.position_step * stride != 1;  // varn has no strides
                if (!piecewise) append(box, strip, 0, strip.count);
                for (Index k = 0; piecewise && k < strip.count; ++k) append(box, strip, k, 1);
            }
        result = std::move(longer);
    }
    return result;
}

void pack(const Box& box, std::size_t element_bytes, const std::byte* block, std::byte* packed) {
    const std::ptrdiff_t step = box.steps.back();
    walk(box, [&](std::ptrdiff_t offset) {
        xmpio::copy(packed, static_cast<std::ptrdiff_t>(element_bytes), block + offset, step, box.count.back(), element_bytes);
        packed += box.count.back() * element_bytes;
    });
}

void unpack(const Box& box, std::size_t element_bytes, const std::byte* packed, std::byte* block) {
    const std::ptrdiff_t step = box.steps.back();
    walk(box, [&](std::ptrdiff_t offset) {
        xmpio::copy(block + offset, step, packed, static_cast<std::ptrdiff_t>(element_bytes), box.count.back(), element_bytes);
        packed += box.count.back() * element_bytes;
    });
}

bool contiguous(const Box& box, std::size_t element_bytes) {
    const std::size_t leading = box.count.size() - box.steps.size();
    auto expected = static_cast<std::ptrdiff_t>(element_bytes);
    for (std::size_t d = box.steps.size(); d-- > 0;) {
        const MPI_Offset count = box.count[leading + d];
        if (count > 1 && box.steps[d] != expected) return false;
        expected *= count;
    }
    return true;
}

bool ascending(const Box& box) {
    const std::size_t leading = box.count.size() - box.steps.size();
    for (std::size_t d = 0; d < box.steps.size(); ++d)
        if (box.count[leading + d] > 1 && box.steps[d] < 0) return false;
    return true;
}

// Rows that stand in memory without gaps are block lengths, which MPI copies faster than nested vectors of single elements.
MPI_Datatype memory_type(const Box& box, MPI_Datatype element, std::size_t element_bytes) {
    const std::size_t leading = box.count.size() - box.steps.size();
    auto expected = static_cast<std::ptrdiff_t>(element_bytes);
    int block = 1;
    std::size_t d = box.steps.size();
    for (; d > 0; --d) {
        const MPI_Offset count = box.count[leading + d - 1];
        if (count > 1 && box.steps[d - 1] != expected) break;
        block *= static_cast<int>(count);
        expected *= count;
    }
    MPI_Datatype type;
    if (d == 0)
        MPI_Type_contiguous(block, element, &type);
    else
        MPI_Type_create_hvector(static_cast<int>(box.count[leading + d - 1]), block, box.steps[d - 1], element, &type);
    while (d > 1) {
        --d;
        MPI_Datatype wider;
        MPI_Type_create_hvector(static_cast<int>(box.count[leading + d - 1]), 1, box.steps[d - 1], type, &wider);
        MPI_Type_free(&type);
        type = wider;
    }
    MPI_Type_commit(&type);
    return type;
}

}  // namespace kumihimo::xmpnc
