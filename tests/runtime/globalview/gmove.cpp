// gmove against a serial model: random layouts, sections, types and node sets; values are computed from the numbers of
// elements.
#include "gmove_sides.hpp"
#include "tests/support/long_form.hpp"

namespace kumihimo::test {
namespace {

// ---- assignments ----

struct Sections {
    std::vector<XMP_Triplet> left, right;
};

XMP_Triplet random_section(Random& random, const Dimension& dimension, Index count) {
    if (count == dimension.extent() && random.one_in(2)) return XMP_TRIPLET(XMP_OPEN, XMP_OPEN, 1);
    const Index most = count > 1 ? (dimension.extent() - 1) / (count - 1) : 3;
    const Index step = random.between(1, most), span = count > 0 ? (count - 1) * step : 0;
    const Index first = dimension.lower + random.between(0, dimension.extent() - 1 - span);
    return random.one_in(3) ? XMP_Triplet{1, first + span, count, -step} : XMP_Triplet{1, first, count, step};
}

// Which dimensions are sections: `count` of them, in order.
std::vector<bool> choose_sections(Random& random, int rank, int count) {
    std::vector<bool> chosen(static_cast<std::size_t>(rank), false);
    for (int k = 0; k < count;) {
        const auto d = static_cast<std::size_t>(random.between(0, rank - 1));
        if (chosen[d]) continue;
        chosen[d] = true;
        ++k;
    }
    return chosen;
}

Sections random_sections(Random& random, const TestSide& left, const TestSide& right) {
    const auto count = static_cast<int>(random.one_in(4) ? random.between(0, std::min(left.rank(), right.rank()))
                                                         : std::min(left.rank(), right.rank()));
    const bool spread = count > 0 && random.one_in(6);  // one element goes to all of the left side's
    const std::vector<bool> to = choose_sections(random, left.rank(), count);
    const std::vector<bool> from = choose_sections(random, right.rank(), spread ? 0 : count);
    Sections sections;
    for (int d = 0; d < left.rank(); ++d)
        sections.left.push_back(XMP_INDEX(random.between(left.dimension(d).lower, left.dimension(d).upper)));
    for (int d = 0; d < right.rank(); ++d)
        sections.right.push_back(XMP_INDEX(random.between(right.dimension(d).lower, right.dimension(d).upper)));
    for (std::size_t d = 0, e = 0; d < to.size(); ++d) {
        if (!to[d]) continue;
        while (!spread && !from[e]) ++e;
        const Dimension& mine = left.dimension(static_cast<int>(d));
        Index most = mine.extent();
        if (!spread) most = std::min(most, right.dimension(static_cast<int>(e)).extent());
        const Index length = random.one_in(2) ? most : random.between(random.one_in(5) ? 0 : 1, most);
        sections.left[d] = random_section(random, mine, length);
        if (spread) continue;
        sections.right[e] = random_section(random, right.dimension(static_cast<int>(e)), length);
        ++e;
    }
    return sections;
}

Index length_of(const XMP_Triplet& triplet, const Dimension& dimension) {
    return triplet.section == 0 ? 1 : triplet.length == XMP_OPEN ? dimension.extent() : triplet.length;
}

// Index of each dimension for each position, the first dimension slowest.
std::vector<std::vector<Index>> elements(const TestSide& side, const std::vector<XMP_Triplet>& triplets) {
    std::vector<std::vector<Index>> list(1);
    for (std::size_t d = 0; d < triplets.size(); ++d) {
        const Dimension& dimension = side.dimension(static_cast<int>(d));
        const Index first = triplets[d].first == XMP_OPEN ? dimension.lower : triplets[d].first;
        std::vector<std::vector<Index>> longer;
        for (const auto& indices : list)
            for (Index k = 0; k < length_of(triplets[d], dimension); ++k) {
                longer.push_back(indices);
                longer.back().push_back(first + k * triplets[d].step);
            }
        list = std::move(longer);
    }
    return list;
}

void assign(TestSide& left, TestSide& right, const Sections& sections) {
    const auto to = elements(left, sections.left), from = elements(right, sections.right);
    std::vector<int> read;
    for (const auto& indices : from) read.push_back(right.value(indices));
    for (std::size_t k = 0; k < to.size(); ++k) left.value(to[k]) = read[read.size() == 1 ? 0 : k];
}

// async: null, or the id of a gmove that wait_async ends.
void gmove(TestSide& left, TestSide& right, const Sections& sections, const int* async) {
    XMP_Side to{}, from{};
    to.text = "left", from.text = "right";
    to.rank = left.rank(), from.rank = right.rank();
    to.subscripts = sections.left.data(), from.subscripts = sections.right.data();
    left.describe(to);
    right.describe(from);
    XMP_Gmove(XMP_SITE("gmove"), &to, &from, async);
}

void wait_async(int id) {
    XMP_Wait_async(XMP_SITE("wait_async"), 1, &id, nullptr);
}

std::unique_ptr<TestSide> random_side(Random& random, const ElementType& element, bool scalars) {
    if (random.one_in(4))
        return std::make_unique<TestMemory>(random, element, static_cast<int>(random.between(scalars ? 0 : 1, 3)));
    return std::make_unique<TestArray>(random, element, static_cast<int>(random.between(1, 3)));
}

// Both sides, a few assignments between them, and the memory of both afterwards.
void try_sides(Random& random, int round) {
    const bool structures = random.one_in(6), convert = !structures && random.one_in(4);
    const ElementType& type = structures ? structure : random_type(random);
    const std::unique_ptr<TestSide> left = random_side(random, type, true);
    std::unique_ptr<TestSide> other;
    if (!random.one_in(5)) other = random_side(random, convert ? random_type(random) : type, true);
    TestSide& right = other ? *other : *left;
    left->draw_values(random);
    if (other) other->draw_values(random);
    left->fill();
    if (other) other->fill();
    for (int times = 0; times < 3; ++times) {
        const Sections sections = random_sections(random, *left, right);
        for (int again = 0; again < (random.one_in(3) ? 2 : 1); ++again) {  // the second time with a known plan
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

// KUMIHIMO_TEST_LONG=1: twenty times as many.
int many(int on_few_nodes) {
    return rounds(on_few_nodes) * (support::long_form() ? 20 : 1);
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
            left[k] = random_side(random, arithmetic[2], true);
            right[k] = random_side(random, arithmetic[2], true);
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

}  // namespace
}  // namespace kumihimo::test
