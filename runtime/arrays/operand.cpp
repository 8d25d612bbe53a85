#include "runtime/arrays/operand.hpp"

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/elements/element_type.hpp"
#include "runtime/globalview/gmove.hpp"
#include "runtime/teams/operation.hpp"

namespace kumihimo::arrays {

Part Part::whole(XMP_Side side) {
    Part part{side, {}};
    part.subscripts.fill(XMP_TRIPLET(XMP_OPEN, XMP_OPEN, 1));
    return part;
}

Part Part::with(int d, Index first, Index count) const {
    Part part = *this;
    part.subscripts[static_cast<std::size_t>(d)] = XMP_TRIPLET(first, count, 1);
    return part;
}

void assign(Part left, Part right) {
    left.side.subscripts = left.subscripts.data();
    right.side.subscripts = right.subscripts.data();
    globalview::gmove(left.side, right.side, nullptr);
}

namespace {

bool is_whole(const globalview::Side& side, std::size_t d) {
    const globalview::GmoveSide::Subscript& subscript = side.geometry.subscripts[d];
    if (!subscript.section || (subscript.range.count > 1 && subscript.range.step != 1)) return false;
    const XMP_Bounds bounds =
        side.array != nullptr
            ? (*side.array->bounds)[d]
            : XMP_Bounds{0, side.given->extents[d] == XMP_OPEN ? subscript.range.last() : side.given->extents[d] - 1};
    return subscript.range.first == bounds.lower && subscript.range.count == bounds.upper - bounds.lower + 1;
}

}  // namespace

Operand::Operand(const XMP_Side& given) : side_(globalview::resolve(given)) {
    for (std::size_t d = 0; d < side_.geometry.subscripts.size(); ++d)
        if (!is_whole(side_, d))
            throw base::Error(fmt::format("{} is only a part of its array in dimension {}", text(), d + 1),
                              "Array functions take whole arrays: the name, or [:] in all dimensions.");
}

Part Operand::whole() const {
    Part part = Part::whole(*side_.given);
    for (int d = 0; d < rank(); ++d) part = part.with(d, lower(d), extent(d));  // memory may not know its extent itself
    return part;
}

std::vector<Index> Operand::extents() const {
    std::vector<Index> list;
    for (int d = 0; d < rank(); ++d) list.push_back(extent(d));
    return list;
}

Index Operand::elements() const {
    Index count = 1;
    for (int d = 0; d < rank(); ++d) count *= extent(d);
    return count;
}

sets::Order Operand::order() const {
    if (array() != nullptr) return array()->order;
    return rank() > 1 && strides().front() < strides().back() ? sets::Order::column_major : sets::Order::row_major;
}

// ---- checks ----

std::string type_text(const Operand& operand) {
    return operand.type() == XMP_TYPE_OTHER
               ? "structures of " + base::counted(static_cast<Index>(operand.element_bytes()), "byte")
               : elements::type_name(operand.type());
}

std::string shape_text(const Operand& operand) {
    std::string text;
    for (const Index extent : operand.extents()) text += fmt::format("{}{}", text.empty() ? "" : " x ", extent);
    return text;
}

void check_rank(const Operand& operand, int rank) {
    if (operand.rank() != rank)
        throw base::Error(
            fmt::format("{} has {}, but must have {}", operand.text(), base::counted(operand.rank(), "dimension"), rank));
}

void check_same_type(const Operand& a, const Operand& b) {
    if (a.type() != b.type() || a.element_bytes() != b.element_bytes())
        throw base::Error(
            fmt::format("{} has elements of type {}, but {} of type {}", a.text(), type_text(a), b.text(), type_text(b)),
            "Both must have the same element type.");
}

void check_same_shape(const Operand& a, const Operand& b) {
    if (a.extents() != b.extents())
        throw base::Error(fmt::format("{} is {}, but {} is {}", a.text(), shape_text(a), b.text(), shape_text(b)),
                          "Both must have the same shape.");
}

void check_integers(const Operand& operand) {
    if (operand.type() < XMP_TYPE_CHAR || operand.type() > XMP_TYPE_ULONGLONG)
        throw base::Error(fmt::format("the subscripts in {} have the type {}", operand.text(), type_text(operand)),
                          "Subscripts are integers.");
}

}  // namespace kumihimo::arrays
