// Who has which bytes of a transfer through aggregators, and how they travel: by messages, or not at all where aggregators
// reach the memory in which they lie.
#include <utility>

#include "base/completion.hpp"
#include "mpiio/engine/direct/two_phase.hpp"

namespace kumihimo::mpiio::direct {

namespace {

constexpr int runs_tag = 1, data_tag = 2;

// The counts of blocks that every rank is going to send to this one.
std::vector<int> exchange_counts(MPI_Comm comm, const std::vector<int>& to_others) {
    std::vector<int> from_others(to_others.size());
    MPI_Request request;
    MPI_Ialltoall(to_others.data(), 1, MPI_INT, from_others.data(), 1, MPI_INT, comm, &request);
    base::complete(request, comm);
    return from_others;
}

// Blocks travel as they lie in memory: machines of one job have one architecture.
class BlocksType {
public:
    BlocksType() {
        MPI_Type_contiguous(static_cast<int>(sizeof(Blocks)), MPI_BYTE, &type_);
        MPI_Type_commit(&type_);
    }
    BlocksType(const BlocksType&) = delete;
    BlocksType& operator=(const BlocksType&) = delete;
    ~BlocksType() { MPI_Type_free(&type_); }
    operator MPI_Datatype() const { return type_; }

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// As they are told to others.
std::vector<Blocks> blocks_within(const Extents& extents, Span span) {
    std::vector<Blocks> blocks;
    extents.for_each_within(span.begin, span.end, [&](const Blocks& part) { blocks.push_back(part); });
    return blocks;
}

}  // namespace

// Everybody has written its list before anybody reads one, and reads before the agreement at the end.
void TwoPhase::announce_by_memory() {
    const std::vector<Blocks> blocks = blocks_within(mine_, {domains_.begin, domains_.end});
    if (!blocks.empty()) std::copy(blocks.begin(), blocks.end(), state_.list_of(state_.rank));
    const std::vector<std::size_t> counts = state_.team->gather_all(blocks.size());
    if (my_domain_ < 0) return;
    for (int rank = 0; rank < state_.ranks; ++rank) {
        const std::size_t count = counts[static_cast<std::size_t>(rank)];
        if (rank == state_.rank || count == 0) continue;
        const Blocks* const list = state_.list_of(rank);
        theirs_[static_cast<std::size_t>(rank)] = Extents::blocks(std::span(list, count));
    }
}

void TwoPhase::announce() {
    if (in_shared_memory_) return announce_by_memory();
    const std::size_t ranks = theirs_.size();
    std::vector<std::vector<Blocks>> outgoing(ranks), incoming(ranks);
    std::vector<int> counts(ranks);
    for (std::size_t number = 0; number < domains_.aggregators.size(); ++number) {
        const auto rank = static_cast<std::size_t>(domains_.aggregators[number]);
        outgoing[rank] = blocks_within(mine_, by_peers() ? Span{domains_.begin, domains_.end} : domains_.domain(number));
        counts[rank] = static_cast<int>(outgoing[rank].size());
    }
    const std::vector<int> expected = exchange_counts(state_.comm, counts);
    const BlocksType type;
    std::vector<MPI_Request> requests;
    const int me = state_.rank;
    for (int rank = 0; rank < state_.ranks; ++rank) {
        const auto i = static_cast<std::size_t>(rank);
        if (rank == me || expected[i] == 0) continue;
        incoming[i].resize(static_cast<std::size_t>(expected[i]));
        MPI_Irecv(incoming[i].data(), expected[i], type, rank, runs_tag, state_.comm, &requests.emplace_back());
    }
    for (int rank = 0; rank < state_.ranks; ++rank) {
        const auto i = static_cast<std::size_t>(rank);
        if (rank == me || counts[i] == 0) continue;
        MPI_Isend(outgoing[i].data(), counts[i], type, rank, runs_tag, state_.comm, &requests.emplace_back());
    }
    for (MPI_Request& request : requests) base::complete(request, state_.comm);
    for (std::size_t rank = 0; rank < ranks; ++rank) theirs_[rank] = Extents::blocks(incoming[rank]);
}

Span TwoPhase::my_window(Index round) const {
    return my_domain_ < 0 ? Span{} : domains_.window(static_cast<std::size_t>(my_domain_), round);
}

// What other ranks have is taken from where it lies.
void TwoPhase::list_by_memory(Index number, Round& round) {
    round.others.clear();
    const Span window = my_window(number);
    for (int rank = 0; rank < state_.ranks; ++rank) {
        const Extents& extents = theirs_[static_cast<std::size_t>(rank)];
        const Index bytes = extents.within(window.begin, window.end);
        if (bytes == 0) continue;
        const Index begin = extents.below(window.begin);
        state_.team->touch_arena_of(rank, begin + bytes);
        round.others.push_back({rank, window, bytes, state_.team->arena_of(rank) + begin});
    }
}

// Fills in who exchanges how much in a round, and gives memory to what needs it.
void TwoPhase::list(Index number, Round& round) {
    round.others.clear();
    round.mine.clear();
    Index staged = 0;
    const Span window = my_window(number);
    for (int rank = 0; rank < state_.ranks; ++rank) {
        const Index bytes = theirs_[static_cast<std::size_t>(rank)].within(window.begin, window.end);
        if (bytes == 0) continue;
        round.others.push_back({rank, window, bytes});
        staged += by_peers() && peer(round.others.back()).contiguous() ? 0 : bytes;
    }
    for (std::size_t domain = 0; domain < domains_.aggregators.size() && !by_peers(); ++domain) {
        const Span theirs = domains_.window(domain, number);
        const Index bytes = mine_.within(theirs.begin, theirs.end);
        if (bytes == 0 || static_cast<int>(domain) == my_domain_) continue;
        round.mine.push_back({domains_.aggregators[domain], theirs, bytes});
        staged += in_place() ? 0 : bytes;
    }
    std::byte* free = round.memory->staging.of(staged);
    for (Message& message : round.others) {
        const bool straight = by_peers() && peer(message).contiguous();
        message.data =
            straight ? peer(message).data() + theirs(message).below(window.begin) : std::exchange(free, free + message.bytes);
    }
    for (Message& message : round.mine)
        message.data =
            in_place() ? access_.memory.data() + mine_.below(message.window.begin) : std::exchange(free, free + message.bytes);
}

// What does not lie in a row is copied into one first. All ranks have announced what they have, so all have come.
void TwoPhase::gather_from_peers(Round& round) {
    const Copying timed(state_.meter);
    for (const Message& message : round.others) {
        const Index begin = theirs(message).below(message.window.begin);
        if (!peer(message).contiguous()) gather(peer(message), begin, begin + message.bytes, message.data);
    }
}

void TwoPhase::scatter_to_peers(Round& round) {
    const Copying timed(state_.meter);
    for (const Message& message : round.others) {
        const Index begin = theirs(message).below(message.window.begin);
        if (!peer(message).contiguous()) scatter(message.data, peer(message), begin, begin + message.bytes);
    }
}

void TwoPhase::send(Round& round, const Message& message) {
    state_.meter.counters.exchanged_bytes += message.bytes;
    MPI_Isend(message.data, static_cast<int>(message.bytes), MPI_BYTE, message.rank, data_tag, state_.comm,
              &round.requests.emplace_back());
}

void TwoPhase::receive(Round& round, const Message& message) {
    MPI_Irecv(message.data, static_cast<int>(message.bytes), MPI_BYTE, message.rank, data_tag, state_.comm,
              &round.requests.emplace_back());
}

void TwoPhase::complete(Round& round) {
    for (MPI_Request& request : round.requests)
        if (request != MPI_REQUEST_NULL) base::complete(request, state_.comm);
    round.requests.clear();
}

}  // namespace kumihimo::mpiio::direct
