// The ranks that open files together, and what they keep between files, as an attribute of the communicator: on one machine
// memory that all of them reach, with places for notices, shared file pointers and an arena of each rank for writes that were
// deferred. To make it takes as long as several files are opened; memory that was used before costs no page faults.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <optional>
#include <utility>
#include <vector>

#include "base/agreement.hpp"
#include "base/collective.hpp"
#include "base/noticeboard.hpp"
#include "base/shared_memory.hpp"
#include "sets/extents.hpp"

namespace kumihimo::mpiio {

using sets::Index;

class Team {
public:
    // Collective at first use. Lives as long as the communicator, which carries nobody else's messages.
    static Team& of(MPI_Comm comm);
    static Team* known(MPI_Comm comm);  // without communication; none: it was not made yet
    ~Team() = default;
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    // All ranks reach the memory.
    bool by_memory() const { return memory_.data() != nullptr; }

    static constexpr std::size_t most_notice_bytes = 176;

    // ---- telling each other; collective, every rank of the team calls each in the same order ----

    // One value of each rank, by rank.
    template <typename Plain>
    std::vector<Plain> gather_all(const Plain& mine, base::Waiting::Expected expected = base::Waiting::brief) {
        static_assert(sizeof(Plain) <= most_notice_bytes);
        return board_.is_open() ? board_.gather_all(mine, expected) : base::gather_all(comm_, mine);
    }
    template <typename Plain>
    void broadcast(int root, Plain& value) {
        if (board_.is_open())
            value = board_.gather_all(value)[static_cast<std::size_t>(root)];
        else
            base::broadcast(comm_, root, value);
    }
    // The least of all ranks, one by one.
    template <std::size_t Count>
    std::array<Index, Count> lowest(const std::array<Index, Count>& mine) {
        std::array<Index, Count> least = mine;
        for (const std::array<Index, Count>& rank : gather_all(mine))
            for (std::size_t i = 0; i < Count; ++i) least[i] = std::min(least[i], rank[i]);
        return least;
    }
    // As base::agree, without a message if nobody failed and all ranks are on one machine.
    std::optional<base::Failure> agree(const std::optional<base::Failure>& mine,
                                       base::Waiting::Expected expected = base::Waiting::brief);

    // ---- words for shared file pointers; by rank 0, which tells the others their numbers ----

    static constexpr int words = 64;
    int take_word();  // 0 is written into it; none: no memory, or none is free
    void give_back_word(int number) { taken_words_.reset(static_cast<std::size_t>(number)); }
    std::atomic<Index>& word(int number) const { return shared().words[number]; }

    // ---- arenas: every rank reaches each other's; a file at a time uses this rank's ----

    static constexpr Index arena_bytes = Index{17} << 18;  // a log of the usual size, and a quarter of a MiB
    std::byte* take_arena();                               // of this rank; none: no memory, or another file has it
    void give_back_arena() { arena_taken_ = false; }
    std::byte* arena_of(int rank) const { return arenas_ + rank * arena_bytes; }
    // Before the kernel writes the first `bytes` of an arena to a file: where it meets a page that this process has not
    // touched, it stops, fills the rest of a large page of the file with zeros, and begins again. 4 MiB took 9 ms instead of 1.
    void touch_arena_of(int rank, Index bytes);

private:
    struct alignas(64) Shared {  // then a place of each rank for notices, and the arenas
        std::atomic<Index> words[Team::words];
    };
    static_assert(std::atomic<Index>::is_always_lock_free);

    explicit Team(MPI_Comm comm);
    Shared& shared() const { return *reinterpret_cast<Shared*>(memory_.data()); }
    std::size_t bytes_before_arenas() const;
    void map_together();
    void open_board();

    MPI_Comm comm_;
    int rank_ = 0, ranks_ = 1;
    base::Mapping memory_;
    std::byte* arenas_ = nullptr;  // none: memory that is set aside page by page
    std::vector<Index> touched_;   // bytes of each rank's arena
    base::Noticeboard board_;
    std::bitset<words> taken_words_;
    bool arena_taken_ = false;
};

}  // namespace kumihimo::mpiio
