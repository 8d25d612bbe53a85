// Arrays of more bytes than an int can count (make test-long: they take 10 GiB of memory).
#include "program.hpp"
#include "tests/support/long_form.hpp"

namespace kumihimo::test {
namespace {

bool too_large() {
    return !support::long_form() || nodes_in_all() != 2;
}

unsigned char value_of(Index index) {
    return static_cast<unsigned char>((index * 2654435761) >> 16);
}

// Bytes on all nodes.
class Line {
public:
    Line(const char* name, const XMP_Format& format, Index extent) : nodes_(declare_nodes({nodes_in_all()})) {
        const XMP_Bounds bounds = {0, extent - 1};
        const XMP_Align align = {0, 0};
        target_ = declare_template(nodes_, {bounds}, {format});
        array_ =
            XMP_Array_declare(XMP_SITE("align"), name, XMP_ROW_MAJOR, XMP_TYPE_UCHAR, 1, 1, &bounds, target_, &align, nullptr);
    }
    ~Line() {
        XMP_Array_release(&array_);
        XMP_Template_release(&target_);
        XMP_Nodes_release(&nodes_);
    }
    // visit(index, element) for all elements of this node.
    template <typename Visit>
    void for_each_owned(Visit&& visit) const {
        const execution::Array& array = execution::array_of(static_cast<const void*>(array_));
        array.mapping->owned(0, array.coordinate(0)).for_each_run([&](Index first, Index length) {
            auto* const run = reinterpret_cast<unsigned char*>(array.address({first}));
            for (Index i = 0; i < length; ++i) visit(first + i, run[i]);
        });
    }
    XMP_Side all() const {
        static const XMP_Triplet whole = XMP_TRIPLET(XMP_OPEN, XMP_OPEN, 1);
        XMP_Side side{};
        side.text = "all", side.array = array_, side.rank = 1, side.subscripts = &whole;
        return side;
    }

private:
    XMP_Nodes* nodes_;
    XMP_Template* target_;
    XMP_Array* array_;
};

TEST(Large, GmoveOfThreeAndFiveGiB) {
    if (too_large()) GTEST_SKIP() << "a long form, on 2 nodes";
    const auto move = [](Index extent, const XMP_Format& format) {
        const Line from("from", XMP_FORMAT_BLOCK(0, 0), extent), to("to", format, extent);
        from.for_each_owned([](Index index, unsigned char& element) { element = value_of(index); });
        const XMP_Side left = to.all(), right = from.all();
        XMP_Gmove(XMP_SITE("gmove"), &left, &right, nullptr);
        Index wrong = 0;
        to.for_each_owned([&](Index index, unsigned char element) { wrong += element != value_of(index); });
        EXPECT_EQ(wrong, 0) << extent;
    };
    move((Index{3} << 30) + 1, XMP_FORMAT_CYCLIC(0, 100003));
    move((Index{5} << 30) + 7, XMP_FORMAT_BLOCK(0, Index{9} << 29));
}

// A row is more than 2 GiB, and each node needs one of the other.
TEST(Large, ReflectOfMoreThanTwoGiB) {
    if (too_large()) GTEST_SKIP() << "a long form, on 2 nodes";
    constexpr Index columns = (Index{1} << 31) + 5;
    XMP_Nodes* nodes = declare_nodes({nodes_in_all()});
    const XMP_Bounds bounds[] = {{0, 1}, {0, columns - 1}};
    XMP_Template* target = declare_template(nodes, {bounds[0], bounds[1]}, {XMP_FORMAT_BLOCK(0, 0), XMP_FORMAT_NONE});
    const XMP_Align align[] = {{0, 0}, {1, 0}};
    const XMP_Width shadow[] = {{1, 1, XMP_WIDTH_PLAIN}, {0, 0, XMP_WIDTH_PLAIN}};
    XMP_Array* array =
        XMP_Array_declare(XMP_SITE("align"), "rows", XMP_ROW_MAJOR, XMP_TYPE_UCHAR, 1, 2, bounds, target, align, shadow);
    const auto row = [&](Index j) {
        return reinterpret_cast<unsigned char*>(execution::array_of(static_cast<const void*>(array)).address({j, 0}));
    };
    const Index mine = my_node(), other = 1 - mine;
    unsigned char *const own = row(mine), *const shadow_row = row(other);
    for (Index i = 0; i < columns; ++i) own[i] = value_of(mine * columns + i);
    XMP_Reflect(XMP_SITE("reflect"), 1, &array, nullptr, 0, nullptr);
    Index wrong = 0;
    for (Index i = 0; i < columns; ++i) wrong += shadow_row[i] != value_of(other * columns + i);
    EXPECT_EQ(wrong, 0);
    XMP_Array_release(&array);
    XMP_Template_release(&target);
    XMP_Nodes_release(&nodes);
}

TEST(Large, BcastOfMoreThanTwoGiB) {
    if (too_large()) GTEST_SKIP() << "a long form, on 2 nodes";
    constexpr Index bytes = (Index{1} << 31) + 5;
    const std::unique_ptr<unsigned char[]> data(new unsigned char[bytes]());
    if (my_node() == 1)
        for (Index i = 0; i < bytes; ++i) data[static_cast<std::size_t>(i)] = value_of(i);
    XMP_Nodes* nodes = declare_nodes({nodes_in_all()});
    XMP_Bcast(XMP_SITE("bcast"), data.get(), static_cast<std::size_t>(bytes), On(nodes, {XMP_AT(1)}), nullptr, nullptr);
    Index wrong = 0;
    for (Index i = 0; i < bytes; ++i) wrong += data[static_cast<std::size_t>(i)] != value_of(i);
    EXPECT_EQ(wrong, 0);
    XMP_Nodes_release(&nodes);
}

}  // namespace
}  // namespace kumihimo::test
