// What two processors do in collective operations that no time of messages tells: copies, reductions by libkumihimo_coll's
// loops and by the MPI library (MPI_Reduce_local), messages of what the sender has just computed, and what a step of a schedule
// takes besides the MPI calls that it makes. `kumihimo simulate fit` asks.
//
//   mpiexec -n 2 kumihimo-local BYTES...     prints microseconds as JSON:
//   [{"bytes": 8, "message_us": 0.2, "step_us": 0.1, "copy_us": 0.01, "reduction_us": 0.02, "rewrite_us": 0.2,
//     "fresh_us": 0.1, "library_reduction_us": 0.2, "library_rewrite_us": 0.2}, ...]
//
// Benchmarks of messages send memory that nobody writes between calls, so the receiver's cache may still hold it. In a
// reduction a rank computes what it sends: the receiver has to fetch it from the sender's cache (fresh_us), and the sender to
// take back what the receiver had fetched the time before (rewrite_us). So ranks 0 and 1 send each other in turn what they
// computed of what they received. That is no collective operation, and has no more than one message under way.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/wait.hpp"
#include "bench/measure/pattern.hpp"
#include "collectives/executor/arithmetic.hpp"
#include "collectives/executor/run.hpp"

namespace {

constexpr int rounds = 41;
// MPICH has 64 cells for messages between two ranks, which are touched one by one. Long messages take none.
constexpr std::size_t rounds_before = 100, least_before = 8, bytes_before = 8 << 20;

double least_but(std::size_t part, std::vector<double> times) {
    const auto here = times.begin() + static_cast<std::ptrdiff_t>(times.size() / part);
    std::nth_element(times.begin(), here, times.end());
    return *here;
}
double median(std::vector<double> times) {
    return least_but(2, std::move(times));
}
// Messages of megabytes are at times late by a multiple of themselves.
double quartile(std::vector<double> times) {
    return least_but(4, std::move(times));
}

// Of so many in a row, where one is shorter than the clock can tell. The same memory each time, as calls of a program have it.
template <typename Work>
double median_us(std::size_t bytes, Work&& work) {
    const int in_row = static_cast<int>(std::clamp<std::size_t>(65536 / (bytes + 1), 1, 200));
    std::vector<double> times(rounds);
    for (double& one : times) {
        const double before = MPI_Wtime();
        for (int i = 0; i < in_row; ++i) work();
        one = (MPI_Wtime() - before) * 1e6 / in_row;
    }
    return median(times);
}

class Pair {
public:
    Pair() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        clock_ = median_us(65536 / 200, [] { static_cast<void>(MPI_Wtime()); });
    }
    int rank() const { return rank_; }

    // The same there and back by a schedule: two steps of each rank. message: of MPI_Send and MPI_Recv.
    double step(std::span<const float> sent, std::span<float> received, double message) const {
        using namespace kumihimo::collectives;
        const auto bytes = static_cast<Bytes>(sent.size_bytes());
        const Span from{Buffer::send, 0, bytes}, to{Buffer::receive, 0, bytes};
        const std::array<Step, 2> steps = rank_ == 0 ? std::array{send(1, from), receive(1, to, After(0))}
                                                     : std::array{receive(0, to), send(0, from, After(0))};
        Operands operands;
        operands.send = reinterpret_cast<const std::byte*>(sent.data());
        operands.receive = reinterpret_cast<std::byte*>(received.data());
        operands.communicator = MPI_COMM_WORLD;
        Run run;
        std::vector<double> round_trips;
        for (int i = 0; i < rounds_before_of(sent) + rounds; ++i) {
            const double begin = MPI_Wtime();
            run.execute(Source(steps), operands, least_window);
            if (i >= rounds_before_of(sent)) round_trips.push_back((MPI_Wtime() - begin) * 1e6);
        }
        return std::max((quartile(round_trips) - clock_ - 2 * message) / 4, 0.0);
    }

