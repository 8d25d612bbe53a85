// Global arrays as arguments: the caller's own descriptor for the same mapping, a remembered view for another.
#include "helpers.hpp"

namespace kumihimo::execution::testing {
namespace {

struct Argument {
    XMP_Array* a;
    Argument(XMP_Template* target, std::vector<XMP_Bounds> bounds, std::vector<XMP_Align> align, void* base,
             const XMP_Width* shadow = nullptr)
        : a(argument_array({"dummy", XMP_ROW_MAJOR, XMP_TYPE_DOUBLE, sizeof(double), static_cast<int>(align.size()),
                            bounds.data(), target, align.data(), shadow},
                           base)) {}
    Argument(const Argument&) = delete;
    ~Argument() { XMP_Array_release(&a); }
};

TEST(Argument, SameMappingIsTheCallersDescriptor) {
    const Nodes p({size()});
    const Template t({{0, 99}}, p, {XMP_FORMAT_BLOCK(0, 0)});
    const GlobalArray a(t, {{0, 99}}, {{0, 0}});
    {
        const Argument same(t, {{0, 99}}, {{0, 0}}, a->base);
        EXPECT_EQ(same.a, a.a);
        // The callee's own template and nodes, of the same content.
        const Nodes q({size()});
        const Template s({{0, 99}}, q, {XMP_FORMAT_BLOCK(0, 0)});
        const Argument equal(s, {{0, 99}}, {{0, 0}}, a->base);
        EXPECT_EQ(equal.a, a.a);
    }
    EXPECT_TRUE(is_object(a.a)) << "the end of the callee releases nothing of the caller's";
    EXPECT_NE(a->base, nullptr);
}

TEST(Argument, OtherMappingIsAViewOfTheSameMemory) {
    const Nodes p({size()});
    const Template t({{0, 4 * size() - 1}}, p, {XMP_FORMAT_BLOCK(0, 0)});
    const GlobalArray a(t, {{0, 4 * size() - 1}}, {{0, 0}});
    XMP_Array* first = nullptr;
    for (int call = 0; call < 3; call++) {
        const Template s({{0, 4 * size() - 1}}, p, {XMP_FORMAT_CYCLIC(0, 0)});
        const Argument view(s, {{0, 4 * size() - 1}}, {{0, 0}}, a->base);
        if (call == 0) first = view.a;
        EXPECT_EQ(view.a, first) << "made once";
        EXPECT_NE(view.a, a.a);
        EXPECT_EQ(view.a->base, a->base);
        EXPECT_EQ(view.a->dimension[0].block, 1);
        EXPECT_EQ(static_cast<Array*>(view.a)->target, s.t);
        for (int peer = 0; peer < size(); peer++) EXPECT_EQ(static_cast<Array*>(view.a)->peer_base(peer), a->peer_base(peer));
    }
    const Template other({{0, 4 * size() - 1}}, p, {XMP_FORMAT_CYCLIC(0, 4)});
    const Argument view(other, {{0, 4 * size() - 1}}, {{0, 0}}, a->base);
    EXPECT_NE(view.a, first);
}

TEST(Argument, EveryDifferenceCounts) {
    const Nodes p({size()});
    const Template t({{0, 8 * size() - 1}}, p, {XMP_FORMAT_BLOCK(0, 0)});
    const XMP_Width shadow[] = {{1, 0, XMP_WIDTH_PLAIN}};
    const GlobalArray a(t, {{0, 8 * size() - 1}}, {{0, 0}}, {{1, 1, XMP_WIDTH_PLAIN}});
    const Argument narrower(t, {{0, 8 * size() - 1}}, {{0, 0}}, a->base, shadow);
    EXPECT_NE(narrower.a, a.a);
    const Argument shorter(t, {{0, 8 * size() - 2}}, {{0, 0}}, a->base);
    EXPECT_NE(shorter.a, a.a);
    const Argument shifted(t, {{1, 8 * size() - 1}}, {{0, 0}}, a->base);
    EXPECT_NE(shifted.a, a.a);
}

TEST(Argument, LargerThanWhatIsPassed) {
    const Nodes p({size()});
    const Template t({{0, 4 * size() - 1}}, p, {XMP_FORMAT_BLOCK(0, 0)}),
        larger({{0, 5 * size() - 1}}, p, {XMP_FORMAT_BLOCK(0, 0)});
    const GlobalArray a(t, {{0, 4 * size() - 1}}, {{0, 0}});
    EXPECT_NE(message_of([&] {
                  Argument view(larger, {{0, 5 * size() - 1}}, {{0, 0}}, a->base);
              }).find("array a is passed for argument dummy, which needs 40 bytes"),
              std::string::npos);
}

TEST(Argument, MemoryOfAForeignProgram) {
    const Nodes p({size()});
    std::vector<double> memory(10);
    XMP_Array* first = nullptr;
    for (int call = 0; call < 2; call++) {
        const Template t({{0, 10 * size() - 1}}, p, {XMP_FORMAT_BLOCK(0, 0)});
        const Argument view(t, {{0, 10 * size() - 1}}, {{0, 0}}, memory.data());
        if (call == 0) first = view.a;
        EXPECT_EQ(view.a, first);
        EXPECT_EQ(static_cast<Array*>(view.a)->address({10 * rank() + 3}), reinterpret_cast<std::byte*>(&memory[3]));
        EXPECT_EQ(static_cast<Array*>(view.a)->peer_base(rank()), nullptr);
    }
}

TEST(Argument, NothingIsStoredHere) {
    const Nodes p({size()});
    const Template t({{0, 3}}, p, {XMP_FORMAT_BLOCK(0, 4)});  // node 0 has all
    const GlobalArray a(t, {{0, 3}}, {{0, 0}});
    EXPECT_NE(a->base, nullptr) << "an address tells arrays apart even where they are empty";
    const Argument same(t, {{0, 3}}, {{0, 0}}, a->base);
    EXPECT_EQ(same.a, a.a);
    EXPECT_EQ(same.a->dimension[0].length, rank() == 0 ? 4 : 0);
}

}  // namespace
}  // namespace kumihimo::execution::testing
