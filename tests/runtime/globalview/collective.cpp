// bcast, barrier, reductions on parts of the nodes, and the async clause.
#include <atomic>

#include "program.hpp"

namespace kumihimo::test {
namespace {

class Grid {  // p[2][n/2] where that is possible, else p[1][n]
public:
    Grid() : rows(nodes_in_all() % 2 == 0 ? 2 : 1), columns(nodes_in_all() / rows), nodes(declare_nodes({rows, columns})) {}
    ~Grid() { XMP_Nodes_release(&nodes); }
    Index row() const { return nodes->coordinates[0]; }
    Index column() const { return nodes->coordinates[1]; }
    Index rows, columns;
    XMP_Nodes* nodes;
};

std::vector<int> numbers(std::size_t count, int start) {
    std::vector<int> list(count);
    for (std::size_t i = 0; i < count; ++i) list[i] = start + static_cast<int>(i);
    return list;
}

TEST(Bcast, FromTheFirstNodeFromAnyNodeAndOfAnySize) {
    XMP_Nodes* nodes = declare_nodes({nodes_in_all()});
    for (const std::size_t count : {1u, 14u, 15u, 500u, 512u, 513u, 40000u})
        for (int source = -1; source < nodes_in_all(); source += 1 + nodes_in_all() / 4) {
            std::vector<int> value = numbers(count, 1000 * my_node());
            const XMP_Range at = XMP_AT(source);
            const XMP_On from = {nodes, 1, &at};
            XMP_Bcast(XMP_SITE("bcast"), value.data(), count * sizeof(int), source < 0 ? nullptr : &from, nullptr, nullptr);
            EXPECT_EQ(value, numbers(count, 1000 * std::max(source, 0)));
        }
    XMP_Nodes_release(&nodes);
}

TEST(Bcast, InEachOfSeveralSetsFromAnElementOfATemplate) {
    const Grid grid;
    XMP_Template* target = declare_template(grid.nodes, {{0, grid.rows - 1}, {0, grid.columns - 1}},
                                            {XMP_FORMAT_BLOCK(0, 0), XMP_FORMAT_CYCLIC(1, 1)});
    int value = my_node();
    XMP_Bcast(XMP_SITE("bcast"), &value, sizeof value, On(target, {XMP_OWN, XMP_AT(grid.columns - 1)}),
              On(target, {XMP_OWN, XMP_ALL}), nullptr);
    EXPECT_EQ(value, static_cast<int>((grid.row() + 1) * grid.columns - 1));
    XMP_Template_release(&target);
}

TEST(Reduction, InEachOfSeveralSetsAndOnAPart) {
    const Grid grid;
    long sum = my_node();
    XMP_Reduction(XMP_SITE("reduction"), On(grid.nodes, {XMP_ALL, XMP_OWN}), XMP_SUM, XMP_TYPE_LONG, 1, &sum, nullptr);
    long expected = 0;
    for (Index row = 0; row < grid.rows; ++row) expected += row * grid.columns + grid.column();
    EXPECT_EQ(sum, expected);

    long part = my_node();
    XMP_Reduction(XMP_SITE("reduction"), On(grid.nodes, {XMP_AT(grid.rows - 1), XMP_ALL}), XMP_MAX, XMP_TYPE_LONG, 1, &part,
                  nullptr);
    EXPECT_EQ(part, grid.row() == grid.rows - 1 ? nodes_in_all() - 1 : my_node());
}

TEST(Barrier, NobodyLeavesBeforeAllHaveEntered) {
    MPI_Comm here;
    MPI_Comm_dup(MPI_COMM_WORLD, &here);
    int* counter = nullptr;
    MPI_Win window;
    MPI_Win_allocate_shared(my_node() == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, here, &counter, &window);
    MPI_Aint size;
    int unit;
    MPI_Win_shared_query(window, 0, &size, &unit, &counter);
    std::atomic_ref<int> entered(*counter);
    if (my_node() == 0) entered = 0;
    MPI_Barrier(here);
    int wrong = 0;
    for (int round = 1; round <= rounds(50); ++round) {
        entered.fetch_add(1);
        XMP_Barrier(XMP_SITE("barrier"), nullptr);
        wrong += entered.load() < round * nodes_in_all();
    }
    EXPECT_EQ(wrong, 0);
    MPI_Barrier(here);
    MPI_Win_free(&window);
    MPI_Comm_free(&here);
}

// Every pair of kinds of small collectives after each other: flags and slots are shared between them.
TEST(Collectives, MixedInARow) {
    Random random(30);
    XMP_Nodes* nodes = declare_nodes({nodes_in_all()});
    int wrong = 0;
    for (int round = 0; round < rounds(400); ++round) {
        const Index kind = random.between(0, 3);
        const auto count = static_cast<std::size_t>(random.one_in(2) ? random.between(1, 14) : random.between(15, 512));
        const Index source = random.between(0, nodes_in_all() - 1);
        if (kind == 0) {
            XMP_Barrier(XMP_SITE("barrier"), nullptr);
        } else if (kind == 1) {
            std::vector<int> sum = numbers(count, my_node() + round);
            XMP_Reduction(XMP_SITE("reduction"), nullptr, XMP_SUM, XMP_TYPE_INT, count, sum.data(), nullptr);
            const int n = nodes_in_all();
            for (std::size_t i = 0; i < count; ++i) wrong += sum[i] != n * (round + static_cast<int>(i)) + n * (n - 1) / 2;
        } else {
            std::vector<int> value = numbers(count, 10000 * round + my_node());
            XMP_Bcast(XMP_SITE("bcast"), value.data(), count * sizeof(int), On(nodes, {XMP_AT(source)}), nullptr, nullptr);
            wrong += value != numbers(count, 10000 * round + static_cast<int>(source));
        }
    }
    EXPECT_EQ(wrong, 0);
    XMP_Nodes_release(&nodes);
}

TEST(Async, ManyOperationsUnderOneIdAndUnknownIds) {
    int value = my_node() == 0 ? 42 : 0;
    long sum = my_node(), most = my_node();
    const int one = 1, two = 2, unknown = 99;
    XMP_Bcast(XMP_SITE("bcast"), &value, sizeof value, nullptr, nullptr, &one);
    XMP_Reduction(XMP_SITE("reduction"), nullptr, XMP_SUM, XMP_TYPE_LONG, 1, &sum, &one);
    XMP_Reduction(XMP_SITE("reduction"), nullptr, XMP_MAX, XMP_TYPE_LONG, 1, &most, &two);
    const int ids[] = {unknown, one};
    XMP_Wait_async(XMP_SITE("wait_async"), 2, ids, nullptr);
    EXPECT_EQ(value, 42);
    EXPECT_EQ(sum, nodes_in_all() * (nodes_in_all() - 1) / 2);
    EXPECT_EQ(xmp_test_async(unknown), 1);
    EXPECT_EQ(xmp_test_async(one), 1);
    while (!xmp_test_async(two)) continue;
    EXPECT_EQ(most, nodes_in_all() - 1);
}

// The table belongs to the executing set: inside a task an id of the outer set is unknown.
TEST(Async, IdsBelongToTheirNodeSet) {
    XMP_Nodes* nodes = declare_nodes({nodes_in_all()});
    long outer = 1, inner = 1;
    const int id = 3;
    XMP_Reduction(XMP_SITE("reduction"), nullptr, XMP_SUM, XMP_TYPE_LONG, 1, &outer, &id);
    XMP_Task task = XMP_Task_prepare(XMP_SITE("task"), On(nodes, {XMP_AT(0)}), 0);
    if (XMP_Task_enter(&task)) {
        XMP_Reduction(XMP_SITE("reduction"), nullptr, XMP_SUM, XMP_TYPE_LONG, 1, &inner, &id);
        XMP_Wait_async(XMP_SITE("wait_async"), 1, &id, nullptr);
        EXPECT_EQ(inner, 1);
    }
    XMP_Task_leave(&task);
    XMP_Wait_async(XMP_SITE("wait_async"), 1, &id, nullptr);
    EXPECT_EQ(outer, nodes_in_all());

    // wait_async may repeat the on clause of the operation.
    long part = 1;
    const Index last = nodes_in_all() - 1;
    XMP_Reduction(XMP_SITE("reduction"), On(nodes, {XMP_FROM_TO(0, last, 1)}), XMP_SUM, XMP_TYPE_LONG, 1, &part, &id);
    XMP_Wait_async(XMP_SITE("wait_async"), 1, &id, On(nodes, {XMP_FROM_TO(0, last, 1)}));
    EXPECT_EQ(part, nodes_in_all());
    XMP_Nodes_release(&nodes);
}

}  // namespace
}  // namespace kumihimo::test
