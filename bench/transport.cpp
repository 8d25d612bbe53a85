// A transport against its library used by hand (bench/transport_hand_*.cpp): 2 processes, the first works on the second, which
// waits and makes progress. One launch measures every case; bench/transport.py runs several launches and compares.
//   mpiexec -n 2 bench_transport_mpi_openmpi TRANSPORT [SECONDS FOR EACH CASE [OPERATION...]]
// Prints its records, of these operations alone where any is named. The transport is an operation and a fence. Between machines
// messages by hand take turns with them.
#include "runtime/transport/transport.hpp"

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/turns.hpp"
#include "kumihimo/generated.h"
#include "transport_ball.hpp"
#include "transport_hand.hpp"
#include "transport_two_sided.hpp"

namespace {

using kumihimo::sets::Correspondence;
using kumihimo::sets::PairedLevel;
using kumihimo::transport::Reduction;
using kumihimo::transport::Region;
using kumihimo::transport::Transport;

int rank = 0;
std::vector<std::string> only;  // empty: all operations

// The second process helps until the first is done.
void measure(Transport& transport, const std::function<void()>& serve, const std::string& name, std::size_t bytes,
             const std::vector<bench::Variant>& variants, double seconds) {
    if (!only.empty() && std::find(only.begin(), only.end(), name) == only.end()) return;
    if (rank == 0) bench::take_turns(name.c_str(), static_cast<long long>(bytes), variants, seconds, MPI_COMM_SELF);
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!done) {
        transport.poll();
        if (rank == 1) serve();
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

// The least that a transport chosen at run time can cost: two indirect calls, of which one stores 8 bytes.
class Least {
public:
    virtual ~Least() = default;
    virtual void put(Region& region, int target, std::size_t offset, const std::byte* from, const Correspondence& shape) {
        asm volatile("" : : "r"(target));
        std::memcpy(region.local() + offset, from, shape.run() == 8 ? 8 : 0);
    }
    virtual void fence() { std::atomic_thread_fence(std::memory_order_acq_rel); }
};

void play_ball(Transport& transport, const std::vector<std::size_t>& sizes, double seconds) {
    bench::TransportBall ours(transport, 1 - rank);
    bench::WindowBall window(1 - rank);
    bench::MessageBall message(1 - rank);
    for (const std::size_t size : sizes) {
        const auto by = [size](bench::Ball& ball) { return [&ball, size] { ball.play(size); }; };
        const auto turns = [&](const std::vector<bench::Variant>& variants, std::initializer_list<bench::Ball*> balls) {
            const auto answer = [&] {
                for (bench::Ball* const ball : balls) ball->answer(size);
            };
            measure(transport, answer, "put ping-pong", size, variants, seconds);
        };
        turns({{"transport", by(ours)}, {"two-sided by hand", by(message)}}, {&ours, &message});
        // Apart: MPICH's takes up to half a second.
        turns({{"by hand", by(window)}, {"by hand again", by(window)}}, {&window});
    }
}

void add_whole_numbers(Transport& transport, Region& region, bench::Hand& hand, double seconds) {
    if (!hand.adds_whole_numbers()) return;
    const std::vector<std::int64_t> words(bench::doubles, 1);
    const auto* const bytes = reinterpret_cast<const std::byte*>(words.data());
    for (const int count : {1, bench::doubles}) {
        const Correspondence shape(count * static_cast<std::ptrdiff_t>(sizeof words[0]));
        const auto ours = [&, shape] {
            transport.accumulate(region, 1, 0, bytes, shape, Reduction::sum, XMP_TYPE_LONG);
            transport.fence();
        };
        const auto by_hand = [&, count] { hand.add(words.data(), count); };
        measure(
            transport, [] {}, "accumulate whole numbers", static_cast<std::size_t>(count) * sizeof words[0],
            {{"transport", ours}, {"by hand", by_hand}, {"by hand again", by_hand}}, seconds);
    }
}

void run(Transport& transport, double seconds) {
    const auto region = transport.allocate(2 * bench::largest);
    const auto hand = bench::make_hand(1);
    const auto messages = bench::several_machines() ? std::make_unique<bench::TwoSided>() : nullptr;
    std::vector<double> values(2 * bench::largest / sizeof(double), 1.0);
    auto* const bytes = reinterpret_cast<std::byte*>(values.data());
    const auto compare = [&](const std::string& name, std::size_t size, const std::function<void()>& ours, auto by_hand) {
        std::vector<bench::Variant> variants = {
            {"transport", ours}, {"by hand", [&] { by_hand(*hand); }}, {"by hand again", [&] { by_hand(*hand); }}};
        if (messages) variants.push_back({"two-sided by hand", [&] { by_hand(*messages); }});
        const auto serve = [&] {
            if (messages) messages->serve();
        };
        measure(transport, serve, name, size, variants, seconds);
    };
    Least least;
    Least* volatile chosen = &least;
    const Correspondence word(8);
    compare(
        "two empty calls", 8, [&] { chosen->put(*region, 1, 0, bytes, word), chosen->fence(); },
        [&](bench::Hand& by_hand) { by_hand.put(values.data(), 8); });
    std::vector<std::size_t> sizes = {8, 65536, 1 << 20, bench::largest};
    if (messages) sizes = {8, 512, 4096, 16384, 65536, 131072, 262144, 1 << 20, bench::largest};
    for (const std::size_t size : sizes) {
        const Correspondence shape(static_cast<kumihimo::sets::Index>(size));
        compare(
            "put", size, [&, shape] { transport.put(*region, 1, 0, bytes, shape), transport.fence(); },
            [&, size](bench::Hand& by_hand) { by_hand.put(values.data(), size); });
        compare(
            "get", size, [&, shape] { transport.get(*region, 1, 0, bytes, shape); },
            [&, size](bench::Hand& by_hand) { by_hand.get(values.data(), size); });
    }
    constexpr auto stride = bench::block_stride * static_cast<std::ptrdiff_t>(sizeof(double));
    const PairedLevel each{bench::blocks, stride, stride};
    const Correspondence strided(sizeof(double), {&each, 1});
    compare(
        "put in blocks of 8 B", bench::blocks * sizeof(double),
        [&] { transport.put(*region, 1, 0, bytes, strided), transport.fence(); },
        [&](bench::Hand& by_hand) { by_hand.put_strided(values.data()); });
    const Correspondence vector(bench::doubles * static_cast<std::ptrdiff_t>(sizeof(double)));
    compare(
        "accumulate doubles", bench::doubles * sizeof(double),
        [&] { transport.accumulate(*region, 1, 0, bytes, vector, Reduction::sum, XMP_TYPE_DOUBLE), transport.fence(); },
        [&](bench::Hand& by_hand) { by_hand.accumulate(values.data()); });
    add_whole_numbers(transport, *region, *hand, seconds);
    if (messages) play_ball(transport, sizes, seconds);
}

}  // namespace

int main(int argc, char** argv) {
    XMP_Start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2 || argc < 2) {
        if (rank == 0) std::fprintf(stderr, "usage: mpiexec -n 2 %s TRANSPORT [SECONDS [OPERATION...]]\n", argv[0]);
        return 2;
    }
    only.assign(argv + std::min(argc, 3), argv + argc);
    try {
        const auto transport = kumihimo::transport::make(argv[1], MPI_COMM_WORLD);
        run(*transport, argc > 2 ? std::atof(argv[2]) : 0.1);
        if (rank == 0) bench_end();
    } catch (const kumihimo::base::Error& error) {
        std::fprintf(stderr, "%s\n%s\n", error.what(), error.advice().c_str());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return 0;
}
