// Halos between two hosts: each rank exchanges its own with its counterpart on the other host, or all ranks of a host do it
// through memory and one message of their leader. By plain MPI; bench/between_hosts.py halos runs it.
//   mpiexec -n 4 bench_host_halo_openmpi [SECONDS FOR EACH CASE]
#include <mpi.h>
#include <sched.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "bench/turns.hpp"

namespace {

constexpr std::size_t largest = 64 << 10;

void exchange(const std::byte* from, std::byte* to, std::size_t bytes, MPI_Comm pair) {
    int rank = 0;
    MPI_Comm_rank(pair, &rank);
    MPI_Request requests[2];
    MPI_Irecv(to, static_cast<int>(bytes), MPI_BYTE, 1 - rank, 0, pair, &requests[0]);
    MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, 1 - rank, 0, pair, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

// The ranks of a host, and the counterpart of each.
class Host {
public:
    Host() {
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &ranks_);
        MPI_Comm_rank(ranks_, &rank_);
        MPI_Comm_size(ranks_, &size_);
        MPI_Comm_split(MPI_COMM_WORLD, rank_, 0, &pair_);
        const auto bytes = static_cast<MPI_Aint>(sizeof(Turn) + 2 * largest * static_cast<std::size_t>(size_));
        void* mine = nullptr;
        MPI_Aint length = 0;
        int unit = 1;
        MPI_Win_allocate_shared(rank_ == 0 ? bytes : 0, 1, MPI_INFO_NULL, ranks_, static_cast<void*>(&mine), &window_);
        MPI_Win_shared_query(window_, 0, &length, &unit, static_cast<void*>(&turn_));
        if (rank_ == 0) new (turn_) Turn;
        out_ = reinterpret_cast<std::byte*>(turn_ + 1);
        in_ = out_ + largest * static_cast<std::size_t>(size_);
        MPI_Barrier(ranks_);
    }
    ~Host() {
        MPI_Win_free(&window_);
        MPI_Comm_free(&pair_);
        MPI_Comm_free(&ranks_);
    }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    bool has_one_counterpart() const {
        int others = 0;
        MPI_Comm_size(pair_, &others);
        return others == 2;
    }
    void directly(const std::byte* from, std::byte* to, std::size_t bytes) const { exchange(from, to, bytes, pair_); }
    void by_leader(const std::byte* from, std::byte* to, std::size_t bytes) {
        const std::size_t all = bytes * static_cast<std::size_t>(size_), mine = bytes * static_cast<std::size_t>(rank_);
        ++calls_;
        std::memcpy(out_ + mine, from, bytes);
        turn_->came.fetch_add(1, std::memory_order_acq_rel);
        if (rank_ == 0) {
            await([&] { return turn_->came.load(std::memory_order_acquire) == calls_ * static_cast<unsigned>(size_); });
            exchange(out_, in_, all, pair_);
            turn_->done.store(calls_, std::memory_order_release);
        } else {
            await([&] { return turn_->done.load(std::memory_order_acquire) == calls_; });
        }
        std::memcpy(to, in_ + mine, bytes);
    }

private:
    struct Turn {
        alignas(64) std::atomic<unsigned> came = 0;  // ranks, of all calls
        alignas(64) std::atomic<unsigned> done = 0;  // calls
    };
    template <typename Ready>
    static void await(Ready&& ready) {
        while (!ready()) sched_yield();  // ranks may outnumber processors
    }

    MPI_Comm ranks_ = MPI_COMM_NULL, pair_ = MPI_COMM_NULL;
    MPI_Win window_ = MPI_WIN_NULL;
    Turn* turn_ = nullptr;
    std::byte *out_ = nullptr, *in_ = nullptr;
    unsigned calls_ = 0;
    int rank_ = 0, size_ = 1;
};

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    {
        Host host;
        wrong = host.has_one_counterpart() ? 0 : 2;
        if (wrong && rank == 0) std::fprintf(stderr, "usage: on two hosts with as many ranks each, %s [SECONDS]\n", argv[0]);
        std::vector<std::byte> from(largest, std::byte{1}), to(largest);
        for (const std::size_t bytes :
             wrong ? std::vector<std::size_t>{} : std::vector<std::size_t>{8, 512, 4096, 16384, largest})
            bench::take_turns("halo", static_cast<long long>(bytes),
                              {{"directly", [&] { host.directly(from.data(), to.data(), bytes); }},
                               {"by the leader", [&] { host.by_leader(from.data(), to.data(), bytes); }},
                               {"directly again", [&] { host.directly(from.data(), to.data(), bytes); }}},
                              argc > 1 ? std::atof(argv[1]) : 0.05);
    }
    if (rank == 0 && !wrong) bench_end();
    MPI_Finalize();
    return wrong;
}
