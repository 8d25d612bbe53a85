// Collective transfers through aggregators. The file's range is cut into one domain for each of them; every rank tells them
// which of their bytes it has, then bytes travel in rounds, one buffer of each domain at a time, and the messages of one round
// go while another's bytes are moved to or from the file. Where aggregators reach all ranks' memory there are no messages. A
// rank whose file fails goes on exchanging, so that nobody waits for ever.
#pragma once

#include <array>
#include <vector>

#include "mpiio/engine/direct/coverage.hpp"
#include "mpiio/engine/direct/state.hpp"

namespace kumihimo::mpiio::direct {

using sets::Extents;

// Who moves which part of the file. The same on all ranks. Pure.
struct FileDomains {
    Index begin = 0, end = 0;      // what is moved lies there
    Index share = 1, buffer = 1;   // bytes of a domain, and of a round
    std::vector<int> aggregators;  // ranks, one for each domain

    // Borders lie at multiples of `alignment`.
    static FileDomains cut(Span span, int aggregators, int ranks, Index alignment, Index buffer);
    Index rounds() const { return (share + buffer - 1) / buffer; }
    Span domain(std::size_t number) const;
    Span window(std::size_t number, Index round) const;  // what is moved in that round; maybe empty
};

class TwoPhase {
public:
    // `in_shared_memory`: the ranks write what is in their logs, which aggregators read where they lie, without messages.
    TwoPhase(State& state, const Access& access, FileDomains domains, bool in_shared_memory = false);
    ~TwoPhase();
    TwoPhase(const TwoPhase&) = delete;
    // Collective; agreed, on `earlier`, too: a failure of this rank that the others have not heard of.
    Outcome write(const std::optional<Failure>& earlier);
    Outcome read(const std::optional<Failure>& earlier);

private:
    struct Message {
        int rank;
        Span window;
        Index bytes;
        std::byte* data = nullptr;
    };
    // Of messages that do not go from or to their places, and of a window of the file.
    struct Buffers {
        Buffer staging, window;
    };
    // The transfers of a communicator, its files' one after the other, use the same memory: the first touch of fresh memory can
    // take as long as the rest of a transfer.
    using Kept = std::array<Buffers, 2>;
    static Kept& kept_of(MPI_Comm comm);
    // One round's messages.
    struct Round {
        std::vector<Message> others;  // parts of my domain's window that other ranks have
        std::vector<Message> mine;    // parts of other domains' windows that I have
        std::vector<MPI_Request> requests;
        Buffers* memory = nullptr;
    };

    void announce();
    void announce_by_memory();
    Span my_window(Index round) const;
    bool in_place() const { return access_.memory.contiguous(); }
    bool by_peers() const { return !access_.peers.empty(); }
    const Extents& theirs(const Message& message) const { return theirs_[static_cast<std::size_t>(message.rank)]; }
    const Memory& peer(const Message& message) const { return access_.peers[static_cast<std::size_t>(message.rank)]; }
    void gather_from_peers(Round& round);
    void scatter_to_peers(Round& round);
    void list(Index number, Round& round);
    void list_by_memory(Index number, Round& round);
    void send(Round& round, const Message& message);
    void receive(Round& round, const Message& message);
    void complete(Round& round);

    void post_write(Index number, Round& round);
    void write_window(Index number, Round& round);
    void pack_own(const Message& message);
    bool write_unpacked(Span window, const Round& round);
    void unpack_others(Span window, const Round& round, std::byte* base);
    void gather_own(Span window, std::byte* base);
    bool blocks_are_long(Span window, const Round& round) const;
    void store(Index offset, std::span<iovec> rows, Index most_bytes);  // of one write

    void post_read(Index number, Round& round);
    void read_window(Index number, Round& round);
    void fetch(Span window, const Round& round, std::byte* base);
    void pack_for_others(Span window, Round& round, const std::byte* base);
    void scatter_own(Span window, const std::byte* base);
    void finish_read(Round& round);

    Coverage coverage(Span window, const Round& round) const;
    void stop_at(Index offset, std::optional<Failure> failure);
    Outcome agree(const std::optional<Failure>& earlier);

    State& state_;
    const Access& access_;
    const FileDomains domains_;
    const bool in_shared_memory_;
    int my_domain_ = -1;  // none: not an aggregator
    // The bytes of the file that ranks move.
    const Extents mine_;
    std::vector<Extents> theirs_;  // of each rank, in my domain; all of them where I reach the memory in which they lie
    std::array<Round, 2> rounds_;
    std::optional<Failure> failure_;
    Index stop_;  // the first byte of the file that was not moved
};

}  // namespace kumihimo::mpiio::direct
