// Random puts between blocks of known sizes, for tests: any rank, permuted dimensions, strides of both signs, empty ones.
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "runtime/transport/transport.hpp"

namespace kumihimo::transport {

class RandomShape {
public:
    explicit RandomShape(unsigned seed) : random_(seed) {}

    struct Drawn {
        Correspondence shape;
        std::size_t near_start, near_bytes;  // the first element's place, and the size, of the smallest block that holds it
        std::size_t far_start, far_bytes;
    };
    // spread: near strides may be 0.
    Drawn draw(bool spread) {
        constexpr std::array<sets::Index, 7> sizes = {1, 2, 4, 8, 8, 12, 16};
        const sets::Index element_bytes = sizes[static_cast<std::size_t>(number(0, 6))];
        const int rank = number(0, 9) == 0 ? most_rank : number(0, 4), largest = rank > 4 ? 3 : rank > 2 ? 5 : 20;
        std::vector<sets::PairedLevel> levels(static_cast<std::size_t>(rank));
        for (sets::PairedLevel& level : levels) level.count = number(0, 40) == 0 ? 0 : number(1, largest);
        const Side near = side(levels, element_bytes, &sets::PairedLevel::from);
        const Side far = side(levels, element_bytes, &sets::PairedLevel::to);
        if (spread)
            for (sets::PairedLevel& level : levels)
                if (number(0, 2) == 0) level.from = 0;
        return {Correspondence(element_bytes, levels), near.start, near.bytes, far.start, far.bytes};
    }
    int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

private:
    static constexpr int most_rank = 7;
    struct Side {
        std::size_t start, bytes;
    };
    // Strides of nested dimensions in a random order, with gaps.
    Side side(std::vector<sets::PairedLevel>& levels, sets::Index element_bytes, sets::Index sets::PairedLevel::*stride_of) {
        std::vector<sets::PairedLevel*> order;
        for (sets::PairedLevel& level : levels) order.insert(order.begin(), &level);
        if (number(0, 1) != 0) std::shuffle(order.begin(), order.end(), random_);
        sets::Index span = element_bytes, start = 0;
        for (sets::PairedLevel* const level : order) {
            const int gaps = number(0, 2) == 0 ? number(1, 2) : 0;
            const sets::Index stride = span + gaps * element_bytes;
            const sets::Index reach = std::max<sets::Index>(level->count - 1, 0) * stride;
            const bool backward = number(0, 3) == 0;
            level->*stride_of = backward ? -stride : stride;
            if (backward) start += reach;
            span += reach;
        }
        return {static_cast<std::size_t>(start), static_cast<std::size_t>(span)};
    }
    std::mt19937 random_;
};

}  // namespace kumihimo::transport