    struct Times {
        double message, work;
    };
    // There and back, as rank 0 sees it: a message of `sent`, and what the receiver of one does with it.
    template <typename Work>
    Times relay(std::span<const float> sent, std::span<float> received, Work&& work) const {
        std::vector<double> round_trips, works;
        const int before = rounds_before_of(sent);
        for (int i = 0; i < before + rounds; ++i) {
            const double begin = MPI_Wtime();
            if (rank_ == 0) send_to_other(sent);
            MPI_Recv(received.data(), static_cast<int>(received.size()), MPI_FLOAT, 1 - rank_, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            const double there = MPI_Wtime();
            work();
            const double end = MPI_Wtime();
            if (rank_ == 1) send_to_other(sent);
            if (i < before) continue;
            round_trips.push_back((end - begin) * 1e6);
            works.push_back((end - there) * 1e6);
        }
        const double took = std::max(quartile(works) - clock_, 0.0);
        return {std::max(quartile(round_trips) / 2 - took - clock_, 0.0), took};
    }

private:
    static int rounds_before_of(std::span<const float> sent) {
        return static_cast<int>(std::clamp(bytes_before / (sent.size_bytes() + 1), least_before, rounds_before));
    }
    void send_to_other(std::span<const float> sent) const {
        MPI_Send(sent.data(), static_cast<int>(sent.size()), MPI_FLOAT, 1 - rank_, 0, MPI_COMM_WORLD);
    }

    int rank_ = 0;
    double clock_ = 0;  // what asking for the time takes
};

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2) {
        std::fprintf(stderr, "kumihimo-local takes 2 ranks, and has %d: mpiexec -n 2 kumihimo-local BYTES...\n", ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    kumihimo::base::set_waiting(1, 1);  // each rank has a processor
    const Pair pair;
    const kumihimo::arithmetic::Combine add = kumihimo::collectives::loop_of(MPI_SUM, MPI_FLOAT);
    for (int i = 1; i < argc; ++i) {
        const auto bytes = static_cast<std::size_t>(std::strtoull(argv[i], nullptr, 10));
        const std::size_t floats = std::max<std::size_t>(bytes / sizeof(float), 1);
        // As kumihimo-bench's: where one begins a little after the other in its page, copies take up to thirty times as long.
        const kumihimo::bench::Memory from_memory(floats * sizeof(float)), to_memory(floats * sizeof(float));
        const std::span<float> from = from_memory.floats(), to = to_memory.floats();
        std::ranges::fill(from, 0.0F), std::ranges::fill(to, 0.0F);
        const auto reduce = [&] {
            add(reinterpret_cast<std::byte*>(to.data()), reinterpret_cast<const std::byte*>(from.data()), floats);
        };
        const auto library = [&] { MPI_Reduce_local(from.data(), to.data(), static_cast<int>(floats), MPI_FLOAT, MPI_SUM); };
        volatile float seen = 0;
        const double copy = median_us(bytes, [&] {
            std::memcpy(to.data(), from.data(), bytes);
            seen = to[floats - 1];
        });
        const double alone = median_us(bytes, reduce), by_library = median_us(bytes, library);
        const Pair::Times clean = pair.relay(to, from, [] {});
        const double step = pair.step(to, from, clean.message);
        const Pair::Times computed = pair.relay(to, from, reduce), computed_by_library = pair.relay(to, from, library);
        if (pair.rank() != 0) continue;
        std::printf("%s{\"bytes\": %zu", i == 1 ? "[" : ", ", bytes);
        const std::pair<const char*, double> times[] = {
            {"message_us", clean.message},
            {"step_us", step},
            {"copy_us", copy},
            {"reduction_us", alone},
            {"rewrite_us", computed.work - alone},
            {"fresh_us", computed.message - clean.message},
            {"library_reduction_us", by_library},
            {"library_rewrite_us", computed_by_library.work - by_library},
        };
        for (const auto& [name, time] : times) std::printf(", \"%s\": %.5f", name, std::max(time, 0.0));
        std::printf("}");
    }
    if (pair.rank() == 0) std::printf("%s]\n", argc == 1 ? "[" : "");
    MPI_Finalize();
    return 0;
}
