// Arrays: every element that a node owns lies at its own place in its block, found alike through view subscripts, through
// address() and by the peers; the places are compared with a plain enumeration of the whole index space.
#include <map>

#include "helpers.hpp"

namespace kumihimo::execution::testing {
namespace {

struct Case {
    std::vector<XMP_Index> nodes;
    std::vector<XMP_Bounds> target;
    std::vector<XMP_Format> formats;
    std::vector<XMP_Bounds> array;
    std::vector<XMP_Align> align;
    std::vector<XMP_Width> shadow;
};

std::vector<Case> cases() {
    const XMP_Index n = size(), a = n % 2 == 0 ? 2 : 1, b = n / a;
    static std::vector<int> sizes;
    sizes.assign(static_cast<std::size_t>(n), 0);
    sizes[static_cast<std::size_t>(n) - 1] = 12, sizes[0] += 4;
    const XMP_Width one = {1, 2, XMP_WIDTH_PLAIN}, none = {0, 0, XMP_WIDTH_PLAIN}, full = {0, 0, XMP_WIDTH_FULL};
    return {
        {{n}, {{0, 22}}, {XMP_FORMAT_BLOCK(0, 0)}, {{0, 22}}, {{0, 0}}, {one}},
        {{n}, {{-5, 30}}, {XMP_FORMAT_CYCLIC(0, 0)}, {{2, 20}}, {{0, -4}}, {}},
        {{n}, {{-5, 30}}, {XMP_FORMAT_CYCLIC(0, 3)}, {{2, 20}}, {{0, 3}}, {}},
        {{n}, {{-5, 30}}, {XMP_FORMAT_CYCLIC(0, 3)}, {{2, 20}}, {{0, 3}}, {full}},
        {{n}, {{10, 25}}, {XMP_FORMAT_GBLOCK(0, n, sizes.data())}, {{0, 13}}, {{0, 11}}, {one}},
        {{n}, {{0, 3}}, {XMP_FORMAT_BLOCK(0, 4)}, {{0, 3}, {1, 5}}, {{0, 0}, {-1, 0}}, {one, none}},  // one node has all
        {{a, b},
         {{0, 8}, {0, 10}},
         {XMP_FORMAT_BLOCK(0, 0), XMP_FORMAT_BLOCK(1, 0)},
         {{0, 8}, {0, 10}},
         {{0, 0}, {1, 0}},
         {one, one}},
        {{a, b},
         {{0, 8}, {0, 10}},
         {XMP_FORMAT_BLOCK(0, 0), XMP_FORMAT_CYCLIC(1, 2)},
         {{0, 10}, {0, 8}},
         {{1, 0}, {0, 0}},
         {none, one}},
        {{a, b},
         {{0, 8}, {0, 10}},
         {XMP_FORMAT_BLOCK(0, 0), XMP_FORMAT_BLOCK(1, 0)},
         {{0, 10}},
         {{1, 0}},
         {one}},  // replicated
        {{n},
         {{0, 9}, {0, 6}},
         {XMP_FORMAT_NONE, XMP_FORMAT_BLOCK(0, 0)},
         {{0, 9}, {0, 6}, {0, 1}},
         {{0, 0}, {1, 0}, {-1, 0}},
         {none, one, none}},
    };
}

// Calls visit for every index tuple of the array.
void for_each_index(const std::vector<XMP_Bounds>& bounds, const std::function<void(const std::vector<Index>&)>& visit) {
    std::vector<Index> at;
    for (const XMP_Bounds& b : bounds) at.push_back(b.lower);
    while (true) {
        visit(at);
        std::size_t d = 0;
        for (; d < at.size(); d++) {
            if (++at[d] <= bounds[d].upper) break;
            at[d] = bounds[d].lower;
        }
        if (d == at.size()) return;
    }
}

// Whether this node owns it, straight from the directives: the coordinate of the owner of its template index.
bool owned(const Case& c, const XMP_Nodes* p, const XMP_Template* t, const std::vector<Index>& at) {
    for (std::size_t d = 0; d < at.size(); d++) {
        const int onto = c.align[d].onto;
        if (onto < 0 || c.formats[onto].kind == XMP_NOT_DISTRIBUTED) continue;
        if (t->mapping->dimension(onto).owner(at[d] + c.align[d].offset) != p->coordinates[c.formats[onto].onto]) return false;
    }
    return true;
}

double value_of(const std::vector<Index>& at) {
    double value = 1;
    for (const Index i : at) value = value * 1000 + static_cast<double>(i);
    return value;
}

// Two arrays are swapped; a third pointer takes one of them, and what it left is found again by its address.
TEST(Pointers, DescriptorsFollow) {
    const Nodes p({size()});
    const std::vector<XMP_Bounds> extent = {{0, 1}};  // on most nodes empty
    const XMP_Format block = XMP_FORMAT_BLOCK(0, 0);
    const Template t({{0, 1}}, p, {block}), wider({{0, 5}}, p, {block});
    const std::vector<XMP_Align> align = {{0, 0}};
    GlobalArray u(t, {}, align), v(t, {}, align), w(t, {}, align), other(wider, {}, align);
    void *const first = allocate_array(*u.operator->(), extent.data()), *const second =
                                                                            allocate_array(*v.operator->(), extent.data());
    allocate_array(*other.operator->(), extent.data());
    XMP_Array *const mine = u.a, *const yours = v.a;
    EXPECT_EQ(XMP_Array_point(nullptr, &u.a, second), second);
    EXPECT_EQ(u.a, yours);
    EXPECT_EQ(XMP_Array_point(nullptr, &v.a, first), first);
    EXPECT_EQ(v.a, mine);
    EXPECT_EQ(u->base, second);
    XMP_Array_point(nullptr, &v.a, nullptr);  // leaves what it was
    EXPECT_EQ(v.a, mine);
    XMP_Array* const unallocated = w.a;
    XMP_Array_point(nullptr, &w.a, first);
    EXPECT_EQ(w.a, mine);
    EXPECT_EQ(static_cast<Array*>(mine)->references, 2);
    if (size() > 1) {
        EXPECT_NE(message_of([&] { point(u.a, other->base); }).find("differs in its distribution"), std::string::npos);
    }
    int elsewhere = 0;
    EXPECT_NE(message_of([&] { point(u.a, &elsewhere); }).find("no global array begins"), std::string::npos);
    EXPECT_EQ(u.a, yours);
    static_cast<Array*>(unallocated)->references = 1;  // the test's own
    XMP_Array* mutable_unallocated = unallocated;
    XMP_Array_release(&mutable_unallocated);
}

TEST(Array, EveryElementHasItsPlace) {
    for (const Case& c : cases()) {
        for (const int order : {XMP_ROW_MAJOR, XMP_COLUMN_MAJOR}) {
            const Nodes p(c.nodes);
            const Template t(c.target, p, c.formats);
            const GlobalArray a(t, c.array, c.align, c.shadow, order);
            ASSERT_TRUE(a->allocated());
            std::map<const void*, std::vector<Index>> places;
            Index count = 0;
            for_each_index(c.array, [&](const std::vector<Index>& at) {
                if (!owned(c, p, t, at)) return;
                count++;
                std::byte* const address = a->address(at);
                EXPECT_TRUE(places.emplace(address, at).second) << "two elements at one place";
                const auto* const block = static_cast<const std::byte*>(a->base);
                EXPECT_GE(address, block);
                EXPECT_LE(address + sizeof(double), block + a->allocated_bytes());
                EXPECT_EQ(XMP_Element(XMP_PLACE("a"), a, at.data()), address);
                // As generated code addresses it: origin plus view subscripts.
                std::ptrdiff_t offset = 0;
                for (int d = 0; d < a->rank; d++) offset += XMP_Subscript(a, d, at[d]) * a->stride_bytes(d);
                EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a->origin) + static_cast<std::uintptr_t>(offset),
                          reinterpret_cast<std::uintptr_t>(address));
                *reinterpret_cast<double*>(address) = value_of(at);
            });
            Index expected = 1;
            for (int d = 0; d < a->rank; d++) expected *= a->mapping->owned_size(d, a->coordinate(d));
            EXPECT_EQ(count, expected);
            for (const auto& [address, at] : places) EXPECT_EQ(*static_cast<const double*>(address), value_of(at));
        }
    }
}

