// Every algorithm run by MPI on bytes, compared with what the MPI standard says (tests/collectives/expected.hpp).
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "collectives/executor/arithmetic.hpp"
#include "collectives/executor/known_calls.hpp"
#include "collectives/executor/run.hpp"
#include "tests/collectives/cases.hpp"
#include "tests/collectives/expected.hpp"

namespace kumihimo::collectives::test {
namespace {

// Operations on bytes: exclusive or, because Open MPI 4.1's sum of long vectors of bytes saturates; and one that does not
// commute: a byte is the map x -> (high digit) * x + (low digit) modulo 16, and two are combined to the one after the other.
std::uint8_t compose(std::uint8_t a, std::uint8_t b) {
    const int factor = (a >> 4) * (b >> 4) % 16, summand = ((a >> 4) * (b & 15) + (a & 15)) % 16;
    return static_cast<std::uint8_t>(factor << 4 | summand);
}

void compose_all(void* in, void* inout, int* count, MPI_Datatype*) {
    auto* const left = static_cast<std::uint8_t*>(in);
    auto* const right = static_cast<std::uint8_t*>(inout);
    for (int i = 0; i < *count; ++i) right[i] = compose(left[i], right[i]);
}

constexpr std::uint8_t unwritten = 0xee;

std::uint8_t value(Term term) {
    return term == undefined ? unwritten : static_cast<std::uint8_t>(static_cast<unsigned>(term) * 2654435761u >> 20);
}

// How messages travel, in turns: by MPI, through shared memory by copies of pieces, by one copy, and both inside and between
// machines of three nodes. In the last one ranks are other ones of the communicator, and a function combines.
constexpr int transports = 5, by_addresses = 4;

std::unique_ptr<NodeMessages> open_transport(int number, MPI_Comm communicator) {
    if (number == 0 || number == by_addresses) return nullptr;
    setenv("KUMIHIMO_COLL_ONE_COPY", number == 2 ? "1" : "1G", 1);
    setenv("KUMIHIMO_NODES_PER_MACHINE", number == 3 ? "3" : "0", 1);
    MPI_Comm own;  // which of its ranks share memory is found out once for each communicator
    MPI_Comm_dup(communicator, &own);
    std::unique_ptr<NodeMessages> messages = NodeMessages::open(own);
    MPI_Comm_free(&own);
    return messages;
}

class World {
public:
    World() {
        MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
        for (int i = 0; i < transports; ++i) node[i] = open_transport(i, communicator);
        MPI_Comm_rank(communicator, &rank);
        MPI_Comm_size(communicator, &ranks);
        MPI_Op_create(compose_all, 0, &composition);
        MPI_Comm_split(communicator, 0, -rank, &turned);
        for (int other = 0; other < ranks; ++other)
            addresses.push_back({ranks - 1 - other, channels * (1 + rank + other)});  // tags on which both agree
    }
    ~World() {
        MPI_Op_free(&composition);
        MPI_Comm_free(&turned);
        MPI_Comm_free(&communicator);
    }
    MPI_Comm communicator, turned;
    MPI_Op composition;
    int rank, ranks;
    std::vector<Address> addresses;
    std::unique_ptr<NodeMessages> node[transports];
    Run run;
    int next = 0;  // transport
};

std::vector<std::byte> filled(const Call& call, Buffer buffer, Bytes bytes) {
    std::vector<std::byte> memory;
    for (Bytes i = 0; i < bytes; ++i) memory.push_back(std::byte{value(initial(call, buffer, i))});
    return memory;
}

std::uint8_t combined(const std::vector<Term>& inputs, bool commutative) {
    if (inputs.empty()) return unwritten;
    std::uint8_t result = value(inputs[0]);
    for (std::size_t i = 1; i < inputs.size(); ++i)
        result = commutative ? static_cast<std::uint8_t>(result ^ value(inputs[i])) : compose(result, value(inputs[i]));
    return result;
}

bool run_by_mpi(World& world, const Algorithm& algorithm, const Setting& setting) {
    const Case all(setting);
    for (const Call& call : all.calls())
        if (!usable(algorithm, call)) return false;
    const Call& call = all.calls()[static_cast<std::size_t>(world.rank)];
    const std::vector<std::byte> send = filled(call, Buffer::send, send_bytes(call));
    std::vector<std::byte> receive = filled(call, Buffer::receive, receive_bytes(call));
    std::vector<std::byte> work(static_cast<std::size_t>(work_bytes(algorithm, call)));
    const MPI_Op operation = call.commutative ? MPI_BXOR : world.composition;
    const int transport = world.next++ % transports;
    NodeMessages* const node = world.node[transport].get();
    Operands operands{send.data(), receive.data(), work.data(), world.communicator, node, MPI_UINT8_T, 1, operation};
    const Combine combine = [&](const std::byte* from, std::byte* to, std::size_t bytes) {
        for (std::size_t i = 0; i < bytes; ++i) {
            const auto left = static_cast<std::uint8_t>(from[i]), right = static_cast<std::uint8_t>(to[i]);
            to[i] = std::byte{call.commutative ? static_cast<std::uint8_t>(left ^ right) : compose(left, right)};
        }
    };
    const std::function<bool()> never = [] { return false; };
    if (transport == by_addresses) {
        operands.communicator = world.turned;
        operands.addresses = world.addresses.data();
        operands.combine = &combine;
        operands.hopeless = &never;
    }
    EXPECT_EQ(world.run.execute(Source(schedule(algorithm, call)), operands, 32), MPI_SUCCESS);
    for (std::size_t i = 0; i < receive.size(); ++i) {
        const auto right = expected(all.calls(), world.rank, static_cast<Bytes>(i));
        if (!right) continue;
        EXPECT_EQ(static_cast<std::uint8_t>(receive[i]), combined(*right, call.commutative))
            << algorithm.name << " " << text(setting) << " byte " << i;
        if (static_cast<std::uint8_t>(receive[i]) != combined(*right, call.commutative)) break;
    }
    return true;
}

std::vector<Torus> shapes_of(int ranks) {
    std::vector<Torus> shapes{Torus::line(ranks)};
    if (ranks == 4) shapes.push_back({{2, 2, 1}});
    if (ranks == 8) shapes.push_back({{2, 2, 2}});
    return shapes;
}

TEST(Executor, EveryAlgorithm) {
    World world;
    int ran = 0;
    const auto hosts_of = [&](const Algorithm& algorithm) {
        std::vector<int> hosts;
        for (int rank = 0; rank < world.ranks && std::string_view(algorithm.name).starts_with("hosts"); ++rank)
            hosts.push_back(rank / 3);  // as in the last transport
        return hosts;
    };
    for (const Algorithm& algorithm : algorithms())
        for (const Torus& torus : shapes_of(world.ranks))
            for (const int root : {0, world.ranks - 1})
                for (const Bytes bytes : {0, 1, 1000})
                    for (int form = 0; form < 8; ++form) {
                        Setting setting{algorithm.operation, torus,           root,           bytes, 1,
                                        (form & 1) != 0,     (form & 2) == 0, (form & 4) != 0};
                        setting.segment_bytes = 64;
                        setting.hosts = hosts_of(algorithm);
                        if (world.ranks == 1 && root != 0) continue;
                        if (possible(setting)) ran += run_by_mpi(world, algorithm, setting);
                    }
    EXPECT_GT(ran, 0);
}

// Messages that no library sends before they are received; many segments at the same time.
TEST(Executor, LargeMessages) {
    World world;
    for (const char* const name : {"chain", "binomial", "tree1", "ring", "rings1", "pairwise", "rabenseifner"})
        for (const Algorithm& algorithm : algorithms()) {
            if (std::string_view(algorithm.name) != name) continue;
            Setting setting{algorithm.operation, Torus::line(world.ranks), 0, 12'000};
            setting.segment_bytes = 1000;
            if (!possible(setting)) continue;
            for (int i = 0; i < transports; ++i) run_by_mpi(world, algorithm, setting);
        }
}

// A broadcast whose root never comes is left; the next one, by other tags, meets nothing of it.
TEST(Executor, LeavesWhatIsHopeless) {
    World world;
    const Setting setting{Operation::broadcast, Torus::line(world.ranks), world.ranks - 1, 1000};
    const Case all(setting);
    const Call& call = all.calls()[static_cast<std::size_t>(world.rank)];
    static std::vector<std::byte> left(1000);  // is MPI's from now on
    int asked = 0;
    const std::function<bool()> hopeless = [&] { return ++asked == 100; };
    std::vector<Address> addresses = world.addresses;
    for (Address& address : addresses) address.tag += 1000 * channels;
    Operands operands{nullptr, left.data(), nullptr, world.turned};
    operands.addresses = addresses.data();
    operands.hopeless = &hopeless;
    const Algorithm& algorithm = *find_algorithm(Operation::broadcast, "linear");
    if (world.rank != call.root) {
        EXPECT_NE(world.run.execute(Source(schedule(algorithm, call)), operands, 32), MPI_SUCCESS);
        EXPECT_EQ(asked, 100);
    }
    world.next = by_addresses;
    run_by_mpi(world, algorithm, setting);
}

// Benchmarks that take the roots in turn and meet at a barrier after each call repeat as many different calls as there are
// ranks, and one.
TEST(KnownCalls, OfALoopAreAllKept) {
    for (int count = 0; count < 5000; count = count < 64 ? count + 1 : 2 * count) {
        KnownCalls known;
        const Arguments barrier{Operation::barrier}, first{Operation::broadcast, 0, false, count, MPI_BYTE},
            second{Operation::broadcast, 1, false, count, MPI_BYTE};
        for (const Arguments& arguments : {barrier, first, second}) known.remember(arguments, nullptr, {}, {});
        for (const Arguments& arguments : {barrier, first, second}) EXPECT_NE(known.find(arguments), nullptr) << count;
    }
}

// A schedule that is too long to be kept takes no other's place.
TEST(KnownCalls, LongOnesAreNotKept) {
    KnownCalls known;
    const Arguments barrier{Operation::barrier}, gather{Operation::gather, 0, false, 8, MPI_BYTE};
    Call call;
    call.operation = Operation::gather;
    call.ranks = 100;
    call.torus = Torus::line(call.ranks);
    known.remember(barrier, nullptr, {}, {});
    for (int i = 0; i < 100; ++i) known.remember(gather, find_algorithm(Operation::gather, "linear"), call, {});
    EXPECT_EQ(known.find(gather), nullptr);
    EXPECT_NE(known.find(barrier), nullptr);
}

// Of random bits: whole numbers overflow. Floating-point numbers are of one size, so that none becomes a NaN.
void expect_as_by_mpi(MPI_Op operation, MPI_Datatype type, std::mt19937& chance) {
    const arithmetic::Combine here = loop_of(operation, type);
    ASSERT_NE(here, nullptr);
    int size = 0;
    MPI_Type_size(type, &size);
    const bool floating = type == MPI_FLOAT || type == MPI_DOUBLE;
    for (const int count : {0, 1, 3, 17, 64, 1001}) {
        std::vector<std::byte> from(static_cast<std::size_t>(count * size)), to(from.size()), aside(from.size() + 1);
        for (std::vector<std::byte>* const side : {&from, &to})
            for (std::size_t i = 0; i < side->size(); ++i) (*side)[i] = static_cast<std::byte>(chance());
        for (int i = 0; floating && i < count; ++i)
            for (std::vector<std::byte>* const side : {&from, &to}) {
                const double value = static_cast<double>(chance()) / 65536 - 30000;
                const auto narrow = static_cast<float>(value);
                std::memcpy(side->data() + i * size, size == 4 ? static_cast<const void*>(&narrow) : &value,
                            static_cast<std::size_t>(size));
            }
        std::copy(to.begin(), to.end(), aside.begin() + 1);
        here(aside.data() + 1, from.data(), static_cast<std::size_t>(count));
        ASSERT_EQ(MPI_Reduce_local(from.data(), to.data(), count, type, operation), MPI_SUCCESS);
        EXPECT_TRUE(std::equal(to.begin(), to.end(), aside.begin() + 1)) << count << " elements of " << size << " bytes";
    }
}

TEST(Arithmetic, GivesWhatMpiGives) {
    std::mt19937 chance(3);
    for (const MPI_Datatype type : {MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_INT32_T, MPI_INT64_T})
        for (const MPI_Op operation : {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR, MPI_BXOR})
            expect_as_by_mpi(operation, type, chance);
    for (const MPI_Datatype type : {MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_UINT32_T, MPI_UINT64_T})
        for (const MPI_Op operation : {MPI_SUM, MPI_PROD, MPI_BAND, MPI_BOR, MPI_BXOR})
            expect_as_by_mpi(operation, type, chance);
    for (const MPI_Datatype type : {MPI_FLOAT, MPI_DOUBLE})
        for (const MPI_Op operation : {MPI_SUM, MPI_PROD}) expect_as_by_mpi(operation, type, chance);
}

TEST(Arithmetic, LeavesTheRestToMpi) {
    for (const MPI_Op operation : {MPI_MIN, MPI_MAX, MPI_LAND}) EXPECT_EQ(loop_of(operation, MPI_DOUBLE), nullptr);
    EXPECT_EQ(loop_of(MPI_LAND, MPI_INT), nullptr);
    EXPECT_EQ(loop_of(MPI_MIN, MPI_UNSIGNED), nullptr);
    EXPECT_EQ(loop_of(MPI_MINLOC, MPI_2INT), nullptr);
    for (const MPI_Datatype type : {MPI_LONG_DOUBLE, MPI_BYTE, MPI_SHORT, MPI_INT8_T, MPI_C_DOUBLE_COMPLEX, MPI_DATATYPE_NULL})
        EXPECT_EQ(loop_of(MPI_SUM, type), nullptr);
    MPI_Op own;
    MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, true, &own);
    EXPECT_EQ(loop_of(own, MPI_INT), nullptr);
    MPI_Op_free(&own);
}

}  // namespace
}  // namespace kumihimo::collectives::test
