// The inquiry functions: numbers from the declarations, dimensions in the order of decision LIB-01.
#include <algorithm>

#include "helpers.hpp"
#include "kumihimo/xmp.h"

namespace kumihimo::execution::testing {
namespace {

int value(int (*function)(xmp_desc_t, int*), xmp_desc_t d) {
    int result = -999;
    EXPECT_EQ(function(d, &result), 0);
    return result;
}
int value(int (*function)(xmp_desc_t, int, int*), xmp_desc_t d, int dim) {
    int result = -999;
    EXPECT_EQ(function(d, dim, &result), 0);
    return result;
}
bool fails(int (*function)(xmp_desc_t, int, int*), xmp_desc_t d, int dim) {
    int result = 0;
    return function(d, dim, &result) < 0;
}

TEST(Inquiry, Nodes) {
    const int a = size() % 2 == 0 ? 2 : 1, b = size() / a;
    const Nodes c({a, b}), f({a, b}, XMP_COLUMN_MAJOR);
    EXPECT_EQ(value(xmp_nodes_ndims, c.p), 2);
    EXPECT_EQ(value(xmp_nodes_size, c.p, 1), b) << "dimension 1 is the rightmost bracket";
    EXPECT_EQ(value(xmp_nodes_size, c.p, 2), a);
    EXPECT_EQ(value(xmp_nodes_size, f.p, 1), a);
    EXPECT_EQ(value(xmp_nodes_index, c.p, 1), rank() % b + 1);
    EXPECT_EQ(value(xmpc_nodes_index, c.p, 2), rank() / b);
    EXPECT_EQ(value(xmp_nodes_index, f.p, 1), rank() % a + 1);
    EXPECT_EQ(value(xmp_nodes_attr, c.p), XMP_ENTIRE_NODES);
    EXPECT_TRUE(fails(xmp_nodes_size, c.p, 0));
    EXPECT_TRUE(fails(xmp_nodes_size, c.p, 3));
    const Nodes e({size()}, XMP_ROW_MAJOR, XMP_NODES_EXECUTING);
    EXPECT_EQ(value(xmp_nodes_attr, e.p), XMP_EXECUTING_NODES);
}

TEST(Inquiry, EquivalencedNodes) {
    const int a = size() % 2 == 0 ? 2 : 1, b = size() / a;
    const Nodes p({a, b});
    const XMP_Range part[] = {XMP_AT(a - 1), XMP_FROM_TO(0, b - 1, 1)};  // p[a-1][0:b]
    const XMP_On on = {p.p, 2, part};
    const Nodes r({b}, XMP_ROW_MAJOR, XMP_NODES_PART, &on);
    xmp_desc_t whole = nullptr;
    int lb[2], ub[2], st[2];
    ASSERT_EQ(xmp_nodes_equiv(r.p, &whole, lb, ub, st), 0);
    EXPECT_EQ(whole, static_cast<void*>(p.p));
    EXPECT_EQ((std::vector<int>{lb[0], ub[0], st[0]}), (std::vector<int>{1, b, 1}));
    EXPECT_EQ((std::vector<int>{lb[1], ub[1], st[1]}), (std::vector<int>{a, a, 1}));
    EXPECT_EQ(value(xmp_nodes_attr, r.p), XMP_EQUIVALENCE_NODES);
    EXPECT_LT(xmp_nodes_equiv(p.p, &whole, lb, ub, st), 0);
    int index = 0;
    EXPECT_EQ(xmp_nodes_index(r.p, 1, &index) == 0, r->member());
}

TEST(Inquiry, Templates) {
    const Nodes p({size()});
    const std::vector<int> sizes(static_cast<std::size_t>(size()), 3);
    const Template t({{2, 9}, {-1, 3 * size() - 2}}, p, {XMP_FORMAT_NONE, XMP_FORMAT_GBLOCK(0, size(), sizes.data())});
    EXPECT_EQ(value(xmp_template_fixed, t.t), 1);
    EXPECT_EQ(value(xmp_template_ndims, t.t), 2);
    EXPECT_EQ(value(xmp_template_lbound, t.t, 1), -1);
    EXPECT_EQ(value(xmp_template_ubound, t.t, 1), 3 * size() - 2);
    EXPECT_EQ(value(xmp_template_lbound, t.t, 2), 2);
    EXPECT_EQ(value(xmp_dist_format, t.t, 1), XMP_GBLOCK);
    EXPECT_EQ(value(xmp_dist_format, t.t, 2), XMP_NOT_DISTRIBUTED);
    std::vector<int> map(static_cast<std::size_t>(size()), -1);
    EXPECT_EQ(xmp_dist_gblockmap(t.t, 1, map.data()), 0);
    EXPECT_EQ(map, sizes);
    EXPECT_LT(xmp_dist_gblockmap(t.t, 2, map.data()), 0);
    EXPECT_EQ(value(xmp_dist_axis, t.t, 1), 1);
    EXPECT_TRUE(fails(xmp_dist_axis, t.t, 2));
    EXPECT_TRUE(fails(xmp_dist_blocksize, t.t, 1));
    xmp_desc_t nodes = nullptr;
    EXPECT_EQ(xmp_dist_nodes(t.t, &nodes), 0);
    EXPECT_EQ(nodes, static_cast<void*>(p.p));
    const Template b({{0, 10}}, p, {XMP_FORMAT_BLOCK(0, 0)}), c({{0, 10}}, p, {XMP_FORMAT_CYCLIC(0, 4)});
    EXPECT_EQ(value(xmp_dist_blocksize, b.t, 1), (11 + size() - 1) / size());
    EXPECT_EQ(value(xmp_dist_blocksize, c.t, 1), 4);
    const Template open(1, XMP_ROW_MAJOR);
    EXPECT_EQ(value(xmp_template_fixed, open.t), 0);
    EXPECT_TRUE(fails(xmp_template_lbound, open.t, 1));
}

TEST(Inquiry, Arrays) {
    const Nodes p({size()});
    const XMP_Index n = 4 * size();
    const Template t({{0, 5}, {0, n}}, p, {XMP_FORMAT_NONE, XMP_FORMAT_BLOCK(0, 5)});
    const GlobalArray a(t, {{0, n - 1}, {0, 6}}, {{1, 1}, {-1, 0}}, {{1, 2, XMP_WIDTH_PLAIN}, {0, 0, XMP_WIDTH_PLAIN}});
    EXPECT_EQ(value(xmp_array_ndims, a.a), 2);
    EXPECT_EQ(value(xmp_array_ubound, a.a, 1), n - 1) << "arrays count from the left";
    EXPECT_EQ(value(xmp_array_ubound, a.a, 2), 6);
    EXPECT_EQ(value(xmp_array_lbound, a.a, 1), 0);
    EXPECT_EQ(value(xmp_array_lshadow, a.a, 1), 1);
    EXPECT_EQ(value(xmp_array_ushadow, a.a, 1), 2);
    EXPECT_EQ(value(xmp_align_axis, a.a, 1), 1) << "the rightmost bracket of the template";
    EXPECT_TRUE(fails(xmp_align_axis, a.a, 2));
    EXPECT_EQ(value(xmp_align_offset, a.a, 1), 1);
    EXPECT_EQ(value(xmp_align_replicated, a.a, 1), 0);
    EXPECT_EQ(value(xmp_align_replicated, a.a, 2), 1);
    xmp_desc_t target = nullptr;
    EXPECT_EQ(xmp_align_template(a.a, &target), 0);
    EXPECT_EQ(target, static_cast<void*>(t.t));
    // Element i lies on template index i + 1, blocks of 5.
    const int first = std::max(0, 5 * rank() - 1), last = std::min(static_cast<int>(n) - 1, 5 * rank() + 3);
    const int owned = std::max(0, last - first + 1);
    EXPECT_EQ(value(xmp_array_lsize, a.a, 1), owned);
    EXPECT_EQ(value(xmp_array_lsize, a.a, 2), 7);
    if (owned > 0) {
        int allocated[2] = {0, 0};
        EXPECT_EQ(xmp_array_lead_dim(a.a, allocated), 0);
        EXPECT_EQ(allocated[0], owned + 3);
        EXPECT_EQ(allocated[1], 7);
        int position = -1;
        EXPECT_EQ(xmp_array_gtol(a.a, 1, last, &position), 0);
        EXPECT_EQ(position, last - first + 1);
    }
    EXPECT_EQ(value(xmp_array_lda, a.a), 7);
    void* address = nullptr;
    EXPECT_EQ(xmp_array_laddr(a.a, &address), 0);
    EXPECT_EQ(address, a->base);
}

TEST(Inquiry, WrongKindsOfDescriptors) {
    const Nodes p({size()});
    int number = 0;
    EXPECT_LT(xmp_template_ndims(p.p, &number), 0);
    EXPECT_LT(xmp_array_ndims(p.p, &number), 0);
    EXPECT_LT(xmp_nodes_ndims(&number, &number), 0);
    EXPECT_LT(xmp_nodes_ndims(nullptr, &number), 0);
}

TEST(Inquiry, System) {
    const double begin = xmp_wtime();
    EXPECT_GT(xmp_wtick(), 0.0);
    EXPECT_LT(xmp_wtick(), 0.01);
    EXPECT_GE(xmp_wtime(), begin);
    EXPECT_EQ(xmp_num_images(), size());
    EXPECT_EQ(xmpc_this_image(), rank());
}

// ---- functions of Omni ----

TEST(OmniNames, KindsAndSizes) {
    const Nodes p({size()});
    const Template t({{1, 5 * size() + 1}}, p, {XMP_FORMAT_BLOCK(0, 6)});
    const GlobalArray a(t, {{0, 4 * size()}}, {{0, 1}}, {{1, 2, XMP_WIDTH_PLAIN}});
    EXPECT_EQ(value(xmp_desc_kind, p.p), XMP_DESC_NODES);
    EXPECT_EQ(value(xmp_desc_kind, t.t), XMP_DESC_TEMPLATE);
    EXPECT_EQ(value(xmp_desc_kind, a.a), XMP_DESC_ARRAY);
    int kind = 0;
    EXPECT_LT(xmp_desc_kind(&kind, &kind), 0);
    EXPECT_EQ(value(xmp_nodes_rank, p.p), rank() + 1);
    EXPECT_EQ(xmp_template_gsize(t.t, 1), 5 * size() + 1);
    EXPECT_EQ(xmp_template_lsize(t.t, 1), std::clamp(5 * size() + 1 - 6 * rank(), 0, 6));
    EXPECT_LT(xmp_template_gsize(t.t, 2), 0);
    EXPECT_EQ(xmp_array_type_size(a.a), sizeof(double));
    EXPECT_EQ(xmp_array_type_size(t.t), 0u);
    EXPECT_EQ(xmp_array_gsize(a.a, 1), 4 * size() + 1);
    xmp_barrier();
}

TEST(OmniNames, OwnedIndices) {
    const Nodes p({size()});
    const Template t({{0, 99}, {0, 99}}, p, {XMP_FORMAT_CYCLIC(0, 3), XMP_FORMAT_NONE});
    const GlobalArray a(t, {{0, 3}, {0, 7}}, {{0, 2}, {-1, 0}});  // on template indices 2 to 5: parts of two blocks
    std::vector<int> owned;
    for (int i = 0; i < 4; i++)
        if ((i + 2) / 3 % size() == rank()) owned.push_back(i);
    EXPECT_EQ(fails(xmp_array_lbound_global, a.a, 1), owned.empty());
    EXPECT_EQ(fails(xmp_array_ubound_global, a.a, 1), owned.empty());
    if (!owned.empty()) {
        EXPECT_EQ(value(xmp_array_lbound_global, a.a, 1), owned.front());
        EXPECT_EQ(value(xmp_array_ubound_global, a.a, 1), owned.back());
        EXPECT_EQ(value(xmp_array_ubound_global, a.a, 2), 7);
    }
    EXPECT_TRUE(fails(xmp_array_lbound_global, a.a, 3));
}

// Positions in this node's part of the template, found by looking at every index.
TEST(OmniNames, PartsOfLoops) {
    const Nodes p({size()});
    for (const XMP_Format& format :
         {XMP_Format XMP_FORMAT_BLOCK(0, 0), XMP_Format XMP_FORMAT_CYCLIC(0, 1), XMP_Format XMP_FORMAT_CYCLIC(0, 3)}) {
        const Template t({{5, 40}}, p, {format});
        const sets::Distribution& distribution = t->mapping->dimension(0);
        for (const int step : {1, 2, -1, -3})
            for (const auto& [low, high] : {std::pair{5, 40}, {7, 9}, {12, 31}}) {
                int first = 0, end = 0;
                for (int i = step > 0 ? low : high; i >= low && i <= high; i += step) {
                    if (distribution.owner(i) != rank()) continue;
                    const int at = static_cast<int>(distribution.to_local(i));
                    if (first == end) first = at;
                    end = at + (step > 0 ? 1 : -1);
                }
                int start = -9, stop = -9;
                xmp_sched_template_index(&start, &stop, step > 0 ? low : high, step > 0 ? high + 1 : low - 1, step, t.t, 0);
                EXPECT_EQ(std::pair(start, stop), std::pair(first, end)) << low << ':' << high << ':' << step;
            }
    }
}

}  // namespace
}  // namespace kumihimo::execution::testing
