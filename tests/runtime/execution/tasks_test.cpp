// task and tasks: who executes what, numbering inside, nesting, communicators.
#include "helpers.hpp"
#include "kumihimo/xmp.h"

namespace kumihimo::execution::testing {
namespace {

struct Task {
    XMP_Task task;
    int member;
    explicit Task(const XMP_On* on, int flags = 0)
        : task(XMP_Task_prepare(nullptr, on, flags)), member(XMP_Task_enter(&task)) {}
    Task(const Task&) = delete;
    ~Task() { XMP_Task_leave(&task); }
};

TEST(Task, MembersExecuteAndCountAnew) {
    const Nodes p({size()});
    for (int first = 0; first < size(); first++) {
        const XMP_Range range[] = {XMP_FROM_TO(first, size() - 1, 1)};
        const XMP_On on = {p.p, 1, range};
        const Task task(&on);
        EXPECT_EQ(task.member, rank() >= first);
        if (!task.member) continue;
        EXPECT_EQ(xmp_num_nodes(), size() - first);
        EXPECT_EQ(xmpc_node_num(), rank() - first);
        EXPECT_EQ(xmp_node_num(), rank() - first + 1);
        EXPECT_EQ(xmp_all_num_nodes(), size());
        EXPECT_EQ(xmp_all_node_num(), rank() + 1);
        int members = 0, sum = 0;
        const int one = 1;
        MPI_Comm_size(xmp_get_mpi_comm(), &members);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, xmp_get_mpi_comm());
        EXPECT_EQ(members, size() - first);
        EXPECT_EQ(sum, size() - first);
    }
    EXPECT_EQ(xmp_num_nodes(), size());
}

TEST(Task, ColumnsOfAGridAtOnce) {
    const Index a = size() % 2 == 0 ? 2 : 1, b = size() / a;
    const Nodes p({a, b});
    const XMP_Range column[] = {XMP_ALL, XMP_OWN};
    const XMP_On on = {p.p, 2, column};
    const Task task(&on);
    ASSERT_TRUE(task.member);
    EXPECT_EQ(xmp_num_nodes(), a);
    int sum = 0;
    const int mine = static_cast<int>(p->coordinates[1]);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, xmp_get_mpi_comm());
    EXPECT_EQ(sum, mine * a) << "the nodes of one column only";
}

TEST(Task, Nested) {
    const Nodes p({size()});
    const XMP_Range outer_range[] = {XMP_FROM_TO(0, size() / 2, 1)}, inner_range[] = {XMP_AT(size() / 2)}, all[] = {XMP_ALL};
    const XMP_On outer_on = {p.p, 1, outer_range}, inner_on = {p.p, 1, inner_range}, all_on = {p.p, 1, all};
    const Task outer(&outer_on);
    if (!outer.member) return;
    {
        const Task inner(&inner_on);
        EXPECT_EQ(inner.member, rank() == size() / 2);
        if (inner.member) {
            EXPECT_EQ(xmp_num_nodes(), 1);
        }
    }
    EXPECT_EQ(xmp_num_nodes(), size() / 2 + 1);
    if (size() / 2 + 1 < size()) {
        const NodeSetPointer all_nodes = Context::get().resolve(&all_on);
        EXPECT_FALSE(all_nodes->subset_of(*Context::get().executing()));
    }
}

TEST(Tasks, PreparedTogetherThenEntered) {
    const Nodes p({size()});
    const XMP_Range low[] = {XMP_FROM_TO(0, size() / 2 - 1, 1)}, high[] = {XMP_FROM_TO(size() / 2, size() - 1, 1)};
    const XMP_On on_low = {p.p, 1, low}, on_high = {p.p, 1, high};
    XMP_Task first = XMP_Task_prepare(nullptr, &on_low, 0), second = XMP_Task_prepare(nullptr, &on_high, XMP_TASK_NOCOMM);
    int executed = 0;
    if (XMP_Task_enter(&first)) {
        executed++;
        EXPECT_TRUE(Context::get().may_communicate());
    }
    XMP_Task_leave(&first);
    if (XMP_Task_enter(&second)) {
        executed++;
        EXPECT_FALSE(Context::get().may_communicate());
        const Task inner(nullptr);  // on *
        EXPECT_TRUE(inner.member);
        EXPECT_FALSE(Context::get().may_communicate());
    }
    XMP_Task_leave(&second);
    XMP_Task_leave(&second);  // the cleanup function runs after an early leave as well
    EXPECT_EQ(executed, 1);
    EXPECT_EQ(xmp_num_nodes(), size());
}

}  // namespace
}  // namespace kumihimo::execution::testing
