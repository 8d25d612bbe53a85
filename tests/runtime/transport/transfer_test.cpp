// put and get of every transport: all shapes against a serial model, order, large and empty transfers, several regions,
// attached memory.
#include <algorithm>
#include <cstdint>
#include <random>

#include "base/datatype.hpp"
#include "contract.hpp"
#include "kumihimo/generated.h"
#include "random_shape.hpp"

namespace kumihimo::transport {
namespace {

class Transfer : public Contract {};

std::byte pattern(unsigned owner, std::size_t i) {
    return static_cast<std::byte>((owner * 37 + i * 11 + i / 256) % 251);
}
std::vector<std::byte> patterned(unsigned owner, std::size_t bytes) {
    std::vector<std::byte> block(bytes);
    for (std::size_t i = 0; i < bytes; ++i) block[i] = pattern(owner, i);
    return block;
}

// The serial model of a put.
void model_put(std::vector<std::byte>& far, std::size_t offset, const std::byte* near, const Correspondence& shape) {
    shape.for_each_run([&](std::ptrdiff_t to, std::ptrdiff_t from) {
        std::copy_n(near + from, shape.run(), far.begin() + static_cast<std::ptrdiff_t>(offset) + to);
    });
}

constexpr std::size_t room = 1 << 16;

TEST_F(Transfer, PutsOfAllShapesArriveAsInASerialModel) {
    const unsigned seed = std::getenv("KUMIHIMO_TEST_SEED") != nullptr
                              ? static_cast<unsigned>(std::atoi(std::getenv("KUMIHIMO_TEST_SEED")))
                              : 20240607u;
    if (rank() == 0) std::printf("seed %u (KUMIHIMO_TEST_SEED)\n", seed);
    const auto region = transport().allocate(room);
    const int puts = long_form() ? 300 : size() > 2 ? 12 : 60, rounds = 3;
    // What `writer` does in a round: everyone can compute it.
    const auto each_put = [&](int round, int writer, auto&& action) {
        RandomShape random(seed + static_cast<unsigned>(1000 * round + writer));
        for (int k = 0; k < puts; ++k) {
            const auto drawn = random.draw(true);
            if (drawn.far_bytes > room || drawn.near_bytes > room) continue;
            const auto offset = static_cast<std::size_t>(random.number(0, static_cast<int>(room - drawn.far_bytes)));
            const auto near = patterned(static_cast<unsigned>(writer * 100 + k), drawn.near_bytes);
            action(drawn.shape, offset + drawn.far_start, near.data() + drawn.near_start);
        }
    };
    std::vector<std::byte> expected(room);
    for (int round = 0; round < rounds; ++round) {
        const int target = (rank() + round) % size(), writer = (rank() - round % size() + size()) % size();
        each_put(round, rank(), [&](const Correspondence& shape, std::size_t offset, const std::byte* near) {
            transport().put(*region, target, offset, near, shape);
        });
        each_put(round, writer, [&](const Correspondence& shape, std::size_t offset, const std::byte* near) {
            model_put(expected, offset, near, shape);
        });
        synchronise();
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), region->local())) << "round " << round << ", seed " << seed;
        barrier();
    }
}

TEST_F(Transfer, GetsOfAllShapesReadAsInASerialModel) {
    const auto region = transport().allocate(room);
    const auto mine = patterned(static_cast<unsigned>(rank()), room);
    std::copy(mine.begin(), mine.end(), region->local());
    synchronise();
    RandomShape random(77u + static_cast<unsigned>(rank()));
    const int gets = long_form() ? 300 : size() > 2 ? 15 : 80;
    for (int k = 0; k < gets; ++k) {
        const auto drawn = random.draw(false);
        if (drawn.far_bytes > room || drawn.near_bytes > room) continue;
        const int target = random.number(0, size() - 1);
        const auto offset =
            static_cast<std::size_t>(random.number(0, static_cast<int>(room - drawn.far_bytes))) + drawn.far_start;
        const Correspondence get = drawn.shape.turned();
        auto expected = patterned(200, drawn.near_bytes), found = expected;
        const auto theirs = patterned(static_cast<unsigned>(target), room);
        model_put(expected, drawn.near_start, theirs.data() + offset, get);
        transport().get(*region, target, offset, found.data() + drawn.near_start, get);
        EXPECT_EQ(expected, found) << "get " << k;
    }
    barrier();
}

