#include "runtime/xmpnc/plan.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/error.hpp"
#include "runtime/xmpnc/strips.hpp"
#include "sets/section_extents.hpp"

namespace kumihimo::xmpnc {

namespace {

// Visits the box's rows along its fastest dimension: visit(offset in memory).
template <typename Visit>
void for_each_row(const Box& box, std::size_t d, std::ptrdiff_t offset, Visit& visit) {
    if (d + 1 == box.steps.size()) return visit(offset);
    for (MPI_Offset i = 0; i < box.count[d]; ++i) for_each_row(box, d + 1, offset + i * box.steps[d], visit);
}

template <typename Copy>
void walk(const Box& box, Copy&& copy) {
    if (box.elements() > 0) for_each_row(box, 0, box.offset, copy);
}

std::vector<int> axes_of(const execution::Array& array, const Target& target, int variable_rank) {
    const int rank = array.mapping->rank(), leading = variable_rank - rank;
    const bool elsewhere = target.start != nullptr;
    if (leading < 0 || (leading > 0 && !elsewhere))
        throw base::Error("the variable has " + std::to_string(variable_rank) + " dimensions, array '" + array.name + "' has " +
                              std::to_string(rank),
                          leading > 0 ? "say where in the other dimensions with xmpnc_put_varx or xmpnc_get_varx" : "");
    std::vector<int> axes, times(rank, 0);
    for (int d = 0; d < variable_rank; ++d) {
        const MPI_Offset axis = target.map != nullptr ? target.map[d] : std::max(d - leading, -1);
        axes.push_back(axis >= 0 && axis < rank ? static_cast<int>(axis) : -1);
        if (axes.back() >= 0) ++times[axis];
        if (axes.back() != axis) times[0] = 2;
    }
    if (std::any_of(times.begin(), times.end(), [](int n) { return n != 1; }))
        throw base::Error("imap has to name each of the " + std::to_string(rank) + " dimensions of array '" + array.name +
                          "' once, and -1 for the others of the variable");
    return axes;
}

Piece piece_of(const execution::Array& array, const xmp_range_t* rp, const Target& target, const std::vector<int>& axes) {
    const sets::ArrayMapping& mapping = *array.mapping;
    const std::vector<int> order = sets::slowest_first(mapping);
    Piece piece{xmpio::section_of(array, rp), {}};
    const bool elsewhere = target.start != nullptr;
    for (std::size_t v = 0; v < axes.size(); ++v) {
        MPI_Offset start = 0, count = 1, stride = 1;
        if (axes[v] >= 0) {
            const int d = order[axes[v]];
            sets::Range& range = piece.section[d];
            if (!elsewhere) range = range.ascending();  // the same indices of the variable, whatever the direction
            start = range.first - mapping.lower(d);
            count = range.count;
            if (!elsewhere) stride = range.step;
        }
        piece.place.start.push_back(elsewhere ? target.start[v] : start);
        piece.place.count.push_back(count);
        piece.place.stride.push_back(target.stride != nullptr ? target.stride[v] : stride);
    }
    return piece;
}

Form form_of(const sets::ArrayMapping& mapping, const Plan& plan, int sections) {
    bool strided = false;
    for (int d = 0; d < mapping.rank(); ++d) {
        if (mapping.format(d) != sets::Format::cyclic) continue;
        if (mapping.target().dimension(mapping.alignment(d).template_dimension).block_size() > 1) return Form::varn;
        strided = true;
    }
    if (sections > 1) return Form::varn;
    for (const Piece& piece : plan.pieces)
        for (const MPI_Offset stride : piece.place.stride) strided = strided || stride != 1;
    return strided ? Form::vars : Form::vara;
}

// Appends the boxes of one piece.
void append_boxes(const execution::Array& array, const Plan& plan, const Piece& piece, const std::vector<Index>& coordinates,
                  std::vector<Box>& all) {
    const auto dimensions = dimensions_of(*array.mapping, array.element_bytes, piece.section, coordinates);
    std::vector<Box> result{Box{}};
    for (std::size_t v = 0; v < plan.axes.size(); ++v) {
        const MPI_Offset origin = piece.place.start[v], stride = piece.place.stride[v];
        std::vector<Box> longer;
        const auto append = [&](const Box& box, const Strip& strip, Index first, Index count) {
            Box extended = box;
            extended.start.push_back(origin + (strip.position + first * strip.position_step) * stride);
            extended.count.push_back(count);
            extended.stride.push_back(strip.position_step * stride);
            extended.offset += strip.offset + first * strip.offset_step;
            extended.steps.push_back(strip.offset_step);
            longer.push_back(std::move(extended));
        };
        static const std::vector<Strip> one{{0, 1, 1, 0, 0}};
        for (const Box& box : result)
            for (const Strip& strip : plan.axes[v] < 0 ? one : dimensions[plan.axes[v]]) {
                // varn has no strides, and PnetCDF 1.12 takes several records in one piece for as many times their elements.
                const bool piecewise =
                    plan.form == Form::varn && (strip.position_step * stride != 1 || (v == 0 && plan.records));
                if (!piecewise) append(box, strip, 0, strip.count);
                for (Index k = 0; piecewise && k < strip.count; ++k) append(box, strip, k, 1);
            }
        result = std::move(longer);
    }
    std::move(result.begin(), result.end(), std::back_inserter(all));
}

// Rows that stand in memory without gaps are block lengths, which MPI copies faster than nested vectors of single elements.
MPI_Datatype nest(const Box& box, MPI_Datatype element, std::size_t element_bytes) {
    auto expected = static_cast<std::ptrdiff_t>(element_bytes);
    int block = 1;
    std::size_t d = box.steps.size();
    for (; d > 0; --d) {
        const MPI_Offset count = box.count[d - 1];
        if (count > 1 && box.steps[d - 1] != expected) break;
        block *= static_cast<int>(count);
        expected *= count;
    }
    MPI_Datatype type;
    if (d == 0)
        MPI_Type_contiguous(block, element, &type);
    else
        MPI_Type_create_hvector(static_cast<int>(box.count[d - 1]), block, box.steps[d - 1], element, &type);
    while (d > 1) {
        --d;
        MPI_Datatype wider;
        MPI_Type_create_hvector(static_cast<int>(box.count[d - 1]), 1, box.steps[d - 1], type, &wider);
        MPI_Type_free(&type);
        type = wider;
    }
    return type;
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

Plan make_plan(const execution::Array& array, const Target& target, int variable_rank, bool records) {
    Plan plan;
    plan.records = records;
    plan.axes = axes_of(array, target, variable_rank);
    for (int i = 0; i < target.sections; ++i)
        plan.pieces.push_back(piece_of(array, target.ranges == nullptr ? nullptr : target.ranges[i], target, plan.axes));
    plan.form = form_of(*array.mapping, plan, target.sections);
    std::erase_if(plan.pieces, [](const Piece& piece) { return piece.place.empty(); });
    return plan;
}

std::vector<Box> boxes(const execution::Array& array, const Plan& plan, const std::vector<Index>& coordinates) {
    std::vector<Box> result;
    for (const Piece& piece : plan.pieces) append_boxes(array, plan, piece, coordinates, result);
    return result;
}

void pack(const Box& box, std::size_t element_bytes, const std::byte* block, std::byte* packed) {
    const std::ptrdiff_t step = box.steps.back();
    walk(box, [&](std::ptrdiff_t offset) {
        copy(packed, static_cast<std::ptrdiff_t>(element_bytes), block + offset, step, box.count.back(), element_bytes);
        packed += box.count.back() * element_bytes;
    });
}

void unpack(const Box& box, std::size_t element_bytes, const std::byte* packed, std::byte* block) {
    const std::ptrdiff_t step = box.steps.back();
    walk(box, [&](std::ptrdiff_t offset) {
        copy(block + offset, step, packed, static_cast<std::ptrdiff_t>(element_bytes), box.count.back(), element_bytes);
        packed += box.count.back() * element_bytes;
    });
}

bool contiguous(const Box& box, std::size_t element_bytes) {
    auto expected = static_cast<std::ptrdiff_t>(element_bytes);
    for (std::size_t d = box.steps.size(); d-- > 0;) {
        if (box.count[d] > 1 && box.steps[d] != expected) return false;
        expected *= box.count[d];
    }
    return true;
}

bool ascending(const Box& box) {
    for (std::size_t d = 0; d < box.steps.size(); ++d)
        if (box.count[d] > 1 && box.steps[d] < 0) return false;
    return true;
}

MPI_Datatype memory_type(const std::vector<Box>& boxes, MPI_Datatype element, std::size_t element_bytes) {
    MPI_Datatype type;
    std::vector<int> lengths;
    std::vector<MPI_Aint> places;
    if (boxes.size() == 1 && ascending(boxes[0])) {
        MPI_Datatype inner = nest(boxes[0], element, element_bytes);
        const MPI_Aint offset = boxes[0].offset;
        const int once = 1;
        MPI_Type_create_hindexed(1, &once, &offset, inner, &type);
        MPI_Type_free(&inner);
    } else {
        for (const Box& box : boxes)
            walk(box, [&](std::ptrdiff_t offset) {
                const auto bytes = static_cast<std::ptrdiff_t>(element_bytes);
                const MPI_Offset count = box.count.back();
                const bool whole = count == 1 || box.steps.back() == bytes;
                for (MPI_Offset i = 0; i < (whole ? 1 : count); ++i) {
                    places.push_back(offset + i * box.steps.back());
                    lengths.push_back(whole ? static_cast<int>(count) : 1);
                }
            });
        MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), element, &type);
    }
    MPI_Type_commit(&type);
    return type;
}

}  // namespace kumihimo::xmpnc
