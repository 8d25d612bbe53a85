// bcast, barrier, reductions on parts of the nodes, and the async clause.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

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
    for (const std::size_t count : {1u, 14u, 15u, 512u, 513u, 4096u, 4097u, 40000u})
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

// Every second column of some rows of memory, a[1:2][0:5:2], and an array of which each row of nodes holds a part.
struct Rows {
    static constexpr Index rows = 4, columns = 9;
    std::vector<int> memory = numbers(rows * columns, 0);
    const XMP_Index extents[2] = {rows, columns}, strides[2] = {columns * sizeof(int), sizeof(int)};
    const XMP_Triplet subscripts[2] = {XMP_TRIPLET(1, 2, 1), XMP_TRIPLET(0, 5, 2)};
    XMP_Side side{"a[1:2][0:5:2]", nullptr, memory.data(), XMP_TYPE_INT, sizeof(int), 2, subscripts, extents, strides, 0};

    static bool chosen(Index row, Index column) { return (row == 1 || row == 2) && column % 2 == 0; }
    template <typename Value>
    int wrong(Value&& value) const {  // value(place) of the chosen ones; the others are what they were
        int count = 0;
        for (Index place = 0; place < rows * columns; ++place) {
            const int now = memory[static_cast<std::size_t>(place)], old = static_cast<int>(place) + 1000 * my_node();
            count += now != (chosen(place / columns, place % columns) ? value(static_cast<int>(place)) : old);
        }
        return count;
    }
    void reset() { memory = numbers(rows * columns, 1000 * my_node()), side.address = memory.data(); }
};

TEST(Sections, OfMemoryInBcastAndReduction) {
    Rows rows;
    const int id = 8, n = nodes_in_all(), last = n - 1;
    XMP_Nodes* nodes = declare_nodes({n});
    for (const bool later : {false, true}) {
        const int* const async = later ? &id : nullptr;
        rows.reset();
        XMP_Bcast_section(XMP_SITE("bcast"), &rows.side, On(nodes, {XMP_AT(last)}), nullptr, async);
        if (later) XMP_Wait_async(XMP_SITE("wait_async"), 1, &id, nullptr);
        EXPECT_EQ(rows.wrong([&](int place) { return place + 1000 * last; }), 0);
        rows.reset();
        XMP_Reduction_section(XMP_SITE("reduction"), nullptr, XMP_SUM, &rows.side, async);
        if (later)
            while (!xmp_test_async(id)) continue;
        EXPECT_EQ(rows.wrong([&](int place) { return n * place + 1000 * (n * (n - 1) / 2); }), 0);
    }
    XMP_Nodes_release(&nodes);
}

// w[j] aligned with t[*][j] on p[2][n/2]: the nodes of a column hold the same elements, those of a row do not.
TEST(Sections, OfAReplicatedArrayAmongItsReplicas) {
    const Grid grid;
    const Index extent = 5 * grid.columns;
    XMP_Template* target =
        declare_template(grid.nodes, {{0, grid.rows - 1}, {0, extent - 1}}, {XMP_FORMAT_BLOCK(0, 0), XMP_FORMAT_CYCLIC(1, 2)});
    const XMP_Bounds bounds = {0, extent - 1};
    const XMP_Align align = {1, 0};
    XMP_Array* w = XMP_Array_declare(XMP_SITE("align w"), "w", XMP_ROW_MAJOR, XMP_TYPE_LONG, sizeof(long), 1, &bounds, target,
                                     &align, nullptr);
    std::vector<Index> mine;
    for (Index j = 0; j < extent; ++j)
        if (j / 2 % grid.columns == grid.column()) mine.push_back(j);
    const auto value = [&](Index j, Index row) { return static_cast<long>(100 * j + row); };
    auto* const element = static_cast<long*>(w->base);
    for (std::size_t k = 0; k < mine.size(); ++k) element[k] = value(mine[k], grid.row());
    const XMP_Triplet part = XMP_TRIPLET(1, extent - 1, 1);  // all but the first
    const XMP_Side side{"w[1:]", w, nullptr, 0, 0, 1, &part, nullptr, nullptr, 0};
    XMP_Reduction_section(XMP_SITE("reduction"), On(grid.nodes, {XMP_ALL, XMP_OWN}), XMP_SUM, &side, nullptr);
    for (std::size_t k = 0; k < mine.size(); ++k) {
        long sum = mine[k] == 0 ? value(0, grid.row()) : 0;
        for (Index row = 0; mine[k] > 0 && row < grid.rows; ++row) sum += value(mine[k], row);
        EXPECT_EQ(element[k], sum) << "element " << mine[k];
    }
    for (std::size_t k = 0; k < mine.size(); ++k) element[k] = value(mine[k], grid.row());
    XMP_Bcast_section(XMP_SITE("bcast"), &side, On(grid.nodes, {XMP_AT(grid.rows - 1), XMP_OWN}),
                      On(grid.nodes, {XMP_ALL, XMP_OWN}), nullptr);
    for (std::size_t k = 0; k < mine.size(); ++k)
        EXPECT_EQ(element[k], value(mine[k], mine[k] == 0 ? grid.row() : grid.rows - 1)) << "element " << mine[k];
    XMP_Array_release(&w);
    XMP_Template_release(&target);
}

TEST(Barrier, NobodyLeavesBeforeAllHaveEntered) {
    char name[] = "/tmp/kumihimo-barrier-XXXXXX";  // memory that nodes on several hosts share, too, where these are hosts.py's
    if (my_node() == 0) close(mkstemp(name));
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    const int file = open(name, O_RDWR);
    ASSERT_EQ(ftruncate(file, sizeof(int)), 0);
    void* const memory = mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ASSERT_NE(memory, MAP_FAILED);
    std::atomic_ref<int> entered(*static_cast<int*>(memory));
    MPI_Barrier(MPI_COMM_WORLD);
    int wrong = 0;
    for (int round = 1; round <= rounds(50); ++round) {
        entered.fetch_add(1);
        XMP_Barrier(XMP_SITE("barrier"), nullptr);
        wrong += entered.load() < round * nodes_in_all();
    }
    EXPECT_EQ(wrong, 0);
    munmap(memory, sizeof(int));
    close(file);
    if (my_node() == 0) unlink(name);
}

// Every pair of kinds of small collectives after each other: flags and slots are shared between them.
TEST(Collectives, MixedInARow) {
    Random random(30);
    XMP_Nodes* nodes = declare_nodes({nodes_in_all()});
    int wrong = 0;
    for (int round = 0; round < rounds(400); ++round) {
        const Index kind = random.between(0, 3);
        const auto count = static_cast<std::size_t>(random.one_in(2) ? random.between(1, 14) : random.between(15, 5000));
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