TEST_F(Transfer, OneImagesAccessesToOnePlaceKeepTheirOrder) {
    const auto region = transport().allocate(4096);
    const int target = (rank() + 1) % size();
    for (std::int64_t turn = 1; turn <= 20; ++turn) {
        for (std::int64_t value : {turn, 100 + turn, 200 + turn}) {
            transport().put(*region, target, 64, reinterpret_cast<const std::byte*>(&value), run_of(sizeof value));
            value = -1;  // put has read it
        }
        std::int64_t read = 0;
        transport().get(*region, target, 64, reinterpret_cast<std::byte*>(&read), run_of(sizeof read));
        EXPECT_EQ(read, 200 + turn);
        EXPECT_EQ(transport().atomic(*region, target, 64, sizeof read, Atomic::ref, 0, 0), 200 + turn);
    }
    synchronise();
    EXPECT_EQ(*reinterpret_cast<const std::int64_t*>(region->local() + 64), 220);
    barrier();
}

// Some travel in pieces, some from where they lie.
TEST_F(Transfer, PutsOfAllLengthsKeepTheirOrder) {
    constexpr std::size_t most = std::size_t{300} << 10;
    constexpr std::size_t lengths[] = {8, most, std::size_t{40} << 10, 100, std::size_t{129} << 10, 8, std::size_t{33} << 10};
    const auto region = transport().allocate(most);
    const int target = (rank() + 1) % size(), writer = (rank() + size() - 1) % size();
    std::vector<std::byte> block(most), expected(most);
    for (unsigned turn = 0; turn < 20; ++turn) {
        for (std::size_t k = 0; k < std::size(lengths); ++k) {
            const std::size_t length = lengths[(k + turn) % std::size(lengths)], offset = (most - length) / 2;
            const auto value = [&](int owner) {
                return static_cast<std::byte>(turn * 16 + k + 100 * static_cast<unsigned>(owner));
            };
            std::fill_n(block.begin(), length, value(rank()));
            transport().put(*region, target, offset, block.data(), run_of(length));
            std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(offset), length, value(writer));
            if (k % 3 == turn % 3) transport().fence();
        }
        synchronise();
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), region->local())) << "turn " << turn;
        barrier();
    }
}

// An image tells another by a message of its own that it has put something, without waiting until it is there.
TEST_F(Transfer, PutsComeBeforeWhatIsToldAfterThem) {
    constexpr std::size_t most = std::size_t{300} << 10;
    const auto region = transport().allocate(most);
    const int target = (rank() + 1) % size(), writer = (rank() + size() - 1) % size();
    for (unsigned turn = 0; turn < 12; ++turn) {
        const std::size_t length = turn % 3 == 0 ? 8 : turn % 3 == 1 ? std::size_t{40} << 10 : most;
        const auto mine = patterned(turn + static_cast<unsigned>(rank()), length);
        transport().put(*region, target, 0, mine.data(), run_of(length));
        transport().fence_others(target);
        const std::uint64_t sent = transport().sent_to(target);
        std::uint64_t told = 0;
        MPI_Request requests[2];
        MPI_Isend(&sent, 1, MPI_UINT64_T, target, 0, comm(), &requests[0]);
        MPI_Irecv(&told, 1, MPI_UINT64_T, writer, 0, comm(), &requests[1]);
        base::wait_until([&] {
            int done = 0;
            transport().poll();
            MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
            return done != 0;
        });
        base::wait_until([&] {
            transport().poll();
            return transport().came_from(writer) >= told;
        });
        const auto expected = patterned(turn + static_cast<unsigned>(writer), length);
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), region->local())) << "turn " << turn;
        barrier();
    }
    transport().fence();
}

