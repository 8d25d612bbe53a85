#include "mpiio/engine/noticeboard.hpp"

#include "base/completion.hpp"

namespace kumihimo::mpiio {

void Noticeboard::open(Place* places, MPI_Comm comm) {
    if (places == nullptr || base::patience_seconds() > 0) return;
    places_ = places;
    comm_ = comm;
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
}

// A rank that waits goes on serving messages: another one may need them before it can come.
void Noticeboard::await(int rank, std::size_t side, base::Waiting::Expected expected) const {
    constexpr int polls_between_probes = 32;
    const std::atomic<std::uint64_t>& number = places_[rank].number[side];
    base::Waiting waiting(expected);
    for (int polls = 1; number.load(std::memory_order_acquire) != number_; ++polls) {
        waiting.step();
        if (polls % polls_between_probes != 0) continue;
        int ignored = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &ignored, MPI_STATUS_IGNORE);
    }
}

bool Noticeboard::any(bool mine, base::Waiting::Expected expected) {
    bool found = false;
    for (const unsigned char said : gather_all(static_cast<unsigned char>(mine), expected)) found = found || said != 0;
    return found;
}

}  // namespace kumihimo::mpiio
