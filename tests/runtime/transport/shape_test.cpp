// The algebra of shapes, without transport: simplified and cut shapes name the same bytes; operations on elements.
#include "runtime/transport/shape.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/error.hpp"
#include "kumihimo/generated.h"
#include "random_shape.hpp"
#include "runtime/transport/elements.hpp"

namespace kumihimo::transport {
namespace {

// Which near byte goes to which far byte.
std::map<std::ptrdiff_t, std::ptrdiff_t> bytes_of(const Shape& shape, std::ptrdiff_t near0 = 0, std::ptrdiff_t far0 = 0) {
    std::map<std::ptrdiff_t, std::ptrdiff_t> result;
    for_each_element(shape, [&](std::ptrdiff_t near, std::ptrdiff_t far) {
        for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(shape.element_bytes); ++i)
            result[far0 + far + i] = near0 + near + i;
    });
    return result;
}

TEST(Shapes, SimplifiedAndPiecesNameTheSameBytes) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        RandomShape random(seed);
        const Shape shape = random.draw(seed % 3 == 0).shape;
        const auto all = bytes_of(shape);
        ASSERT_EQ(all.size(), elements(shape) * shape.element_bytes) << "seed " << seed;
        const auto [simple, near_start, far_start] = simplified(shape);
        EXPECT_EQ(bytes_of(simple, near_start, far_start), all) << "seed " << seed;
        EXPECT_LE(simple.rank, shape.rank);
        std::map<std::ptrdiff_t, std::ptrdiff_t> together;
        for_each_piece(simple, 24, 4, [&](std::ptrdiff_t near, std::ptrdiff_t far, const Shape& piece) {
            EXPECT_TRUE(elements(piece) * piece.element_bytes <= 24 || elements(piece) == 1);
            together.merge(bytes_of(piece, near_start + near, far_start + far));
        });
        EXPECT_EQ(together, all) << "seed " << seed;
        if (all.empty()) continue;
        const Extent extent = far_extent(shape);
        EXPECT_EQ(extent.first, all.begin()->first);
        EXPECT_EQ(extent.end, all.rbegin()->first + 1);
    }
}

TEST(Shapes, ContiguousDimensionsBecomeOneRun) {
    Shape shape;
    shape.element_bytes = 8;
    shape.rank = 3;
    shape.count = {4, 1, 5};
    shape.near = {40, 7, 8};
    shape.far = {40, 9, 8};
    EXPECT_EQ(simplified(shape).shape.rank, 0);
    EXPECT_EQ(simplified(shape).shape.element_bytes, 160u);
    shape.far[0] = 48;
    EXPECT_EQ(simplified(shape).shape.rank, 1);
    EXPECT_EQ(simplified(shape).shape.element_bytes, 40u);
}

TEST(Elements, RefusesWhatHasNoMeaning) {
    EXPECT_THROW(combine_of(Reduction::bit_and, XMP_TYPE_DOUBLE), base::Error);
    EXPECT_THROW(combine_of(Reduction::sum, XMP_TYPE_OTHER), base::Error);
    EXPECT_THROW(bytes_of_type(XMP_TYPE_LOGICAL), base::Error);
    EXPECT_EQ(bytes_of_type(XMP_TYPE_DOUBLE_COMPLEX), 16u);
}

}  // namespace
}  // namespace kumihimo::transport