TEST_F(Transfer, LargeOnes) {
    const std::size_t bytes = long_form() ? (std::size_t{1} << 31) + 4099 : (std::size_t{5} << 20) + 3;
    const bool taking_part = rank() < 2;  // memory
    const auto region = transport().allocate(taking_part ? bytes + 7 : 0);
    const int target = size() > 1 ? 1 : 0;
    if (rank() == 0) {
        auto block = patterned(5, bytes);
        transport().put(*region, target, 7, block.data(), run_of(bytes));
        transport().fence();
        std::fill(block.begin(), block.end(), std::byte{});
        transport().get(*region, target, 7, block.data(), run_of(bytes));
        EXPECT_EQ(block, patterned(5, bytes));
    }
    synchronise();
    if (rank() == target) {
        const auto expected = patterned(5, bytes);
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), region->local() + 7));
    }
    barrier();
}

// Strides that no int holds.
TEST_F(Transfer, PlacesFarApart) {
    if (!long_form()) GTEST_SKIP() << "takes 5 GiB for each image: in the long form";
    constexpr std::size_t far = std::size_t{5} << 29;
    if (size() != 2) GTEST_SKIP() << "by two images";
    const auto region = transport().allocate(2 * far);
    const std::int64_t mine[] = {rank() + 1, rank() + 2};
    const sets::PairedLevel level{2, static_cast<sets::Index>(far), 8};
    const Correspondence shape(8, {&level, 1});
    transport().put(*region, 1 - rank(), 16, reinterpret_cast<const std::byte*>(mine), shape);
    synchronise();
    std::int64_t here[2], there[2];
    std::memcpy(&here[0], region->local() + 16, 8);
    std::memcpy(&here[1], region->local() + far + 16, 8);
    transport().get(*region, 1 - rank(), 16, reinterpret_cast<std::byte*>(there), shape.turned());
    EXPECT_EQ(here[0], 2 - rank());
    EXPECT_EQ(here[1], 3 - rank());
    EXPECT_EQ(there[0], mine[0]);
    EXPECT_EQ(there[1], mine[1]);
    barrier();
}

TEST(Datatype, RowsBeyondAnInt) {
    constexpr std::int64_t large = (std::int64_t{3} << 30) + 5;
    for (const auto& [length, count] :
         {std::pair{large, std::int64_t{3}}, {std::int64_t{3}, large}, {std::int64_t{7}, std::int64_t{5}}}) {
        const std::int64_t stride = 4 * length + 12;
        const auto rows = base::Datatype::rows(MPI_INT32_T, length, count, stride);
        MPI_Count bytes = 0, lower = 0, extent = 0;
        MPI_Type_size_x(rows, &bytes);
        MPI_Type_get_extent_x(rows, &lower, &extent);
        EXPECT_EQ(bytes, 4 * length * count);
        EXPECT_EQ(extent, (count - 1) * stride + 4 * length);
    }
}

TEST_F(Transfer, NothingIsMovedByEmptyShapes) {
    const auto region = transport().allocate(64);
    const auto nothing = transport().allocate(0);
    const sets::PairedLevel levels[] = {{3, 8, 8}, {0, 8, 8}};
    const Correspondence shape(8, levels);
    const double value = 1;
    const auto* const from = reinterpret_cast<const std::byte*>(&value);
    std::byte to[8]{};
    for (int target = 0; target < size(); ++target) {
        transport().put(*region, target, 0, from, shape);
        transport().get(*region, target, 0, to, shape);
        transport().put(*region, target, 0, from, run_of(0));
        transport().put(*nothing, target, 0, from, run_of(0));
    }
    synchronise();
    EXPECT_TRUE(std::all_of(region->local(), region->local() + 64, [](std::byte byte) { return byte == std::byte{}; }));
    EXPECT_EQ(nothing->bytes(), 0u);
    barrier();
}