TEST(Array, PeersSeeTheBlocksOfEachOther) {
    const Nodes p({size()});
    const Template t({{0, 4 * size() - 1}}, p, {XMP_FORMAT_BLOCK(0, 0)});
    const GlobalArray a(t, {{0, 4 * size() - 1}}, {{0, 0}}, {{1, 1, XMP_WIDTH_PLAIN}});
    for (Index i = 4 * rank(); i < 4 * rank() + 4; i++) *reinterpret_cast<double*>(a->address({i})) = static_cast<double>(i);
    MPI_Barrier(Context::get().world_communicator());
    for (int peer = 0; peer < size(); peer++) {
        if (a->peer_base(peer) == nullptr) continue;
        const auto* const block = reinterpret_cast<const double*>(a->peer_base(peer));
        for (Index i = 0; i < 4; i++) EXPECT_EQ(block[1 + i], static_cast<double>(4 * peer + i));
    }
    MPI_Barrier(Context::get().world_communicator());
}

TEST(Array, DeferredAllocation) {
    const Nodes p({size()});
    const Template t({{0, 9}}, p, {XMP_FORMAT_BLOCK(0, 0)});
    const GlobalArray a(t, {}, {{0, 0}});
    for (int round = 0; round < 3; round++) {
        EXPECT_EQ(a->base, nullptr);
        void* const base = xmp_malloc(a.a, std::size_t{10});
        EXPECT_EQ(base, a->base);
        EXPECT_NE(base, nullptr);
        EXPECT_NE(message_of([&] { allocate_array(*a.operator->(), a->bounds->data()); }).find("is allocated already"),
                  std::string::npos);
        xmp_free(a.a);
    }
    const XMP_Bounds too_long[] = {{0, 10}};
    EXPECT_NE(message_of([&] { allocate_array(*a.operator->(), too_long); }).find("array a does not fit template t"),
              std::string::npos);
    const XMP_Bounds right[] = {{0, 9}};
    EXPECT_NE(allocate_array(*a.operator->(), right), nullptr);  // a failure leaves it as it was
}

