#include "runtime/transport/shape.hpp"

#include <cstring>

namespace kumihimo::transport {

std::size_t elements(const Shape& shape) {
    std::size_t count = 1;
    for (int d = 0; d < shape.rank; ++d) count *= shape.count[d] > 0 ? static_cast<std::size_t>(shape.count[d]) : 0;
    return count;
}

namespace {

void move_dimension(Shape& shape, int to, int from) {
    shape.count[to] = shape.count[from];
    shape.near[to] = shape.near[from];
    shape.far[to] = shape.far[from];
}

// Without dimensions of one element, far strides positive, sorted by them (insertion: there are at most seven).
Simplified sorted(const Shape& shape) {
    Simplified result;
    Shape& sorted = result.shape;
    sorted.element_bytes = shape.element_bytes;
    for (int d = 0; d < shape.rank; ++d) {
        if (shape.count[d] == 1) continue;
        const bool backward = shape.far[d] < 0;
        if (backward) {
            result.near += (shape.count[d] - 1) * shape.near[d];
            result.far += (shape.count[d] - 1) * shape.far[d];
        }
        const std::ptrdiff_t far = backward ? -shape.far[d] : shape.far[d];
        int place = sorted.rank++;
        for (; place > 0 && sorted.far[place - 1] < far; --place) move_dimension(sorted, place, place - 1);
        sorted.count[place] = shape.count[d];
        sorted.near[place] = backward ? -shape.near[d] : shape.near[d];
        sorted.far[place] = far;
    }
    return result;
}

}  // namespace

Simplified simplified(const Shape& shape) {
    if (shape.rank == 0) return {shape};
    Simplified result = sorted(shape);
    Shape& simple = result.shape;
    const auto whole = [&](std::ptrdiff_t stride) { return stride == static_cast<std::ptrdiff_t>(simple.element_bytes); };
    while (simple.rank > 0 && whole(simple.near[simple.rank - 1]) && whole(simple.far[simple.rank - 1]))
        simple.element_bytes *= static_cast<std::size_t>(simple.count[--simple.rank]);
    for (int d = simple.rank - 2; d >= 0; --d) {  // two dimensions that step evenly on both sides are one
        const int inner = d + 1;
        if (simple.near[d] != simple.near[inner] * simple.count[inner] ||
            simple.far[d] != simple.far[inner] * simple.count[inner])
            continue;
        simple.count[d] *= simple.count[inner];
        simple.near[d] = simple.near[inner], simple.far[d] = simple.far[inner];
        for (int k = inner; k + 1 < simple.rank; ++k) move_dimension(simple, k, k + 1);
        --simple.rank;
    }
    return result;
}

bool nested(const Shape& shape, const std::array<std::ptrdiff_t, Shape::most_rank>& strides) {
    std::ptrdiff_t span = static_cast<std::ptrdiff_t>(shape.element_bytes);
    for (int d = shape.rank - 1; d >= 0; --d) {
        if (strides[d] < span) return false;
        span = (shape.count[d] - 1) * strides[d] + span;
    }
    return true;
}

Extent far_extent(const Shape& shape) {
    Extent extent{0, static_cast<std::ptrdiff_t>(shape.element_bytes)};
    for (int d = 0; d < shape.rank; ++d) {
        const std::ptrdiff_t reach = (shape.count[d] - 1) * shape.far[d];
        (reach < 0 ? extent.first : extent.end) += reach;
    }
    return extent;
}

Shape packed_near(const Shape& shape) {
    Shape result = shape;
    std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(shape.element_bytes);
    for (int d = shape.rank - 1; d >= 0; --d) {
        result.near[d] = stride;
        stride *= shape.count[d];
    }
    return result;
}

void pack(const Shape& shape, const std::byte* from, std::byte* to) {
    const std::size_t bytes = shape.element_bytes;
    for_each_element(shape, [&](std::ptrdiff_t near, std::ptrdiff_t) {
        std::memcpy(to, from + near, bytes);
        to += bytes;
    });
}

void unpack(const Shape& shape, const std::byte* from, std::byte* to) {
    const std::size_t bytes = shape.element_bytes;
    for_each_element(shape, [&](std::ptrdiff_t near, std::ptrdiff_t) {
        std::memcpy(to + near, from, bytes);
        from += bytes;
    });
}

}  // namespace kumihimo::transport
