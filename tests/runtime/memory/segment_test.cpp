// Segments: what one node writes its peers read through their direct pointers; sizes 0 and unequal; reuse; refusal.
#include "runtime/memory/segment.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hosts.hpp"
#include "base/made.hpp"
#include "base/settings.hpp"
#include "runtime/execution/context.hpp"
#include "runtime/memory/capacity.hpp"

namespace kumihimo::memory {
namespace {

MPI_Comm comm() {
    return execution::Context::get().world_communicator();
}
int rank() {
    return execution::Context::get().world_rank();
}
int size() {
    return execution::Context::get().world_size();
}

bool everywhere(bool mine) {
    int value = mine, all = 0;
    MPI_Allreduce(&value, &all, 1, MPI_INT, MPI_MIN, comm());
    return all != 0;
}

std::byte pattern(int owner, std::size_t i) {
    return static_cast<std::byte>((static_cast<std::size_t>(owner) * 37 + i * 11 + i / 256) % 251);
}

bool all_zero(const std::byte* data, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i++)
        if (data[i] != std::byte{0}) return false;
    return true;
}

void check_exchange(const Segment& segment) {
    EXPECT_TRUE(all_zero(segment.local(), segment.bytes()));
    MPI_Barrier(comm());  // all have looked
    for (std::size_t i = 0; i < segment.bytes(); i++) segment.local()[i] = pattern(rank(), i);
    MPI_Barrier(comm());
    for (int peer = 0; peer < segment.ranks(); peer++) {
        if (segment.direct(peer) == nullptr) continue;
        bool equal = true;
        for (std::size_t i = 0; i < segment.bytes(peer); i++) equal = equal && segment.direct(peer)[i] == pattern(peer, i);
        EXPECT_TRUE(equal) << "memory of rank " << peer << " seen by " << rank();
    }
    MPI_Barrier(comm());
}

TEST(Segment, PeersSeeEachOthersMemory) {
    for (const std::size_t bytes :
         {std::size_t{1}, std::size_t{64}, std::size_t{4096}, std::size_t{100001}, std::size_t{1} << 20}) {
        const auto segment = Segment::allocate(comm(), bytes, "test");
        EXPECT_EQ(segment->bytes(), bytes);
        EXPECT_EQ(segment->ranks(), size());
        EXPECT_EQ(segment->direct(rank()), segment->local());
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(segment->local()) % 64, 0u);
        check_exchange(*segment);
    }
}

TEST(Segment, SizesMayDifferAndBeZero) {
    std::mt19937 random(12345);  // the same on all ranks
    for (int round = 0; round < 8; round++) {
        std::vector<std::size_t> bytes;
        for (int r = 0; r < size(); r++) bytes.push_back(random() % 3 == 0 ? 0 : random() % 20000);
        const auto segment = Segment::allocate(comm(), bytes[rank()], "test");
        for (int r = 0; r < size(); r++) EXPECT_EQ(segment->bytes(r), bytes[r]);
        EXPECT_NE(segment->local(), nullptr);
        check_exchange(*segment);
    }
}

TEST(Segment, DirectPointersFollowTheSetting) {
    const auto segment = Segment::allocate(comm(), 8, "test");
    const base::Hosts& hosts = base::hosts_of(comm());
    for (int peer = 0; peer < size(); peer++)
        EXPECT_EQ(segment->direct(peer) != nullptr, hosts.host_of_rank[peer] == hosts.host_of_rank[rank()]);
    if (base::setting("KUMIHIMO_SHM") == "off") {
        EXPECT_EQ(hosts.ranks_here.size(), 1u);
    }
    // These tests run on one machine, so all nodes must have found each other.
    const auto machine = static_cast<int>(base::setting_number("KUMIHIMO_NODES_PER_MACHINE"));
    if (base::setting("KUMIHIMO_SHM") != "off") {
        for (int peer = 0; peer < size(); peer++)
            EXPECT_EQ(segment->direct(peer) != nullptr, machine == 0 || peer / machine == rank() / machine);
    }
}

// What a copy finds out is known to the communicator and to its later copies, for as long as any of them lives.
TEST(Hosts, AreKnownToCopies) {
    MPI_Comm original, first, second;
    MPI_Comm_dup(MPI_COMM_WORLD, &original);
    base::keep_hosts(original);
    MPI_Comm_dup(original, &first);
    const std::vector<int> found = base::hosts_of(first).host_of_rank;
    MPI_Comm_free(&first);
    MPI_Comm_dup(original, &second);
    const base::Hosts* const known = &base::hosts_of(original);
    MPI_Comm_free(&original);
    EXPECT_EQ(&base::hosts_of(second), known);
    EXPECT_EQ(known->host_of_rank, found);
    MPI_Comm_free(&second);
}