TEST(Array, AutomaticArraysReuseTheirMemory) {
    const Nodes p({size()});
    void* first = nullptr;
    for (int call = 0; call < 5; call++) {
        const Template t({{0, 999}}, p, {XMP_FORMAT_BLOCK(0, 0)});
        const GlobalArray a(t, {{0, 999}}, {{0, 0}});
        if (call == 0) first = a->base;
        EXPECT_EQ(a->base, first);
        double* const block = static_cast<double*>(a->base);
        for (Index i = 0; i < a->dimension[0].length; i++) {
            EXPECT_EQ(block[i], 0.0);
            block[i] = 7;
        }
    }
}

TEST(Array, OnPartOfTheNodes) {
    const Nodes p({size()});
    const XMP_Range odd[] = {XMP_FROM_TO(size() > 1 ? 1 : 0, size() - 1, 2)};
    const XMP_On on = {p.p, 1, odd};
    const Nodes q({XMP_REMAINING}, XMP_ROW_MAJOR, XMP_NODES_PART, &on);
    const Template t({{0, 99}}, q, {XMP_FORMAT_CYCLIC(0, 0)});
    const GlobalArray a(t, {{0, 99}}, {{0, 0}});
    EXPECT_EQ(a->base != nullptr, q->member());
    EXPECT_EQ(a->dimension[0].length, q->member() ? a->mapping->owned_size(0, q->coordinates[0]) : 0);
}

TEST(Array, DeclaredInATaskOnAllNodes) {
    // A procedure called from a task declares its arrays on the entire set: only the task's nodes allocate, nobody waits.
    const Nodes p({size()});
    const XMP_Range some[] = {XMP_FROM_TO(0, size() / 2, 1)};
    const XMP_On on = {p.p, 1, some};
    XMP_Task task = XMP_Task_prepare(nullptr, &on, 0);
    if (XMP_Task_enter(&task)) {
        const Template t({{0, 2 * size() - 1}}, p, {XMP_FORMAT_BLOCK(0, 0)});
        const GlobalArray a(t, {{0, 2 * size() - 1}}, {{0, 0}});
        EXPECT_NE(a->base, nullptr);
        EXPECT_EQ(a->peer_base(rank()), a->base);
        if (size() / 2 < size() - 1) {
            EXPECT_EQ(a->peer_base(size() - 1), nullptr);
        }
    }
    XMP_Task_leave(&task);
}

TEST(Array, ExternDeclarationsMustAgree) {
    const Nodes p({size()});
    const Template t({{0, 9}}, p, {XMP_FORMAT_BLOCK(0, 0)}), same({{0, 9}}, p, {XMP_FORMAT_BLOCK(0, 0)}),
        other({{0, 9}}, p, {XMP_FORMAT_CYCLIC(0, 2)});
    const GlobalArray a(t, {{0, 9}}, {{0, 0}});
    const XMP_Bounds bounds[] = {{0, 9}}, shorter[] = {{0, 8}};
    const XMP_Align align[] = {{0, 0}};
    const XMP_Width shadow[] = {{1, 1, XMP_WIDTH_PLAIN}};
    ArrayDeclaration declaration = {"a", XMP_ROW_MAJOR, XMP_TYPE_DOUBLE, 8, 1, bounds, same, align, nullptr};
    EXPECT_EQ(message_of([&] { expect_array(a, declaration); }), "");
    const auto differs = [&](auto&& change) {
        ArrayDeclaration changed = declaration;
        change(changed);
        return message_of([&] { expect_array(a, changed); });
    };
    EXPECT_NE(differs([&](auto& d) { d.target = other; }).find("in its distribution"), std::string::npos);
    EXPECT_NE(differs([&](auto& d) { d.bounds = shorter; }).find("in its bounds"), std::string::npos);
    EXPECT_NE(differs([&](auto& d) { d.shadow = shadow; }).find("in its shadow"), std::string::npos);
    EXPECT_NE(differs([&](auto& d) { d.type = XMP_TYPE_FLOAT; }).find("in its element type"), std::string::npos);
}

TEST(Array, AlignedWithAnUndistributedTemplate) {
    const Template t({{0, 9}});
    EXPECT_NE(message_of([&] { GlobalArray a(t, {{0, 9}}, {{0, 0}}); }).find("which is not distributed"), std::string::npos);
}

TEST(Array, TooLargeIsAnErrorOnAllNodes) {
    const Nodes p({size()});
    const XMP_Index n = XMP_Index{1} << 53;
    const Template t({{0, n - 1}}, p, {XMP_FORMAT_BLOCK(0, 0)});
    EXPECT_NE(message_of([&] {
                  GlobalArray a(t, {{0, n - 1}}, {{0, 0}});
              }).find("allocation too large: array a"),
              std::string::npos);
}

}  // namespace
}  // namespace kumihimo::execution::testing
