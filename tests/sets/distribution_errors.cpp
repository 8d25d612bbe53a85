// The sentences that users read when a mapping is impossible.
#include <functional>
#include <stdexcept>

#include "oracle.hpp"
#include "sets/mapping.hpp"

namespace {

using namespace oracle;

void expect_error(const std::function<void()>& build, const std::string& sentence) {
    try {
        build();
        FAIL() << "no error, expected: " << sentence;
    } catch (const std::invalid_argument& error) {
        EXPECT_EQ(error.what(), sentence);
    }
}

TEST(Errors, Distributions) {
    expect_error(
        [] { Distribution::block(1, 13, 4, 3); },
        "block(3) on 4 nodes holds 12 indices, but the template's dimension 1:13 has 13; it needs blocks of at least 4");
    expect_error([] { Distribution::block(1, 13, 4, 0); }, "block(0): the size of a block must be at least 1");
    expect_error([] { Distribution::cyclic(1, 13, 4, -2); }, "cyclic(-2): the size of a block must be at least 1");
    expect_error([] { Distribution::cyclic(1, 13, 0); }, "a dimension is distributed onto 0 nodes; it needs at least 1");
    expect_error(
        [] {
            Distribution::gblock(0, {3, -1, 4});
        },
        "gblock: entry 2 of the mapping array is -1; sizes must not be negative");
    expect_error(
        [] {
            Distribution::gblock(1, 10, {3, 3, 3});
        },
        "gblock: the 3 sizes in the mapping array add up to 9, but the template's dimension 1:10 has 10 indices");
    expect_error([] { Distribution::undistributed(5, 2); },
                 "the template's dimension 5:2 has a negative extent; the upper bound must be at least the lower bound - 1");
    const Index big = Index{1} << 62;
    EXPECT_THROW(Distribution::block(-big, big, 2), std::invalid_argument);
    EXPECT_THROW(Distribution::gblock(0, {big, big}), std::invalid_argument);
    EXPECT_THROW(Distribution::undistributed(-big - 1, 0), std::invalid_argument);
    EXPECT_NO_THROW(Distribution::block(1, big, 2));
}

TEST(Errors, NodeArrays) {
    expect_error([] { NodeGrid({2, 0}, Order::row_major); }, "a dimension of a node array has 0 nodes; it needs at least 1");
    expect_error([] { NodeGrid(std::vector<Index>(8, 1), Order::row_major); },
                 "a node array has 8 dimensions; at most 7 are allowed");
    EXPECT_THROW(NodeGrid({Index{1} << 40, Index{1} << 40}, Order::row_major), std::invalid_argument);
}

TEST(Errors, Templates) {
    const NodeGrid grid({4, 2}, Order::row_major);
    const auto block = [](Index nodes) { return Distribution::block(0, 9, nodes); };
    expect_error(
        [&] {
            TemplateMapping(grid, {block(4), block(4)}, {0, 1});
        },
        "dimension 2 of the template is distributed onto 4 nodes, but dimension 2 of the node array has 2");
    expect_error(
        [&] {
            TemplateMapping(grid, {block(4), block(4)}, {0, 0});
        },
        "two dimensions of the template are distributed onto dimension 1 of the node array");
    expect_error([&] { TemplateMapping(grid, {block(4)}, {2}); },
                 "dimension 1 of the template has no dimension of the node array of rank 2 to be distributed onto");
    expect_error([&] { TemplateMapping(grid, {Distribution::undistributed(0, 9)}, {0}); },
                 "dimension 1 of the template is not distributed, yet names a dimension of the node array");
    expect_error([&] { TemplateMapping(grid, {}, {}); }, "a template has 0 dimensions; 1 to 7 are allowed");
}

TEST(Errors, Arrays) {
    const NodeGrid grid({3}, Order::row_major);
    const TemplateMapping block(grid, {Distribution::block(0, 9, 3)}, {0}), cyclic(grid, {Distribution::cyclic(0, 9, 3)}, {0});
    const auto array = [](const TemplateMapping& target, Index lower, Index upper, Alignment alignment, Shadow shadow) {
        return ArrayMapping(target, {lower}, {upper}, {alignment}, {shadow}, Order::row_major);
    };
    expect_error(
        [&] {
            array(block, 0, 9, {0, 1}, {});
        },
        "dimension 1 of the array, 0:9, aligned with offset 1, reaches outside dimension 1 of the template, 0:9; the template "
        "must enclose all elements of the array");
    expect_error(
        [&] {
            array(block, 0, 9, {1, 0}, {});
        },
        "dimension 1 of the array is aligned with dimension 2 of a template that has only 1");
    expect_error(
        [&] {
            array(cyclic, 0, 9, {0, 0}, {1, 2});
        },
        "the shadow 1:2 of dimension 1 of the array has no meaning on a cyclic distribution, where neighbours lie on other "
        "nodes anyway; use block or gblock, or the full shadow *");
    expect_error([&] { array(block, 0, 9, {0, 0}, {-1, 0}); }, "the shadow -1:0 of dimension 1 of the array is negative");
    expect_error([&] { array(block, 5, 2, {0, 0}, {}); }, "dimension 1 of the array, 5:2, has a negative extent");
    expect_error(
        [&] {
            ArrayMapping(block, {0, 0}, {9, 9}, {{0, 0}, {0, 0}}, {}, Order::row_major);
        },
        "two dimensions of the array are aligned with dimension 1 of the template");
    EXPECT_NO_THROW(array(cyclic, 0, 9, {0, 0}, {0, 0, true}));
    EXPECT_NO_THROW(array(block, 3, 2, {0, 100}, {}));  // no elements, hence none outside
}

}  // namespace