// Parts, in whatever order, know their hosts without trying memory again.
TEST(Hosts, OfPartsAreThoseOfTheWhole) {
    const std::vector<int> whole = base::hosts_of(comm()).host_of_rank;
    MPI_Comm part;
    MPI_Comm_split(comm(), rank() % 2, -rank(), &part);
    const int segments = base::made().segments;
    base::inherit_hosts(comm(), part);
    const base::Hosts& hosts = base::hosts_of(part);
    EXPECT_EQ(base::made().segments, segments);
    int members = 0;
    MPI_Comm_size(part, &members);
    std::vector<int> ranks(static_cast<std::size_t>(members));
    const int mine = rank();
    MPI_Allgather(&mine, 1, MPI_INT, ranks.data(), 1, MPI_INT, part);
    for (int a = 0; a < members; a++)
        for (int b = 0; b < members; b++)
            EXPECT_EQ(hosts.host_of_rank[a] == hosts.host_of_rank[b], whole[ranks[a]] == whole[ranks[b]]);
    MPI_Comm_free(&part);
}

TEST(Segment, PointersAreSymmetric) {
    const auto segment = Segment::allocate(comm(), rank() == 0 ? 0 : 100, "test");
    std::vector<int> mine(size()), all(static_cast<std::size_t>(size()) * size());
    for (int peer = 0; peer < size(); peer++) mine[peer] = segment->direct(peer) != nullptr;
    MPI_Allgather(mine.data(), size(), MPI_INT, all.data(), size(), MPI_INT, comm());
    for (int a = 0; a < size(); a++)
        for (int b = 0; b < size(); b++) EXPECT_EQ(all[a * size() + b], all[b * size() + a]);
}

TEST(Segment, FreedMemoryIsReusedAndClean) {
    std::byte* first = nullptr;
    {
        const auto segment = Segment::allocate(comm(), 30000, "automatic");
        first = segment->local();
        std::memset(first, 0x5a, 30000);
    }
    const auto again = Segment::allocate(comm(), 30000, "automatic");
    EXPECT_EQ(again->local(), first);
    check_exchange(*again);
    const auto other = Segment::allocate(comm(), 30000, "automatic");  // while the first is in use
    EXPECT_NE(other->local(), first);
}

TEST(Segment, ReuseNeedsAllNodes) {
    std::unique_ptr<Segment> held = Segment::allocate(comm(), 5000, "held");
    const auto* const before = held->local();
    if (rank() % 2 == 1 || size() == 1) held.reset();  // as if an operation still held it on the others
    const auto next = Segment::allocate(comm(), 5000, "held");
    if (size() > 1) {
        EXPECT_NE(next->local(), before);
    }
    check_exchange(*next);
}

TEST(Segment, PeersMappingsOutliveTheOwners) {
    auto segment = Segment::allocate(comm(), 1 << 20, "test");
    std::memset(segment->local(), rank() + 1, 1 << 20);
    MPI_Barrier(comm());
    if (rank() == 0) segment.reset();
    MPI_Barrier(comm());
    if (rank() != 0 && segment->direct(0) != nullptr) {
        EXPECT_EQ(segment->direct(0)[12345], std::byte{1});
    }
    MPI_Barrier(comm());
}

TEST(Segment, EqualSizesStartOnDifferentCacheSets) {
    std::vector<std::unique_ptr<Segment>> segments;
    std::vector<std::uintptr_t> starts;
    for (int k = 0; k < 8; k++) {
        segments.push_back(Segment::allocate(comm(), std::size_t{1} << 22, "array"));
        starts.push_back(reinterpret_cast<std::uintptr_t>(segments.back()->local()) % 4096);
    }
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < a; b++) EXPECT_NE(starts[a], starts[b]);
}

