// The arguments of the array functions (specification 7.9): whole arrays, global ones or memory of each node, checked before
// anything moves.
#pragma once

#include <array>
#include <vector>

#include "runtime/execution/objects.hpp"
#include "runtime/globalview/gmove_sides.hpp"

namespace kumihimo::arrays {

using sets::Index;

// One side of an assignment, with its subscripts: all of an array, or some elements of some dimensions.
struct Part {
    XMP_Side side{};
    std::array<XMP_Triplet, sets::max_rank> subscripts{};

    static Part whole(XMP_Side side);
    Part with(int d, Index first, Index count) const;
};
// left = right, as gmove does it: any layouts, conversion of types. Collective over the executing set.
void assign(Part left, Part right);

class Operand {
public:
    explicit Operand(const XMP_Side& given);  // throws base::Error unless it is a whole array

    const char* text() const { return side_.text(); }
    int rank() const { return static_cast<int>(side_.geometry.subscripts.size()); }
    Index lower(int d) const { return side_.geometry.subscripts[static_cast<std::size_t>(d)].range.first; }
    Index extent(int d) const { return side_.geometry.subscripts[static_cast<std::size_t>(d)].range.count; }
    std::vector<Index> extents() const;
    Index elements() const;
    int type() const { return side_.type; }
    std::size_t element_bytes() const { return side_.geometry.element_bytes; }
    sets::Order order() const;
    const execution::Array* array() const { return side_.array; }  // null: memory of each node
    std::byte* base() const { return side_.base(); }
    const std::vector<std::ptrdiff_t>& strides() const { return side_.geometry.strides; }  // of memory
    Part whole() const;

private:
    globalview::Side side_;
};

// What a function asks of its arguments; all throw base::Error with the names of the arrays.
void check_rank(const Operand& operand, int rank);
void check_same_type(const Operand& a, const Operand& b);
void check_same_shape(const Operand& a, const Operand& b);
void check_integers(const Operand& operand);
std::string shape_text(const Operand& operand);
std::string type_text(const Operand& operand);

}  // namespace kumihimo::arrays
