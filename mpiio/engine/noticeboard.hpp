// What the ranks of one machine tell each other through shared memory instead of messages: a few bytes of each to all, in a
// fraction of a microsecond. Collective transfers of a few KiB would else cost less than the question whether they went well.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/wait.hpp"

namespace kumihimo::mpiio {

class Noticeboard {
public:
    static constexpr std::size_t most_bytes = 176;
    // One rank's place: its last two notices. A rank writes notice n + 2 only when everybody has written n + 1, and so has read
    // n.
    struct alignas(64) Place {
        std::array<std::atomic<std::uint64_t>, 2> number;
        std::array<std::array<std::byte, most_bytes>, 2> notice;
    };
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

    // `places`: one for each rank of comm, zero at first; all ranks reach them.
    void open(Place* places, MPI_Comm comm);
    // Not where a stuck rank is to be named (KUMIHIMO_TIMEOUT): that takes messages.
    bool is_open() const { return places_ != nullptr; }

    // Collective: one value of each rank, by rank. `expected`: of the time until the last rank comes.
    template <typename Plain>
    std::vector<Plain> gather_all(const Plain& mine, base::Waiting::Expected expected = base::Waiting::brief) {
        static_assert(std::is_trivially_copyable_v<Plain> && sizeof(Plain) <= most_bytes);
        const std::size_t side = ++number_ % 2;
        std::memcpy(places_[rank_].notice[side].data(), &mine, sizeof mine);
        places_[rank_].number[side].store(number_, std::memory_order_release);
        std::vector<Plain> all(static_cast<std::size_t>(ranks_));
        for (int rank = 0; rank < ranks_; ++rank) {
            await(rank, side, expected);
            std::memcpy(&all[static_cast<std::size_t>(rank)], places_[rank].notice[side].data(), sizeof(Plain));
        }
        return all;
    }
    // Collective: whether any rank says so.
    bool any(bool mine, base::Waiting::Expected expected = base::Waiting::brief);

private:
    void await(int rank, std::size_t side, base::Waiting::Expected expected) const;

    Place* places_ = nullptr;
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0, ranks_ = 0;
    std::uint64_t number_ = 0;  // of the last notice
};

}  // namespace kumihimo::mpiio
