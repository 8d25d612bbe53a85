// Global arrays as arguments: the caller's own descriptor for the same mapping, a remembered view for
// another of the same layout, a message for all else.
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

TEST(Argument, OtherMappingOfTheSameLayoutIsAView) {
    const Nodes p({size()});
    const Template t({{0, 4 * size() - 1}}, p, {XMP_FORMAT_BLOCK(0, 0)});
    const GlobalArray a(t, {{0, 4 * size() - 1}}, {{0, 0}});
    XMP_Array* first = nullptr;
    for (int call = 0; call < 3; call++) {
        const Template s({{7, 4 * size() + 6}}, p, {XMP_FORMAT_BLOCK(0, 0)});
        const Argument view(s, {{0, 4 * size() - 1}}, {{0, 7}}, a->base);
        if (call == 0) first = view.a;
        EXPECT_EQ(view.a, first) << "made once";
        EXPECT_NE(view.a, a.a);
        EXPECT_EQ(view.a->base, a->base);
        EXPECT_EQ(static_cast<Array*>(view.a)->target, s.t);
        for (int peer = 0; peer < size(); peer++) EXPECT_EQ(static_cast<Array*>(view.a)->peer_base(peer), a->peer_base(peer));
    }
}

TEST(Argument, EveryDifferenceIsTold) {
    const Nodes p({size()});
    const Index last = 8 * size() - 1;
    const Template t({{0, last}}, p, {XMP_FORMAT_BLOCK(0, 0)}), s({{0, last}}, p, {XMP_FORMAT_CYCLIC(0, 3)});
    const XMP_Width narrow = {1, 0, XMP_WIDTH_PLAIN}, wide = {1, 1, XMP_WIDTH_PLAIN}, full = {0, 0, XMP_WIDTH_FULL};
    const GlobalArray a(t, {{0, last}}, {{0, 0}}), b(t, {{0, last}}, {{0, 0}}, {wide});
    const auto message = [&](XMP_Template* target, XMP_Bounds bounds, void* base, const XMP_Width* shadow) {
        return message_of([&] { const Argument refused(target, {bounds}, {{0, 0}}, base, shadow); });
    };
    EXPECT_EQ(message(t, {0, last}, b->base, &narrow),
              "array a is passed for argument dummy, but dimension 1 of a has the shadow [1:1], that of dummy has [1:0]");
    static const XMP_Site call = {"call.c", 7, "`f(a)`"};
    EXPECT_EQ(XMP_Pass(&call, b), b->base);
    EXPECT_EQ(
        message(t, {0, last}, b->base, &narrow),
        "array a is passed for argument dummy (call.c:7: `f(a)`), but dimension 1 of a has the shadow [1:1], that of dummy "
        "has [1:0]");
    XMP_passed = {};
    EXPECT_NE(message(t, {0, last}, b->base, nullptr).find("[1:1], that of dummy has [0:0]"), std::string::npos);
    EXPECT_NE(message(t, {0, last}, b->base, &full).find("[1:1], that of dummy has [*]"), std::string::npos);
    EXPECT_EQ(message(t, {0, last - 1}, a->base, nullptr),
              "array a is passed for argument dummy, but dimension 1 of a has the subscripts 0 to " + std::to_string(last) +
                  ", that of dummy has 0 to " + std::to_string(last - 1));
    if (size() > 1) {
        EXPECT_EQ(message(s, {0, last}, a->base, nullptr),
                  "array a is passed for argument dummy, but template t hands out the elements of a otherwise than template t "
                  "those of dummy");
    }
    const XMP_Bounds bounds[] = {{0, last}, {0, 1}};
    const XMP_Align align[] = {{0, 0}, {-1, 0}};
    const auto passed_as = [&](int type, int rank) {
        return message_of([&] {
            argument_array({"dummy", XMP_ROW_MAJOR, type, sizeof(double), rank, bounds, t, align, nullptr}, a->base);
        });
    };
    EXPECT_NE(passed_as(XMP_TYPE_DOUBLE, 2).find("a has 1 dimension, dummy has 2"), std::string::npos);
    EXPECT_NE(passed_as(XMP_TYPE_LONG, 1).find("the elements of a are of type double, those of dummy of type long"),
              std::string::npos);
}

TEST(Argument, IsAGlobalArray) {
    const Nodes p({size()});
    const Template t({{0, 4 * size() - 1}}, p, {XMP_FORMAT_BLOCK(0, 0)});
    const GlobalArray a(t, {{0, 4 * size() - 1}}, {{0, 0}});
    std::vector<double> memory(4);
    const auto message = [&](void* base) {
        return message_of([&] { const Argument refused(t, {{0, 4 * size() - 1}}, {{0, 0}}, base); });
    };
    EXPECT_EQ(message(nullptr), "NULL is passed for argument dummy");
    EXPECT_EQ(message(memory.data()), "what is passed for argument dummy is no global array");
    EXPECT_EQ(message(static_cast<double*>(a->base) + 1), "a part of array a is passed for argument dummy, which is aligned");
}

TEST(Argument, SectionOfAnArrayOfMoreDimensions) {
    const Nodes p({size()});
    const long last = 4 * size() - 1;
    const Template t({{0, last}}, p, {XMP_FORMAT_BLOCK(0, 0)}), s({{0, last}}, p, {XMP_FORMAT_BLOCK(0, last + 1)});
    const GlobalArray a(t, {{0, 2}, {0, last}}, {{-1, 0}, {0, 0}});
    auto* const block = static_cast<double*>(a->base);  // 3 rows of 4 elements
    for (int row = 0; row < 3; row++) {
        XMP_Array* first = nullptr;
        for (int call = 0; call < 2; call++) {
            const Argument section(t, {{0, last}}, {{0, 0}}, block + 4 * row);
            if (call == 0) first = section.a;
            EXPECT_EQ(section.a, first);
            EXPECT_EQ(section.a->base, block + 4 * row);
        }
    }
    const auto message = [&](XMP_Template* target, long upper, const double* base) {
        return message_of([&] { const Argument refused(target, {{0, upper}}, {{0, 0}}, const_cast<double*>(base)); });
    };
    EXPECT_EQ(message(t, last, block + 5), "a part of array a is passed for argument dummy, which is aligned");
    EXPECT_EQ(message(t, last, block), "");
    EXPECT_NE(message(t, last - 1, block).find("a has 2 dimensions, dummy has 1"), std::string::npos);
    if (size() > 1) {
        EXPECT_NE(message(s, last, block + 4), "");
    }
}

TEST(Argument, MemoryOfAForeignProgram) {
    const Nodes p({size()});
    std::vector<double> memory(10);
    XMP_Array* first = nullptr;
    started_with_program = false;  // as if MPI's program had begun XcalableMP
    for (int call = 0; call < 2; call++) {
        const Template t({{0, 10 * size() - 1}}, p, {XMP_FORMAT_BLOCK(0, 0)});
        const Argument view(t, {{0, 10 * size() - 1}}, {{0, 0}}, memory.data());
        if (call == 0) first = view.a;
        EXPECT_EQ(view.a, first);
        EXPECT_EQ(static_cast<Array*>(view.a)->address({10 * rank() + 3}), reinterpret_cast<std::byte*>(&memory[3]));
        EXPECT_EQ(static_cast<Array*>(view.a)->peer_base(rank()), nullptr);
    }
    started_with_program = true;
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
