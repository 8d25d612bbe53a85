// gmove against a serial model: random layouts, sections, types and node sets; values are computed from the numbers of
// elements.
#include <numeric>

#include "gmove_sides.hpp"
#include "runtime/globalview/gmove_plan.hpp"

namespace kumihimo::test {
namespace {

void gmove(TestSide& left, TestSide& right, const Sections& sections, const int* async) {
    call_gmove(XMP_Gmove, left, right, sections, async);
}

// Memory only where the other side is a global array.
std::unique_ptr<TestSide> random_side(Random& random, const ElementType& element, bool maybe_memory) {
    if (maybe_memory && random.one_in(4))
        return std::make_unique<TestMemory>(random, element, static_cast<int>(random.between(0, 3)));
    return std::make_unique<TestArray>(random, element, static_cast<int>(random.between(1, 3)));
}

// Both sides, a few assignments between them, and the memory of both afterwards.
void try_sides(Random& random, int round) {
    const bool structures = random.one_in(6), convert = !structures && random.one_in(4);
    const ElementType& type = structures ? structure : random_type(random);
    const bool two_arrays = random.one_in(2), left_memory = random.one_in(2), alone = random.one_in(5);
    const std::unique_ptr<TestSide> left = random_side(random, type, !alone && !two_arrays && left_memory);
    std::unique_ptr<TestSide> other;
    if (!alone) other = random_side(random, convert ? random_type(random) : type, !two_arrays && !left_memory);
    TestSide& right = other ? *other : *left;
    left->draw_values(random);
    if (other) other->draw_values(random);
    left->fill();
    if (other) other->fill();
    for (int times = 0; times < 3; ++times) {
        Sections sections = random_sections(random, *left, right);
        for (int again = 0; again < (random.one_in(3) ? 2 : 1); ++again) {  // the second time with a known plan
            if (again > 0 && random.one_in(2))
                draw_indices(random, *left, sections.left), draw_indices(random, right, sections.right);
            const bool later = random.one_in(3);
            gmove(*left, right, sections, later ? &round : nullptr);
            if (later) wait_async(round);
            assign(*left, right, sections);
            ASSERT_EQ(left->wrong(), 0) << "left side, round " << round << ", assignment " << times << ", node " << my_node();
            if (other) {
                ASSERT_EQ(other->wrong(), 0) << "right side, round " << round << ", assignment " << times;
            }
        }
    }
}

TEST(Gmove, RandomLayoutsAndSections) {
    Random random(31);
    for (int round = 0; round < many(300) && !HasFailure(); ++round) try_sides(random, round);
}

TEST(Gmove, InsideTasks) {
    Random random(32);
    const Index all = nodes_in_all();
    XMP_Nodes* nodes = declare_nodes({all});
    for (int round = 0; round < many(60) && !HasFailure(); ++round) {
        const Index first = random.between(0, all - 1), last = random.between(first, all - 1);
        const On on(nodes, {XMP_FROM_TO(first, last, 1)});
        Random inside(1000u + static_cast<unsigned>(round));
        XMP_Task task = XMP_Task_prepare(XMP_SITE("task on p"), on, 0);
        if (XMP_Task_enter(&task)) try_sides(inside, round);
        XMP_Task_leave(&task);
    }
    XMP_Nodes_release(&nodes);
}

// An array of ints on all nodes.
XMP_Array* declare_line(XMP_Nodes* nodes, const XMP_Format& format, Index count) {
    const XMP_Bounds bounds = {0, count - 1};
    const XMP_Align align = {0, 0};
    return XMP_Array_declare(XMP_SITE("align a"), "a", XMP_ROW_MAJOR, XMP_TYPE_INT, sizeof(int), 1, &bounds,
                             declare_template(nodes, {bounds}, {format}), &align, nullptr);
}

// Between machines it goes on while the program does something else: here what the other nodes need to come to it.
TEST(Gmove, AsyncReturnsBeforeOthersCome) {
    const char* const sharing = std::getenv("KUMIHIMO_SHM");
    if (sharing == nullptr || std::strcmp(sharing, "off") != 0) GTEST_SKIP() << "nodes that share memory copy at once";
    const Index each = 6, count = each * nodes_in_all();
    const int me = my_node(), id = 5;
    XMP_Nodes* nodes = declare_nodes({nodes_in_all()});
    XMP_Array* to = declare_line(nodes, XMP_FORMAT_CYCLIC(0, 1), count);
    XMP_Array* from = declare_line(nodes, XMP_FORMAT_BLOCK(0, 0), count);
    for (int i = 0; i < each; ++i) static_cast<int*>(from->base)[i] = static_cast<int>(each) * me + i;
    const XMP_Triplet all = XMP_TRIPLET(XMP_OPEN, XMP_OPEN, 1);
    XMP_Side left{}, right{};
    left.text = "to", left.array = to, left.rank = 1, left.subscripts = &all;
    right.text = "from", right.array = from, right.rank = 1, right.subscripts = &all;
    int word = 0;
    if (me > 0) MPI_Recv(&word, 1, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    XMP_Gmove(XMP_SITE("gmove async(5)"), &left, &right, &id);
    for (int other = 1; me == 0 && other < nodes_in_all(); ++other) MPI_Send(&word, 1, MPI_INT, other, 77, MPI_COMM_WORLD);
    wait_async(id);
    for (int i = 0; i < each; ++i) EXPECT_EQ(static_cast<int*>(to->base)[i], static_cast<int>(nodes_in_all()) * i + me);
    XMP_Array_release(&to);
    XMP_Array_release(&from);
    XMP_Nodes_release(&nodes);
}

// Several at once, ended in another order, with one between that is not asynchronous.
TEST(Gmove, SeveralUnderWay) {
    Random random(33);
    for (int round = 0; round < many(40) && !HasFailure(); ++round) {
        constexpr int together = 4;
        std::unique_ptr<TestSide> left[together], right[together];
        for (int k = 0; k < together; ++k) {
            const bool left_memory = random.one_in(2);
            left[k] = random_side(random, arithmetic[2], left_memory);
            right[k] = random_side(random, arithmetic[2], !left_memory);
            for (TestSide* const side : {left[k].get(), right[k].get()}) side->draw_values(random), side->fill();
        }
        for (int k = 0; k < together; ++k) {
            const Sections sections = random_sections(random, *left[k], *right[k]);
            gmove(*left[k], *right[k], sections, k == 2 ? nullptr : &k);
            assign(*left[k], *right[k], sections);
        }
        if (round % 2 == 0)
            while (!xmp_test_async(0) || !xmp_test_async(3)) continue;
        for (int k = together; k-- > 0;) wait_async(k);
        for (int k = 0; k < together; ++k)
            ASSERT_EQ(left[k]->wrong() + right[k]->wrong(), 0) << "gmove " << k << " of round " << round;
    }
}

// Cost grows with nodes and pieces, never with elements.
TEST(Gmove, APlanOfABillionElementsIsAFewCopies) {
    constexpr Index count = 1000000000, nodes = 8;
    const auto mapped = [&](const sets::Distribution& distribution) {
        return sets::ArrayMapping(sets::TemplateMapping(sets::NodeGrid({nodes}, sets::Order::row_major), {distribution}, {0}),
                                  {0}, {count - 1}, {{0, 0}}, {{}}, sets::Order::row_major);
    };
    const sets::ArrayMapping cyclic = mapped(sets::Distribution::cyclic(0, count - 1, nodes, 3));
    const sets::ArrayMapping block = mapped(sets::Distribution::block(0, count - 1, nodes));
    const globalview::GmoveSide::Subscript whole{true, {0, count, 1}};
    const globalview::GmoveSide left{&block, {whole}, {}, 8}, right{&cyclic, {whole}, {}, 8};
    globalview::GmoveNodes all;
    all.count = nodes, all.me = my_node();
    for (int node = 0; node < nodes; ++node)
        for (std::vector<int>* const list : {&all.in_left, &all.in_right, &all.left_member, &all.right_member})
            list->push_back(node);
    const globalview::GmovePlan plan = globalview::plan_gmove(left, right, all, {false, false, 0, [](int) { return true; }});
    std::size_t copies = 0;
    Index elements = 0;
    for (const globalview::GmovePart& part : plan.incoming) {
        copies += part.pull.size() + part.scatter.size();
        elements += part.elements;
    }
    EXPECT_EQ(elements, count / nodes);
    EXPECT_LE(copies, 4u * nodes);
}

// What every node must know of the others' parts, against their own plans.
TEST(Gmove, APlanKnowsWhetherAllHaveLittleForAll) {
    constexpr Index nodes = 6, side = 24, rows = 3;
    const sets::NodeGrid line({nodes}, sets::Order::row_major);
    const auto mapped = [&](const sets::Distribution& distribution, int dimension) {
        const sets::Alignment aligned{0, 0}, everywhere{-1, 0};
        return sets::ArrayMapping(sets::TemplateMapping(line, {distribution}, {0}), {0, 0}, {side - 1, side - 1},
                                  dimension == 0 ? std::vector{aligned, everywhere} : std::vector{everywhere, aligned},
                                  {{}, {}}, sets::Order::row_major);
    };
    const auto block = sets::Distribution::block(0, side - 1, nodes);
    const auto by_rows = mapped(block, 0), by_columns = mapped(block, 1),
               by_thirds = mapped(sets::Distribution::cyclic(0, side - 1, nodes, rows), 0);
    const auto together = [&](const sets::ArrayMapping& to, Index first, const sets::ArrayMapping& from, Index most) {
        const globalview::GmoveSide::Subscript all{true, {0, side - rows, 1}}, moved{true, {first, side - rows, 1}};
        const globalview::GmoveSide left{&to, {moved, all}, {}, 8, 8}, right{&from, {all, all}, {}, 8, 8};
        std::vector<int> same(nodes);
        std::iota(same.begin(), same.end(), 0);
        Index largest = 0, parts = 0;
        std::vector<Index> told;
        for (int me = 0; me < nodes; ++me) {
            const globalview::GmoveNodes executing{nodes, me, same, same, same, same};
            const auto plan = globalview::plan_gmove(left, right, executing, {false, false, most, [](int) { return false; }});
            told.push_back(plan.together);
            for (const globalview::GmovePart& part : plan.incoming) largest = std::max(largest, part.elements), ++parts;
        }
        const bool expected = 2 * parts >= nodes * nodes && largest <= most;
        EXPECT_EQ(told, std::vector<Index>(nodes, expected ? largest : 0)) << parts << " parts of up to " << largest;
        return told.front();
    };
    EXPECT_GT(together(by_columns, 0, by_rows, 100), 0);
    EXPECT_GT(together(by_thirds, 0, by_columns, 100), 0);
    EXPECT_GT(together(by_rows, 1, by_columns, 100), 0);
    EXPECT_EQ(together(by_columns, 0, by_rows, 15), 0);  // too long
    EXPECT_EQ(together(by_rows, 1, by_rows, 1000), 0);   // neighbours only
    EXPECT_EQ(together(by_thirds, 0, by_rows, 1000), 0);
}

// Row after row of one owner: LU and shortest paths send another one in each step.
TEST(Gmove, APlanServesAllIndicesOfAnOwner) {
    constexpr Index rows = 8, columns = 5, nodes = 2;
    const sets::ArrayMapping mapping(sets::TemplateMapping(sets::NodeGrid({nodes}, sets::Order::row_major),
                                                           {sets::Distribution::cyclic(0, rows - 1, nodes, 1)}, {0}),
                                     {0, 0}, {rows - 1, columns - 1}, {{0, 0}, {-1, 0}}, {{}, {}}, sets::Order::row_major);
    const globalview::GmoveSide line{nullptr, {{true, {0, columns, 1}}}, {8}, 8};
    const globalview::GmoveNodes all{nodes, 1, {}, {0, 1}, {}, {0, 1}};
    std::vector<std::ptrdiff_t> begins;
    for (const Index k : {1, 5, 7}) {
        const globalview::GmoveSide row{&mapping, {{false, {k, 1, 1}}, {true, {0, columns, 1}}}, {}, 8, 8};
        EXPECT_EQ(globalview::owner_of_index(row, 0), 1);
        const globalview::GmovePlan plan = globalview::plan_gmove(line, row, all, {false, false, 0, [](int) { return true; }});
        ASSERT_EQ(plan.incoming.size(), 1u);
        ASSERT_EQ(plan.incoming.front().pull.size(), 1u);
        EXPECT_EQ(plan.incoming.front().pull.front().from(), 0);
        begins.push_back(globalview::offset_of_indices(row, {1}));
    }
    EXPECT_EQ(begins, (std::vector<std::ptrdiff_t>{0, 2 * columns * 8, 3 * columns * 8}));
}

}  // namespace
}  // namespace kumihimo::test
