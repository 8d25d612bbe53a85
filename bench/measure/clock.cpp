#include "bench/measure/clock.hpp"

#include <chrono>
#include <limits>

namespace kumihimo::bench {

namespace {

constexpr int questions = 20;  // the quickest answer tells best
constexpr int time_tag = 1;

}  // namespace

double local_us() {
    static const auto start = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

// A binomial tree: in each round those that know the common time tell as many others.
void CommonClock::synchronise() {
    int rank, size;
    MPI_Comm_rank(comm_, &rank);
    MPI_Comm_size(comm_, &size);
    offset_us_ = 0;
    for (int knowing = 1; knowing < size; knowing *= 2) {
        if (rank < knowing && rank + knowing < size) answer(rank + knowing);
        if (rank >= knowing && rank < 2 * knowing) ask(rank - knowing);
    }
}

void CommonClock::answer(int child) const {
    for (int i = 0; i < questions; ++i) {
        MPI_Recv(nullptr, 0, MPI_BYTE, child, time_tag, comm_, MPI_STATUS_IGNORE);
        const double now = now_us();
        MPI_Send(&now, 1, MPI_DOUBLE, child, time_tag, comm_);
    }
}

// The parent's time was true half-way between question and answer.
void CommonClock::ask(int parent) {
    double shortest = std::numeric_limits<double>::max();
    for (int i = 0; i < questions; ++i) {
        double told;
        const double before = local_us();
        MPI_Send(nullptr, 0, MPI_BYTE, parent, time_tag, comm_);
        MPI_Recv(&told, 1, MPI_DOUBLE, parent, time_tag, comm_, MPI_STATUS_IGNORE);
        const double after = local_us();
        if (after - before < shortest) {
            shortest = after - before;
            offset_us_ = told - (before + after) / 2;
        }
    }
}

}  // namespace kumihimo::bench
