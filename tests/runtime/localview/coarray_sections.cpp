// Random sections of random elements, put and got by all images at once, against the serial model.
#include "tests/runtime/localview/coarray_model.hpp"

namespace kumihimo::test {
namespace {

constexpr std::size_t block_bytes = 1 << 19;
constexpr std::size_t element_sizes[] = {1, 2, 4, 8, 12, 16, 32};

XMP_Coarray* block() {
    static XMP_Coarray* const coarray = XMP_Coarray_declare("block", block_bytes, nullptr);
    return coarray;
}

struct Transfer {
    std::size_t element_bytes;
    ModelSection remote, local;
    std::size_t remote_bytes, local_bytes;

    explicit Transfer(Random& random) {
        element_bytes = element_sizes[random.between(0, 6)];
        const auto count = random_counts(random, static_cast<int>(random.between(0, 4)));
        remote = random_section(random, count, element_bytes, &remote_bytes);
        local = random_section(random, random.one_in(4) ? std::vector<Index>{} : count, element_bytes, &local_bytes);
    }
};

class CoarraySections : public testing::Test {
protected:
    const int images = nodes_in_all(), me = my_node();
    void* const base = block()->base;

    void fill(int round, int image, std::size_t bytes) { std::memcpy(base, contents(round, image, bytes).data(), bytes); }
    bool holds(const Bytes& expected) { return std::memcmp(base, expected.data(), expected.size()) == 0; }
};

TEST_F(CoarraySections, PutByAllAtOnce) {
    Random random(1);
    for (int round = 0; round < rounds(120); ++round) {
        const Transfer transfer(random);
        const int distance = static_cast<int>(random.between(0, images - 1)), writer = (me + images - distance) % images;
        fill(round, me, transfer.remote_bytes);
        sync_all();
        Bytes source = contents(round, 100 + me, transfer.local_bytes);
        const XMP_Section remote = transfer.remote.in(base), from = transfer.local.in(source.data());
        XMP_Put(XMP_SITE("put"), block(), (me + distance) % images, &remote, &from, transfer.element_bytes);
        source.assign(source.size(), std::byte{0});  // a put has read its source
        sync_all();
        Bytes expected = contents(round, me, transfer.remote_bytes);
        copy_model(expected, transfer.remote, contents(round, 100 + writer, transfer.local_bytes), transfer.local,
                   transfer.element_bytes);
        ASSERT_TRUE(holds(expected)) << "round " << round;
        sync_all();
    }
}

TEST_F(CoarraySections, GetByAllAtOnce) {
    Random random(2);
    for (int round = 0; round < rounds(120); ++round) {
        Transfer transfer(random);
        if (transfer.local.count.empty())
            std::swap(transfer.local, transfer.remote), std::swap(transfer.local_bytes, transfer.remote_bytes);
        const int owner = static_cast<int>(random.between(0, images - 1) + me) % images;
        fill(round, me, transfer.remote_bytes);
        sync_all();
        Bytes result = contents(round, 100 + me, transfer.local_bytes), expected = result;
        const XMP_Section remote = transfer.remote.in(base), to = transfer.local.in(result.data());
        XMP_Get(XMP_SITE("get"), block(), owner, &remote, &to, transfer.element_bytes);
        copy_model(expected, transfer.local, contents(round, owner, transfer.remote_bytes), transfer.remote,
                   transfer.element_bytes);
        ASSERT_EQ(result, expected) << "round " << round;
        sync_all();
    }
}

TEST_F(CoarraySections, RunsOfEveryLength) {
    for (const std::size_t bytes : {1ul, 7ul, 8ul, 1000ul, 1025ul, 4096ul, 65536ul, 200000ul}) {
        const int right = (me + 1) % images, left = (me + images - 1) % images, round = static_cast<int>(bytes % 97);
        std::byte* const place = static_cast<std::byte*>(base) + 3;
        const Bytes source = contents(round, me, bytes);
        XMP_Put_run(XMP_SITE("put"), block(), right, place, source.data(), bytes);
        Bytes back(bytes);
        XMP_Get_run(XMP_SITE("get"), block(), right, place, back.data(), bytes);
        EXPECT_EQ(back, source) << "its own put is seen by an image";
        sync_all();
        EXPECT_EQ(std::memcmp(place, contents(round, left, bytes).data(), bytes), 0) << bytes;
        sync_all();
    }
}

// The right side is read before the left side is written, also where both are the same memory.
TEST_F(CoarraySections, OverlapOnOneImage) {
    Random random(3);
    for (int round = 0; round < 60; ++round) {
        const Index count = random.between(1, 300), step = random.between(1, 3) * (random.one_in(2) ? 1 : -1);
        const std::ptrdiff_t room = 8 * 3 * 300, shift = 8 * random.between(0, 200);
        const ModelSection to{room + shift, {count}, {8 * random.between(1, 3)}}, from{room, {count}, {8 * step}};
        fill(round, me, 4 * room);
        Bytes expected = contents(round, me, 4 * room);
        copy_model(expected, to, expected, from, 8);
        const XMP_Section remote = to.in(base), source = from.in(base);
        XMP_Put(XMP_SITE("put"), block(), me, &remote, &source, 8);
        ASSERT_TRUE(holds(expected)) << round;
        fill(round, me, 4 * room);
        XMP_Get(XMP_SITE("get"), block(), me, &source, &remote, 8);
        ASSERT_TRUE(holds(expected)) << round;
    }
    sync_all();
}

// What one image does to the same elements of another happens in the order of its program.
TEST_F(CoarraySections, OrderOfOneImage) {
    auto* const value = static_cast<long*>(base);
    const int right = (me + 1) % images;
    for (long i = 1; i <= rounds(50); ++i) {
        const long doubled = 2 * i;
        XMP_Put_run(XMP_SITE("put"), block(), right, value, &i, sizeof i);
        XMP_Put_run(XMP_SITE("put"), block(), right, value, &doubled, sizeof i);
        long seen = 0;
        XMP_Get_run(XMP_SITE("get"), block(), right, value, &seen, sizeof seen);
        ASSERT_EQ(seen, doubled);
    }
    sync_all();
    EXPECT_EQ(*value, 2 * rounds(50));
    sync_all();
}

TEST_F(CoarraySections, DirectPointersAgreeWithPuts) {
    auto* const value = static_cast<int*>(base);
    *value = -1;
    sync_all();
    const int right = (me + 1) % images;
    if (auto* const there = static_cast<int*>(XMP_Direct(block(), right, value)))
        *there = me;
    else
        XMP_Put_run(XMP_SITE("put"), block(), right, value, &me, sizeof me);
    sync_all();
    EXPECT_EQ(*value, (me + images - 1) % images);
    EXPECT_EQ(XMP_Direct(block(), me, value), value);
    EXPECT_EQ(XMP_Direct(block(), images, value), nullptr);
    EXPECT_EQ(XMP_Direct(block(), -1, value), nullptr);
    sync_all();
}

TEST_F(CoarraySections, InitialValues) {
    static const int initial[3] = {5, 6, 7};
    XMP_Coarray* const coarray = XMP_Coarray_declare("initialised", sizeof initial, initial);
    int seen[3] = {};
    XMP_Get_run(XMP_SITE("get"), coarray, (me + 1) % images, coarray->base, seen, sizeof seen);
    EXPECT_EQ(std::memcmp(seen, initial, sizeof seen), 0);
    XMP_Coarray_expect(coarray, "initialised", sizeof initial);
    EXPECT_EQ(XMP_Coarray_of(XMP_SITE("of"), static_cast<int*>(coarray->base) + 2), coarray);
    EXPECT_EQ(XMP_Coarray_of(XMP_SITE("of"), static_cast<std::byte*>(base) + block_bytes - 1), block());
    sync_all();
}

}  // namespace
}  // namespace kumihimo::test
