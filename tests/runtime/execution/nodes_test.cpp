// nodes in all forms, and references to them, against enumeration of coordinates.
#include "helpers.hpp"

namespace kumihimo::execution::testing {
namespace {

// Coordinates of linear number `number` in a grid: the definition of element order.
std::vector<Index> coordinates(const std::vector<Index>& extents, Index number, bool last_fastest) {
    std::vector<Index> result(extents.size());
    for (std::size_t step = 0; step < extents.size(); step++) {
        const std::size_t d = last_fastest ? extents.size() - 1 - step : step;
        result[d] = number % extents[d];
        number /= extents[d];
    }
    return result;
}

// Two factors of the number of nodes.
std::pair<Index, Index> factors() {
    for (Index a = 2; a < size(); a++)
        if (size() % a == 0) return {a, size() / a};
    return {1, size()};
}

TEST(NodesDirective, EntireInBothOrders) {
    const auto [a, b] = factors();
    for (const int order : {XMP_ROW_MAJOR, XMP_COLUMN_MAJOR}) {
        const Nodes p({a, b}, order);
        EXPECT_EQ(p->set, Context::get().entire());
        EXPECT_EQ(p->coordinates, coordinates({a, b}, rank(), order == XMP_ROW_MAJOR));
    }
}

TEST(NodesDirective, RemainingSize) {
    const auto [a, b] = factors();
    const Nodes p({XMP_REMAINING, b});
    EXPECT_EQ(p->grid.extents(), (std::vector<Index>{a, b}));
    const Nodes q({XMP_REMAINING});
    EXPECT_EQ(q->grid.extents(), (std::vector<Index>{size()}));
}

TEST(NodesDirective, SizesThatDoNotFit) {
    const std::string number = std::to_string(size() + 1);
    EXPECT_EQ(message_of([&] { Nodes p({size() + 1}); }), "node array p[" + number + "] does not fit: it has " + number +
                                                              " nodes, the program has " + std::to_string(size()));
    EXPECT_NE(message_of([&] {
                  Nodes p({XMP_REMAINING, size() + 1});
              }).find("cannot be divided by " + number),
              std::string::npos);
    EXPECT_NE(message_of([&] { Nodes p({0}); }), "");
}

TEST(NodesDirective, SeveralRemainingSizes) {
    const Nodes p({XMP_REMAINING, XMP_REMAINING});
    const auto extents = p->grid.extents();
    EXPECT_EQ(extents[0] * extents[1], size());
    EXPECT_GE(extents[0], extents[1]);
    for (Index larger = extents[1] + 1; larger * larger <= size(); larger++)
        EXPECT_NE(size() % larger, 0) << "not square enough";
    const auto [a, b] = factors();
    setenv("XMP_NODE_SIZE1", std::to_string(b).c_str(), 1);
    const Nodes q({XMP_REMAINING, XMP_REMAINING, 1}, XMP_COLUMN_MAJOR);
    EXPECT_EQ(q->grid.extents(), (std::vector<Index>{a, b, 1}));
    const Nodes alone({1, XMP_REMAINING});  // a single `*` is what remains, whatever the environment says
    EXPECT_EQ(alone->grid.extents(), (std::vector<Index>{1, size()}));
    setenv("XMP_NODE_SIZE1", "2x", 1);
    EXPECT_NE(message_of([&] { Nodes r({XMP_REMAINING, XMP_REMAINING}); }).find("XMP_NODE_SIZE1 is `2x`"), std::string::npos);
    unsetenv("XMP_NODE_SIZE1");
}

TEST(NodesDirective, OwnPartOfAnother) {
    const auto [a, b] = factors();
    const Nodes p({a, b});
    const XMP_Range range[] = {XMP_ALL, XMP_OWN};
    const XMP_On on = {p.p, 2, range};
    const Nodes column({XMP_REMAINING}, XMP_ROW_MAJOR, XMP_NODES_PART, &on);
    std::vector<int> expected;
    for (Index k = 0; k < a; k++) expected.push_back(static_cast<int>(k * b + p->coordinates[1]));
    EXPECT_EQ(column->set->world_ranks(), expected);
    int first[2], last[2], step[2];
    xmp_desc_t whole = nullptr;
    ASSERT_EQ(xmp_nodes_equiv(column.p, &whole, first, last, step), 0);
    EXPECT_EQ(whole, p.p);
    EXPECT_EQ(step[0], 0);  // the `*`; dimensions in Fortran's order
    EXPECT_EQ(std::tuple(first[1], last[1], step[1]), std::tuple(1, static_cast<int>(a), 1));
}

TEST(NodesDirective, PartOfAnother) {
    const Nodes p({size()});
    for (int first = 0; first < size(); first++) {
        for (int step = 1; step <= 3; step++) {
            std::vector<int> expected;
            for (int k = first; k < size(); k += step) expected.push_back(k);
            const XMP_Range range[] = {XMP_FROM_TO(first, size() - 1, step)};
            const XMP_On on = {p.p, 1, range};
            const Nodes r({XMP_REMAINING}, XMP_ROW_MAJOR, XMP_NODES_PART, &on);
            EXPECT_EQ(r->set->world_ranks(), expected);
            const bool mine = std::find(expected.begin(), expected.end(), rank()) != expected.end();
            EXPECT_EQ(r->member(), mine);
            if (mine) {
                EXPECT_EQ(expected[r->coordinates[0]], rank());
                int members = 0, number = 0;
                MPI_Comm_size(r->set->communicator(), &members);
                MPI_Comm_rank(r->set->communicator(), &number);
                EXPECT_EQ(members, static_cast<int>(expected.size()));
                EXPECT_EQ(number, r->coordinates[0]);
            }
        }
    }
}

TEST(NodesDirective, PartInDescendingOrder) {
    const Nodes p({size()});
    const XMP_Range range[] = {XMP_FROM_TO(size() - 1, 0, -1)};
    const XMP_On on = {p.p, 1, range};
    const Nodes r({size()}, XMP_ROW_MAJOR, XMP_NODES_PART, &on);
    EXPECT_EQ(r->coordinates[0], size() - 1 - rank());
    int number = -1;
    MPI_Comm_rank(r->set->communicator(), &number);
    EXPECT_EQ(number, size() - 1 - rank());
}

TEST(NodesDirective, ExecutingSet) {
    const Nodes p({size()});
    const XMP_Range half[] = {XMP_FROM_TO(0, (size() - 1) / 2, 1)};
    const XMP_On on = {p.p, 1, half};
    XMP_Task task = XMP_Task_prepare(nullptr, &on, 0);
    if (XMP_Task_enter(&task)) {
        const Nodes q({(size() + 1) / 2}, XMP_ROW_MAJOR, XMP_NODES_EXECUTING);
        EXPECT_EQ(q->coordinates[0], rank());
        const Nodes all({size()});  // the plain form is on all nodes even here
        EXPECT_EQ(all->set->size(), size());
    }
    XMP_Task_leave(&task);
}

// ---- references ----

bool in(const XMP_Range& range, Index coordinate, Index own) {
    if (range.kind == XMP_SUBSCRIPT_ALL) return true;
    if (range.kind == XMP_SUBSCRIPT_OWN) return coordinate == own;
    for (Index k = range.first; range.step > 0 ? k <= range.last : k >= range.last; k += range.step)
        if (k == coordinate) return true;
    return false;
}

TEST(NodesReference, AllKindsOfSubscripts) {
    const auto [a, b] = factors();
    for (const int order : {XMP_ROW_MAJOR, XMP_COLUMN_MAJOR}) {
        const Nodes p({a, b}, order);
        const std::vector<XMP_Range> first = {XMP_ALL, XMP_OWN, XMP_AT(a - 1), XMP_FROM_TO(0, a - 1, 2), XMP_FROM_TO(1, 0, 1)};
        const std::vector<XMP_Range> second = {XMP_ALL, XMP_OWN, XMP_AT(0), XMP_FROM_TO(b / 2, b - 1, 1),
                                               XMP_FROM_TO(0, b - 1, 3)};
        for (const XMP_Range& x : first) {
            for (const XMP_Range& y : second) {
                const XMP_Range subscripts[] = {x, y};
                const XMP_On on = {p.p, 2, subscripts};
                std::vector<int> expected;  // ascending numbers are element order
                for (int number = 0; number < size(); number++) {
                    const auto at = coordinates({a, b}, number, order == XMP_ROW_MAJOR);
                    if (in(x, at[0], p->coordinates[0]) && in(y, at[1], p->coordinates[1])) expected.push_back(number);
                }
                const NodeSetPointer set = Context::get().resolve(&on);
                EXPECT_EQ(set->world_ranks(), expected);
                EXPECT_EQ(set, Context::get().resolve(&on)) << "equal sets are one object";
                for (int r = 0; r < size(); r++) {
                    const auto found = std::find(expected.begin(), expected.end(), r);
                    EXPECT_EQ(set->number_of(r), found == expected.end() ? -1 : found - expected.begin());
                }
            }
        }
    }
}

TEST(NodesReference, OwnSubscriptOfANodeOutside) {
    const Nodes p({size()});
    const XMP_Range zero[] = {XMP_AT(0)};
    const XMP_On first = {p.p, 1, zero};
    const Nodes r({1}, XMP_ROW_MAJOR, XMP_NODES_PART, &first);
    const XMP_Range own[] = {XMP_OWN};
    const XMP_On on = {r.p, 1, own};
    EXPECT_EQ(Context::get().resolve(&on)->size(), rank() == 0 ? 1 : 0);
}

TEST(NodesReference, Mistakes) {
    const Nodes p({size()});
    const XMP_Range outside[] = {XMP_FROM_TO(0, size(), 1)};
    const XMP_On beyond = {p.p, 1, outside};
    EXPECT_EQ(
        message_of([&] { Context::get().resolve(&beyond); }),
        "subscript " + std::to_string(size()) + " of dimension 1 of node array p is outside 0:" + std::to_string(size() - 1));
    const XMP_Range two[] = {XMP_ALL, XMP_ALL};
    const XMP_On rank_two = {p.p, 2, two};
    EXPECT_NE(message_of([&] { Context::get().resolve(&rank_two); }), "");
    int nothing = 0;
    const XMP_On no_object = {&nothing, 0, nullptr};
    EXPECT_NE(message_of([&] { Context::get().resolve(&no_object); }), "");
}

}  // namespace
}  // namespace kumihimo::execution::testing
