// Shapes as the members want them: simplified, in pieces, as runs, packed. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/transport/transport.hpp"

namespace kumihimo::transport {

std::size_t elements(const Shape& shape);

// What a library moves by one call as it is: nothing to simplify and nothing to cut. Most transfers of programs are this.
inline bool one_run(const Shape& shape, std::size_t limit_bytes) {
    return shape.rank == 0 && shape.element_bytes > 0 && shape.element_bytes <= limit_bytes;
}

// The same bytes with as few dimensions as possible: elements that are contiguous on both sides become one longer element.
// Dimensions come outermost first by their far strides, which are positive; those of count 1 are left out.
struct Simplified {
    Shape shape;
    std::ptrdiff_t near = 0, far = 0;  // where its first element is, from that of the original
};
Simplified simplified(const Shape& shape);

// Whether elements lie in memory in the order of the dimensions, without overlap.
bool nested(const Shape& shape, const std::array<std::ptrdiff_t, Shape::most_rank>& strides);

// The bytes that a shape touches at the other image, relative to its offset: [first, end).
struct Extent {
    std::ptrdiff_t first, end;
};
Extent far_extent(const Shape& shape);

// Near side without gaps, elements in the order of the dimensions.
Shape packed_near(const Shape& shape);
void pack(const Shape& shape, const std::byte* from, std::byte* to);
void unpack(const Shape& shape, const std::byte* from, std::byte* to);

// Calls visit(near, far) for every element with its offsets on both sides, last dimension fastest.
template <typename Visit>
void for_each_element(const Shape& shape, Visit&& visit) {
    for (int d = 0; d < shape.rank; ++d)
        if (shape.count[d] <= 0) return;
    std::array<std::int64_t, Shape::most_rank> index{};
    std::ptrdiff_t near = 0, far = 0;
    for (;;) {
        visit(near, far);
        int d = shape.rank - 1;
        for (; d >= 0; --d) {
            near += shape.near[d], far += shape.far[d];
            if (++index[d] < shape.count[d]) break;
            near -= shape.count[d] * shape.near[d], far -= shape.count[d] * shape.far[d];
            index[d] = 0;
        }
        if (d < 0) return;
    }
}

// Calls visit(near, far, piece) for pieces that are not larger than limit_bytes (or a single element of `unit` bytes), so that
// counts fit the int of MPI. Elements may be cut at multiples of unit.
template <typename Visit>
void for_each_piece(const Shape& shape, std::size_t limit_bytes, std::size_t unit, Visit&& visit, std::ptrdiff_t near = 0,
                    std::ptrdiff_t far = 0) {
    if (elements(shape) * shape.element_bytes <= limit_bytes) return visit(near, far, shape);
    int widest = -1;
    for (int d = 0; d < shape.rank; ++d)
        if (shape.count[d] > 1 && (widest < 0 || shape.count[d] > shape.count[widest])) widest = d;
    Shape head = shape, tail = shape;
    std::ptrdiff_t near_step = 0, far_step = 0;
    if (widest >= 0) {
        head.count[widest] = shape.count[widest] / 2;
        tail.count[widest] = shape.count[widest] - head.count[widest];
        near_step = head.count[widest] * shape.near[widest], far_step = head.count[widest] * shape.far[widest];
    } else {
        const std::size_t units = shape.element_bytes / unit;
        if (units < 2) return visit(near, far, shape);
        head.element_bytes = units / 2 * unit;
        tail.element_bytes = shape.element_bytes - head.element_bytes;
        near_step = far_step = static_cast<std::ptrdiff_t>(head.element_bytes);
    }
    for_each_piece(head, limit_bytes, unit, visit, near, far);
    for_each_piece(tail, limit_bytes, unit, visit, near + near_step, far + far_step);
}

}  // namespace kumihimo::transport
