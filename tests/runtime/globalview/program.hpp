// What the tests of this room share: random numbers that are the same on every node, and declarations as generated code
// makes them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kumihimo/generated.h"
#include "kumihimo/xmp.h"
#include "runtime/execution/objects.hpp"
#include "tests/support/long_form.hpp"

namespace kumihimo::test {

using sets::Index;

inline constexpr unsigned char untouched = 0xEE;  // bytes that nobody wrote

inline int nodes_in_all() {
    return execution::Context::get().entire()->size();
}
inline int my_node() {
    return execution::Context::get().entire()->my_number();
}

// Fewer rounds where many nodes share few processors, and each collective may cost milliseconds; where nodes only exchange
// messages, which takes longest; and under AddressSanitizer, which looks at memory and needs no luck with numbers. Each of the
// many runs of a program (node counts, families, ways) draws other numbers.
inline int rounds(int on_few_nodes) {
#ifdef __SANITIZE_ADDRESS__
    on_few_nodes /= 3;
#endif
    const char* const sharing = std::getenv("KUMIHIMO_SHM");
    if (sharing != nullptr && std::string_view(sharing) == "off" && nodes_in_all() > 1) on_few_nodes /= 2;
    return std::max(3, nodes_in_all() <= 2 ? on_few_nodes : 2 * on_few_nodes / (nodes_in_all() + 1));
}

// Of cheap cases. KUMIHIMO_TEST_LONG=1: twenty times as many.
inline int many(int on_few_nodes) {
    return rounds(on_few_nodes) * (support::long_form() ? 20 : 1);
}

// KUMIHIMO_TEST_SEED repeats a failed run; equal on all nodes.
inline unsigned seed() {
    static const unsigned value = [] {
        const char* const text = std::getenv("KUMIHIMO_TEST_SEED");
        unsigned number = text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : std::random_device{}();
        MPI_Bcast(&number, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
        if (my_node() == 0) std::printf("KUMIHIMO_TEST_SEED=%u\n", number);
        return number;
    }();
    return value;
}

class Random {
public:
    explicit Random(unsigned stream) : engine_(seed() + 7919u * stream) {}
    Index between(Index lower, Index upper) {
        return lower + static_cast<Index>(engine_() % static_cast<std::uint64_t>(upper - lower + 1));
    }
    bool one_in(Index n) { return between(1, n) == 1; }

private:
    std::mt19937_64 engine_;
};

// XMP_ON is for C, where it has the lifetime of the block; in C++ this is.
class On {
public:
    On(const void* object, std::vector<XMP_Range> subscripts)
        : subscripts_(std::move(subscripts)), on_{object, static_cast<int>(subscripts_.size()), subscripts_.data()} {}
    operator const XMP_On*() const { return &on_; }

private:
    std::vector<XMP_Range> subscripts_;
    XMP_On on_;
};

inline XMP_Nodes* declare_nodes(const std::vector<Index>& sizes, int order = XMP_ROW_MAJOR) {
    return XMP_Nodes_declare(XMP_SITE("nodes p"), "p", order, static_cast<int>(sizes.size()), sizes.data(), XMP_NODES_ENTIRE,
                             nullptr);
}

inline XMP_Template* declare_template(XMP_Nodes* nodes, const std::vector<XMP_Bounds>& bounds,
                                      const std::vector<XMP_Format>& formats) {
    XMP_Template* const target =
        XMP_Template_declare(XMP_SITE("template t"), "t", XMP_ROW_MAJOR, static_cast<int>(bounds.size()), bounds.data());
    XMP_Distribute(XMP_SITE("distribute t"), target, nodes, formats.data());
    return target;
}

// The nodes of a grid, factored at random into 1 to `most` dimensions.
inline std::vector<Index> random_grid(Random& random, int most, Index nodes = nodes_in_all()) {
    std::vector<Index> sizes(static_cast<std::size_t>(random.between(1, most)), 1);
    Index rest = nodes;
    for (Index prime = 2; rest > 1;) {
        if (rest % prime != 0) {
            ++prime;
            continue;
        }
        sizes[static_cast<std::size_t>(random.between(0, static_cast<Index>(sizes.size()) - 1))] *= prime;
        rest /= prime;
    }
    return sizes;
}

// One dimension of a template, and who owns what, straight from the specification's formulas (4.3.3).
struct TestDimension {
    Index lower = 0, upper = 0;
    int kind = XMP_NOT_DISTRIBUTED;
    Index nodes = 1, size = 0;
    std::vector<int> sizes;

    static TestDimension random(Random& random, Index nodes, Index longest, Index shortest = 1) {
        TestDimension dimension;
        dimension.lower = random.between(-5, 5);
        dimension.upper = dimension.lower + random.between(shortest, std::max(longest, shortest)) - 1;
        dimension.nodes = nodes;
        dimension.kind = static_cast<int>(random.between(XMP_BLOCK, XMP_GBLOCK));
        const Index extent = dimension.upper - dimension.lower + 1;
        if (dimension.kind == XMP_BLOCK && random.one_in(3))
            dimension.size = (extent + nodes - 1) / nodes + random.between(0, 2);
        if (dimension.kind == XMP_CYCLIC && random.one_in(2)) dimension.size = random.between(1, 5);
        if (dimension.kind == XMP_GBLOCK) {
            dimension.sizes.assign(static_cast<std::size_t>(nodes), 0);
            for (Index left = extent; left > 0;) {
                const Index part = random.between(1, left);
                dimension.sizes[static_cast<std::size_t>(random.between(0, nodes - 1))] += static_cast<int>(part);
                left -= part;
            }
        }
        return dimension;
    }

    XMP_Format format(int onto) const {
        switch (kind) {
            case XMP_BLOCK:
                return XMP_FORMAT_BLOCK(onto, size);
            case XMP_CYCLIC:
                return XMP_FORMAT_CYCLIC(onto, size);
            case XMP_GBLOCK:
                return XMP_FORMAT_GBLOCK(onto, static_cast<Index>(sizes.size()), sizes.data());
            default:
                return XMP_FORMAT_NONE;
        }
    }

    Index block() const {
        if (size > 0) return size;
        return kind == XMP_BLOCK ? (upper - lower + nodes) / nodes : 1;
    }

    Index owner(Index index) const {
        const Index place = index - lower;
        if (kind == XMP_BLOCK) return place / block();
        if (kind == XMP_CYCLIC) return place / block() % nodes;
        if (kind != XMP_GBLOCK) return 0;
        Index end = 0;
        for (std::size_t node = 0; node < sizes.size(); ++node)
            if (place < (end += sizes[node])) return static_cast<Index>(node);
        return -1;
    }

    // The view subscript of an index on its owner (decision view-subscripts): how many indices before it the owner has, or the
    // index itself.
    Index position(Index index) const {
        if (kind != XMP_CYCLIC) return index;
        Index before = 0;
        for (Index i = lower; i < index; ++i) before += owner(i) == owner(index);
        return before;
    }
};

}  // namespace kumihimo::test
