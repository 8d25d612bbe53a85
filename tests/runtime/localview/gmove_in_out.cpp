// gmove in and out against a serial model: random layouts and sections, of arrays on any nodes, executed by some of them.
#include "tests/runtime/globalview/gmove_sides.hpp"

namespace kumihimo::test {
namespace {

void barrier() {
    XMP_Barrier(XMP_SITE("barrier"), nullptr);
}

// The nodes first to last execute; `near` lies on them, `reached` anywhere. All nodes know what all values are.
struct Round {
    Index first, last;
    bool in, same;
    std::unique_ptr<TestSide> near, other;
    TestSide& reached() const { return other ? *other : *near; }
    bool executes() const { return my_node() >= first && my_node() <= last; }

    explicit Round(Random& random) {
        first = random.between(0, nodes_in_all() - 1);
        last = random.between(first, nodes_in_all() - 1);
        in = random.one_in(2);
        const ElementType& type = random_type(random);
        if (random.one_in(3))
            near = std::make_unique<TestMemory>(random, type, static_cast<int>(random.between(0, 3)));
        else
            near = std::make_unique<TestArray>(random, type, static_cast<int>(random.between(1, 3)), nullptr, first, last);
        same = dynamic_cast<TestArray*>(near.get()) != nullptr && random.one_in(6);
        const ElementType& type_there = random.one_in(4) ? random_type(random) : type;
        if (!same) other = std::make_unique<TestArray>(random, type_there, static_cast<int>(random.between(1, 3)));
        for (TestSide* const side : {near.get(), other.get()})
            if (side != nullptr) side->draw_values(random), side->fill();
    }

    void gmove(Random& random, XMP_Nodes* nodes) {
        const int id = 4;
        const bool later = random.one_in(3);
        TestSide &left = in ? *near : reached(), &right = in ? reached() : *near;
        const Sections sections = random_sections(random, left, right);
        XMP_Task task = XMP_Task_prepare(XMP_SITE("task on p"), On(nodes, {XMP_FROM_TO(first, last, 1)}), 0);
        if (XMP_Task_enter(&task)) {
            call_gmove(in ? XMP_Gmove_in : XMP_Gmove_out, left, right, sections, later ? &id : nullptr);
            if (later) wait_async(id);
            EXPECT_EQ(wrong_after(left, right, sections), 0) << "among those that execute";
        }
        XMP_Task_leave(&task);
        barrier();
        if (!executes() && (dynamic_cast<TestArray*>(&left) != nullptr)) assign(left, right, sections);
        EXPECT_EQ(left.wrong() + right.wrong(), 0) << "everywhere";
    }

private:
    // What this node has of the sides is as it must be when the gmove returns here, without further synchronisation.
    static int wrong_after(TestSide& left, TestSide& right, const Sections& sections) {
        assign(left, right, sections);
        return left.wrong() + (&left == &right ? 0 : right.wrong());
    }
};

TEST(GmoveInOut, RandomLayoutsAndNodeSets) {
    Random random(41);
    XMP_Nodes* nodes = declare_nodes({nodes_in_all()});
    for (int number = 0; number < rounds(40) && !::testing::Test::HasFailure(); ++number) {
        SCOPED_TRACE("round " + std::to_string(number));
        Round round(random);
        barrier();
        for (int times = 0; times < 3; ++times) {
            round.gmove(random, nodes);
            barrier();  // those that execute next may write what others still look at
        }
    }
    XMP_Nodes_release(&nodes);
}

}  // namespace
}  // namespace kumihimo::test