TEST_F(Transfer, SeveralRegionsComeAndGo) {
    auto first = transport().allocate(1000), second = transport().allocate(5000), third = transport().allocate(300);
    const int target = size() - 1 - rank();
    const auto send = [&](Region& region, std::int64_t value) {
        transport().put(region, target, 8, reinterpret_cast<const std::byte*>(&value), run_of(sizeof value));
    };
    const auto value_in = [](const Region& region) { return *reinterpret_cast<const std::int64_t*>(region.local() + 8); };
    send(*first, 1 + rank());
    send(*second, 1001 + rank());
    synchronise();
    EXPECT_EQ(value_in(*first), 1 + target);
    EXPECT_EQ(value_in(*second), 1001 + target);
    EXPECT_EQ(value_in(*third), 0);
    barrier();
    first.reset();
    auto fourth = transport().allocate(800);
    EXPECT_EQ(value_in(*fourth), 0);  // memory that is used again is zero again
    barrier();
    send(*third, 2001 + rank());
    send(*fourth, 3001 + rank());
    synchronise();
    EXPECT_EQ(value_in(*third), 2001 + target);
    EXPECT_EQ(value_in(*fourth), 3001 + target);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(fourth->local()) % 64, 0u);
    barrier();
}

TEST_F(Transfer, AttachedMemoryOrRefusalEverywhere) {
    std::vector<std::int64_t> memory(500 + static_cast<std::size_t>(rank()) * 3, 7);
    const auto region =
        transport().attach(reinterpret_cast<std::byte*>(memory.data()), memory.size() * sizeof memory[0], comm());
    int mine = region != nullptr, least = 0, most = 0;
    MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, comm());
    MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, comm());
    ASSERT_EQ(least, most);
    if (!region) GTEST_SKIP() << "transport " << name() << " reaches memory of its own only";
    EXPECT_EQ(region->local(), reinterpret_cast<std::byte*>(memory.data()));
    EXPECT_EQ(region->bytes(), memory.size() * sizeof memory[0]);
    const std::int64_t value = 100 + rank();
    barrier();
    transport().put(*region, (rank() + 1) % size(), 16, reinterpret_cast<const std::byte*>(&value), run_of(sizeof value));
    synchronise();
    EXPECT_EQ(memory[2], 100 + (rank() + size() - 1) % size());
    EXPECT_EQ(memory[1], 7);
    EXPECT_EQ(memory[3], 7);
    barrier();
}

// Every second image brings memory, numbered backwards among themselves: ranks stay those of the whole communicator.
TEST_F(Transfer, AttachedMemoryOfSomeImages) {
    const int step = size() > 2 ? 2 : 1;
    MPI_Comm members = MPI_COMM_NULL;
    MPI_Comm_split(comm(), rank() % step == 0 ? 0 : MPI_UNDEFINED, -rank(), &members);
    int count = 0;
    if (members != MPI_COMM_NULL) MPI_Comm_size(members, &count);
    if (count > 1) {
        std::vector<std::int64_t> memory(100, 7);
        const std::size_t bytes = memory.size() * sizeof memory[0];
        const auto region = transport().attach(reinterpret_cast<std::byte*>(memory.data()), bytes, members);
        if (region) {
            const int next = (rank() + step) % (step * count), before = (rank() - step + step * count) % (step * count);
            const std::int64_t value = 100 + rank();
            const auto* const from = reinterpret_cast<const std::byte*>(&value);
            barrier(members);
            transport().put(*region, next, 16, from, run_of(sizeof value));
            transport().accumulate(*region, next, 24, from, run_of(sizeof value), Reduction::sum, XMP_TYPE_LONG);
            transport().accumulate(*region, next, 32, from, run_of(sizeof value), Reduction::quotient, XMP_TYPE_LONG);
            EXPECT_EQ(transport().atomic(*region, next, 40, sizeof value, Atomic::add, rank(), 0), 7);
            EXPECT_EQ(transport().atomic(*region, next, 40, sizeof value, Atomic::compare_and_swap, 3, 7 + rank()), 7 + rank());
            std::int64_t read = 0;
            transport().get(*region, next, 16, reinterpret_cast<std::byte*>(&read), run_of(sizeof read));
            EXPECT_EQ(read, value);
            transport().fence();
            barrier(members);
            transport().fence();
            EXPECT_EQ(memory[2], 100 + before);
            EXPECT_EQ(memory[3], 107 + before);
            EXPECT_EQ(memory[4], 0);
            EXPECT_EQ(memory[5], 3);
            barrier(members);
        }
    }
    if (members != MPI_COMM_NULL) MPI_Comm_free(&members);
    barrier();
}

}  // namespace
}  // namespace kumihimo::transport
