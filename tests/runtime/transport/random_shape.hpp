// Random shapes in blocks of known sizes, for tests: any rank, permuted dimensions, strides of both signs, empty ones.
#pragma once

#include <algorithm>
#include <array>
#include <random>

#include "runtime/transport/transport.hpp"

namespace kumihimo::transport {

class RandomShape {
public:
    explicit RandomShape(unsigned seed) : random_(seed) {}

    struct Drawn {
        Shape shape;
        std::size_t near_start, near_bytes;  // the first element's place, and the size, of the smallest block that holds it
        std::size_t far_start, far_bytes;
    };
    // spread: near strides may be 0.
    Drawn draw(bool spread) {
        constexpr std::array<std::size_t, 7> sizes = {1, 2, 4, 8, 8, 12, 16};
        Shape shape;
        shape.element_bytes = sizes[static_cast<std::size_t>(number(0, 6))];
        shape.rank = number(0, 9) == 0 ? Shape::most_rank : number(0, 4);
        const int largest = shape.rank > 4 ? 3 : shape.rank > 2 ? 5 : 20;
        for (int d = 0; d < shape.rank; ++d) shape.count[d] = number(0, 40) == 0 ? 0 : number(1, largest);
        const Side near = side(shape, shape.near), far = side(shape, shape.far);
        if (spread)
            for (int d = 0; d < shape.rank; ++d)
                if (number(0, 2) == 0) shape.near[d] = 0;
        return {shape, near.start, near.bytes, far.start, far.bytes};
    }
    int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

private:
    struct Side {
        std::size_t start, bytes;
    };
    // Strides of nested dimensions in a random order, with gaps.
    Side side(const Shape& shape, std::array<std::ptrdiff_t, Shape::most_rank>& strides) {
        std::array<int, Shape::most_rank> order{0, 1, 2, 3, 4, 5, 6};
        if (number(0, 1) == 0)
            std::reverse(order.begin(), order.begin() + shape.rank);
        else
            std::shuffle(order.begin(), order.begin() + shape.rank, random_);
        std::ptrdiff_t span = static_cast<std::ptrdiff_t>(shape.element_bytes), start = 0;
        for (int k = 0; k < shape.rank; ++k) {
            const int d = order[static_cast<std::size_t>(k)];
            const int gaps = number(0, 2) == 0 ? number(1, 2) : 0;
            const std::ptrdiff_t stride = span + gaps * static_cast<std::ptrdiff_t>(shape.element_bytes);
            const std::ptrdiff_t reach = std::max<std::int64_t>(shape.count[d] - 1, 0) * stride;
            const bool backward = number(0, 3) == 0;
            strides[d] = backward ? -stride : stride;
            if (backward) start += reach;
            span += reach;
        }
        return {static_cast<std::size_t>(start), static_cast<std::size_t>(span)};
    }
    std::mt19937 random_;
};

}  // namespace kumihimo::transport
