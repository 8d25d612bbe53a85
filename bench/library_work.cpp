// What an MPI library's short collective operations take besides their messages: each operation of two ranks, and the same by
// hand in the library's own MPI_Sendrecv, MPI_Reduce_local and memcpy. `kumihimo simulate fit` knows messages, copies and
// reductions only; so the difference is what no fitted machine has.
//
//   mpiexec -n 2 -bind-to core bench_library_work_mpich [BYTES ...]
//
// Both take turns in blocks of calls; microseconds. Roots take turns from call to call, so that no rank runs ahead.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

namespace {

constexpr int blocks = 201, calls = 200;

int rank = 0;

struct Buffers {
    std::vector<float> mine, theirs, result;
    explicit Buffers(int bytes) : mine(2 * at(bytes) + 2, 1), theirs(mine), result(mine) {}
    static std::size_t at(int bytes) { return static_cast<std::size_t>(bytes) / sizeof(float); }
};

// Each of the two ways does one call of `bytes` bytes: of the vector, or of a block.
struct Operation {
    const char* name;
    std::function<void(Buffers&, int bytes, int root)> of_library, by_hand;
};

int floats(int bytes) {
    return bytes / static_cast<int>(sizeof(float));
}
void exchange(const float* from, float* into, int bytes) {
    MPI_Sendrecv(from, floats(bytes), MPI_FLOAT, 1 - rank, 0, into, floats(bytes), MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}
void copy(float* into, const float* from, int bytes) {
    std::memcpy(into, from, static_cast<std::size_t>(bytes));
}
void add(const float* from, float* into, int bytes) {
    MPI_Reduce_local(from, into, floats(bytes), MPI_FLOAT, MPI_SUM);
}
void send(const float* from, int bytes) {
    MPI_Send(from, floats(bytes), MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD);
}
void receive(float* into, int bytes) {
    MPI_Recv(into, floats(bytes), MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

const Operation operations[] = {
    {"Bcast", [](Buffers& b, int n, int root) { MPI_Bcast(b.result.data(), floats(n), MPI_FLOAT, root, MPI_COMM_WORLD); },
     [](Buffers& b, int n, int root) { rank == root ? send(b.result.data(), n) : receive(b.result.data(), n); }},
    {"Reduce",
     [](Buffers& b, int n, int root) {
         MPI_Reduce(b.mine.data(), b.result.data(), floats(n), MPI_FLOAT, MPI_SUM, root, MPI_COMM_WORLD);
     },
     [](Buffers& b, int n, int root) {
         if (rank != root) return send(b.mine.data(), n);
         copy(b.result.data(), b.mine.data(), n);
         receive(b.theirs.data(), n);
         add(b.theirs.data(), b.result.data(), n);
     }},
    {"Allreduce",
     [](Buffers& b, int n, int) {
         MPI_Allreduce(b.mine.data(), b.result.data(), floats(n), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
     },
     [](Buffers& b, int n, int) {
         copy(b.result.data(), b.mine.data(), n);
         exchange(b.result.data(), b.theirs.data(), n);
         add(b.theirs.data(), b.result.data(), n);
     }},
    {"Reduce_scatter",
     [](Buffers& b, int n, int) {
         const int each[] = {floats(n), floats(n)};
         MPI_Reduce_scatter(b.mine.data(), b.result.data(), each, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
     },
     [](Buffers& b, int n, int) {
         copy(b.result.data(), b.mine.data() + rank * floats(n), n);
         exchange(b.mine.data() + (1 - rank) * floats(n), b.theirs.data(), n);
         add(b.theirs.data(), b.result.data(), n);
     }},
    {"Allgather",
     [](Buffers& b, int n, int) {
         MPI_Allgather(b.mine.data(), floats(n), MPI_FLOAT, b.result.data(), floats(n), MPI_FLOAT, MPI_COMM_WORLD);
     },
     [](Buffers& b, int n, int) {
         float* const own = b.result.data() + rank * floats(n);
         copy(own, b.mine.data(), n);
         exchange(own, b.result.data() + (1 - rank) * floats(n), n);
     }},
    {"Alltoall",
     [](Buffers& b, int n, int) {
         MPI_Alltoall(b.mine.data(), floats(n), MPI_FLOAT, b.result.data(), floats(n), MPI_FLOAT, MPI_COMM_WORLD);
     },
     [](Buffers& b, int n, int) {
         copy(b.result.data() + rank * floats(n), b.mine.data() + rank * floats(n), n);
         exchange(b.mine.data() + (1 - rank) * floats(n), b.result.data() + (1 - rank) * floats(n), n);
     }},
};

template <typename Way>
double block(const Way& way, Buffers& buffers, int bytes) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double before = MPI_Wtime();
    for (int call = 0; call < calls; ++call) way(buffers, bytes, call % 2);
    return (MPI_Wtime() - before) * 1e6 / calls;
}

// The 10 % quantile: the machine at its best, as `kumihimo simulate fit` takes it.
double tenth(std::vector<double>& times) {
    std::nth_element(times.begin(), times.begin() + blocks / 10, times.end());
    return times[blocks / 10];
}

void measure(const Operation& operation, int bytes) {
    Buffers buffers(bytes);
    std::vector<double> of_library, by_hand;
    for (int i = 0; i < blocks; ++i) {
        of_library.push_back(block(operation.of_library, buffers, bytes));
        by_hand.push_back(block(operation.by_hand, buffers, bytes));
    }
    const double library = tenth(of_library), hand = tenth(by_hand);
    if (rank == 0)
        std::printf("%-15s %6d B  %8.3f us, by hand %8.3f us: %+3.0f %%\n", operation.name, bytes, library, hand,
                    100 * (hand / library - 1));
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<int> sizes;
    for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
    if (sizes.empty()) sizes = {8, 512, 4096};
    if (ranks != 2 || *std::min_element(sizes.begin(), sizes.end()) < 4) {
        if (rank == 0) std::fprintf(stderr, "usage: mpiexec -n 2 -bind-to core %s [BYTES ...]\n", argv[0]);
        return MPI_Finalize(), 2;
    }
    for (const Operation& operation : operations)
        for (const int bytes : sizes) measure(operation, bytes);
    return MPI_Finalize();
}