// One mapping serves many of them, however they come and go; each is clean, and none meets another.
TEST(Segment, SmallOnesShareAMapping) {
    std::mt19937 random(4321);  // the same on all ranks
    std::vector<std::pair<std::byte, std::unique_ptr<Segment>>> held;
    const int before = base::made().segments;
    constexpr int rounds = 200;
    for (int round = 0; round < rounds; ++round) {
        const std::size_t bytes = random() % 8000 + (random() % static_cast<unsigned>(size()) == static_cast<unsigned>(rank()));
        auto segment = Segment::allocate(comm(), bytes, "small " + std::to_string(round));
        EXPECT_TRUE(all_zero(segment->local(), segment->bytes()));
        std::memset(segment->local(), round + 1, segment->bytes());
        held.emplace_back(static_cast<std::byte>(round + 1), std::move(segment));
        if (round % 3 == 2) held.erase(held.begin() + static_cast<std::ptrdiff_t>(random() % held.size()));
    }
    MPI_Barrier(comm());
    for (const auto& [value, segment] : held)
        for (int peer = 0; peer < size(); ++peer) {
            const std::byte* const data = segment->direct(peer);
            if (data == nullptr) continue;
            EXPECT_EQ(std::count(data, data + segment->bytes(peer), value), static_cast<std::ptrdiff_t>(segment->bytes(peer)));
        }
    MPI_Barrier(comm());
    EXPECT_LE(base::made().segments - before, rounds / 10);
}

TEST(Segment, TooLargeIsRefusedOnAllNodesAlike) {
    const std::size_t asked = rank() == size() - 1 ? std::size_t{1} << 55 : 8;  // one node asks for too much
    std::string message;
    try {
        Segment::allocate(comm(), asked, "array u");
    } catch (const base::Error& error) {
        message = error.what();
    }
    EXPECT_NE(message.find("allocation too large: array u asks for 32.0 PiB"), std::string::npos) << message;
    EXPECT_TRUE(everywhere(!message.empty()));
    const auto after = Segment::allocate(comm(), 1000, "after");  // and the next one works
    check_exchange(*after);
}

TEST(Segment, DifferentPurposesAreToldToAllNodes) {
    if (size() == 1) return;
    std::string message;
    try {
        Segment::allocate(comm(), 8, rank() == size() - 1 ? "array u" : "flags");
    } catch (const base::Error& error) {
        message = error.what();
    }
    const std::string last = "node " + std::to_string(size() - 1) + " allocates array u";
    EXPECT_NE(message.find(size() == 2 ? "node 0 allocates flags, " + last : " allocate flags, " + last), std::string::npos)
        << message;
    EXPECT_TRUE(everywhere(!message.empty()));
    check_exchange(*Segment::allocate(comm(), 1000, "after"));
}

TEST(Segment, MoreThanIsFreeIsRefusedBeforeAnyoneMaps) {
    const std::size_t total = capacity().total;
    ASSERT_GT(total, std::size_t{1} << 20);
    EXPECT_THROW(Segment::allocate(
                     comm(), total / static_cast<std::size_t>(base::hosts_of(comm()).ranks_here.size()) + (1 << 20), "array u"),
                 base::Error);
}

TEST(Segment, PromisesAreCounted) {
    // What is mapped but not touched yet is spoken for: the second half of three cannot be had.
    const base::Hosts& hosts = base::hosts_of(comm());
    const std::size_t part = capacity().total / 10 * 4 / hosts.ranks_here.size();
    const bool possible =
        base::setting("KUMIHIMO_SHM") != "posix" && !hosts.alone() && capacity().available > capacity().total / 2;
    if (!everywhere(possible)) GTEST_SKIP() << "needs memory that is promised but not taken, and shared";
    const auto first = Segment::allocate(comm(), part, "first");
    const auto second = Segment::allocate(comm(), part, "second");
    EXPECT_THROW(Segment::allocate(comm(), part, "third"), base::Error);
}

TEST(Segment, SubsetsOfTheNodesAllocateForThemselves) {
    MPI_Comm half;
    MPI_Comm_split(comm(), rank() % 2, -rank(), &half);
    int my_half_rank = 0, half_size = 0;
    MPI_Comm_rank(half, &my_half_rank);
    MPI_Comm_size(half, &half_size);
    {
        const auto segment = Segment::allocate(half, sizeof(int), "half");
        *reinterpret_cast<int*>(segment->local()) = rank();
        MPI_Barrier(half);
        const int last = half_size - 1;  // the lowest entire rank of this half
        if (segment->direct(last) != nullptr) {
            EXPECT_EQ(*reinterpret_cast<int*>(segment->direct(last)), rank() % 2);
        }
        MPI_Barrier(half);
    }
    MPI_Comm_free(&half);
}

}  // namespace
}  // namespace kumihimo::memory
