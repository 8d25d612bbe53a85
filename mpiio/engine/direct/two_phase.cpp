#include "mpiio/engine/direct/two_phase.hpp"

#include <limits>
#include <utility>

#include "mpiio/engine/direct/communication.hpp"
#include "mpiio/engine/direct/pieces.hpp"

namespace kumihimo::mpiio::direct {

namespace {

constexpr int runs_tag = 1, data_tag = 2;
constexpr Index everything = std::numeric_limits<Index>::max();
constexpr long long nobody = std::numeric_limits<int>::max();

bool one_block(const Runs& runs, Span span) {
    Index blocks = 0;
    runs.for_each(span.begin, span.end, [&](const Blocks& part) { blocks += part.count; });
    return blocks == 1;
}

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

}  // namespace

TwoPhase::TwoPhase(State& state, const Access& access, Domains domains)
    : state_(state),
      access_(access),
      domains_(std::move(domains)),
      mine_(access),
      theirs_(static_cast<std::size_t>(state.ranks)),
      stop_(everything) {
    for (std::size_t number = 0; number < domains_.aggregators.size(); ++number)
        if (domains_.aggregators[number] == state.rank) my_domain_ = static_cast<int>(number);
}

// ---- who has what ----

void TwoPhase::announce() {
    const std::size_t ranks = theirs_.size();
    std::vector<std::vector<Blocks>> outgoing(ranks), incoming(ranks);
    std::vector<int> counts(ranks);
    for (std::size_t number = 0; number < domains_.aggregators.size(); ++number) {
        const auto rank = static_cast<std::size_t>(domains_.aggregators[number]);
        const Span domain = domains_.domain(number);
        outgoing[rank] = mine_.part(domain.begin, domain.end);
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
    for (std::size_t rank = 0; rank < ranks; ++rank) theirs_[rank] = Runs(std::move(incoming[rank]));
}

Span TwoPhase::my_window(Index round) const {
    return my_domain_ < 0 ? Span{} : domains_.window(static_cast<std::size_t>(my_domain_), round);
}

// Fills in who exchanges how much in a round, and gives memory to what needs it.
void TwoPhase::list(Index number, Round& round) {
    round.others.clear();
    round.mine.clear();
    Index staged = 0;
    const Span window = my_window(number);
    for (int rank = 0; rank < state_.ranks; ++rank) {
        const Index bytes = theirs_[static_cast<std::size_t>(rank)].within(window.begin, window.end);
        if (bytes > 0) round.others.push_back({rank, window, bytes});
        staged += bytes;
    }
    for (std::size_t domain = 0; domain < domains_.aggregators.size(); ++domain) {
        const Span theirs = domains_.window(domain, number);
        const Index bytes = mine_.within(theirs.begin, theirs.end);
        if (bytes == 0 || static_cast<int>(domain) == my_domain_) continue;
        round.mine.push_back({domains_.aggregators[domain], theirs, bytes});
        staged += in_place() ? 0 : bytes;
    }
    std::byte* free = round.staging.of(staged);
    for (Message& message : round.others) message.data = std::exchange(free, free + message.bytes);
    for (Message& message : round.mine)
        message.data =
            in_place() ? access_.memory.data() + mine_.below(message.window.begin) : std::exchange(free, free + message.bytes);
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

// ---- writing ----

Outcome TwoPhase::write(const std::optional<Failure>& earlier) {
    announce();
    const Index rounds = domains_.rounds();
    post_write(0, rounds_[0]);
    for (Index number = 0; number < rounds; ++number) {
        if (number + 1 < rounds) post_write(number + 1, rounds_[(number + 1) % 2]);
        write_window(number, rounds_[number % 2]);
    }
    return agree(earlier);
}

void TwoPhase::post_write(Index number, Round& round) {
    list(number, round);
    for (const Message& message : round.others) receive(round, message);
    for (const Message& message : round.mine) {
        const Index begin = mine_.below(message.window.begin);
        if (!in_place()) gather(access_.memory, begin, begin + message.bytes, message.data);
        send(round, message);
    }
}

void TwoPhase::write_window(Index number, Round& round) {
    for (std::size_t i = 0; i < round.others.size(); ++i) base::complete(round.requests[i], state_.comm);
    const Span window = my_window(number);
    const bool nothing = round.others.empty() && mine_.within(window.begin, window.end) == 0;
    if (!nothing && !failure_ && !write_unpacked(window, round)) {
        std::byte* const base = round.window.of(window.end - window.begin) - window.begin;
        for (const Message& message : round.others) {
            const std::byte* from = message.data;
            theirs_[static_cast<std::size_t>(message.rank)].for_each(
                window.begin, window.end, [&](const Blocks& blocks) { from = unpack(from, blocks, base); });
        }
        gather_own(window, base);
        coverage(window, round).for_each(0, [&](Index begin, Index end) {
            iovec row = {base + begin, static_cast<std::size_t>(end - begin)};
            store(begin, {&row, 1});
        });
    }
    complete(round);
}

// Long pieces are written from where they are.
bool TwoPhase::write_unpacked(Span window, const Round& round) {
    const bool own = mine_.within(window.begin, window.end) > 0;
    if ((own && !in_place()) || !blocks_are_long(window, round)) return false;
    Pieces pieces;
    const auto add = [&](const Runs& runs, const std::byte* from) {
        runs.for_each(window.begin, window.end, [&](const Blocks& blocks) { from = pieces.add(blocks, from); });
    };
    for (const Message& message : round.others) add(theirs_[static_cast<std::size_t>(message.rank)], message.data);
    if (own) add(mine_, access_.memory.data() + mine_.below(window.begin));
    if (!pieces.sort()) return false;
    pieces.for_each_stretch([&](Index offset, std::vector<iovec>& rows) { store(offset, rows); });
    return true;
}

bool TwoPhase::blocks_are_long(Span window, const Round& round) const {
    Index blocks = 0, bytes = 0;
    const auto count = [&](const Runs& runs) {
        bytes += runs.within(window.begin, window.end);
        runs.for_each(window.begin, window.end, [&](const Blocks& part) { blocks += part.count; });
    };
    for (const Message& message : round.others) count(theirs_[static_cast<std::size_t>(message.rank)]);
    count(mine_);
    return bytes >= blocks * long_row_bytes;
}

// This rank's own bytes go straight to their places where either side is a row.
void TwoPhase::gather_own(Span window, std::byte* base) {
    const Index begin = mine_.below(window.begin), end = mine_.below(window.end);
    if (begin == end) return;
    if (!in_place() && one_block(mine_, window)) {
        mine_.for_each(window.begin, window.end,
                       [&](const Blocks& blocks) { gather(access_.memory, begin, end, base + blocks.offset); });
        return;
    }
    const std::byte* from = in_place() ? access_.memory.data() + begin : state_.buffer.of(end - begin);
    if (!in_place()) gather(access_.memory, begin, end, state_.buffer.of(end - begin));
    mine_.for_each(window.begin, window.end, [&](const Blocks& blocks) { from = unpack(from, blocks, base); });
}

void TwoPhase::store(Index offset, std::span<iovec> rows) {
    if (failure_) return;
    Moved moved = state_.file.write(offset, rows);
    if (moved.failure) stop_at(offset + moved.bytes, std::move(moved.failure));
}

// ---- reading ----

Outcome TwoPhase::read(const std::optional<Failure>& earlier) {
    announce();
    const Index rounds = domains_.rounds();
    post_read(0, rounds_[0]);
    for (Index number = 0; number < rounds; ++number) {
        Round& other = rounds_[(number + 1) % 2];
        read_window(number, rounds_[number % 2]);
        if (number > 0) finish_read(other);
        if (number + 1 < rounds) post_read(number + 1, other);
    }
    finish_read(rounds_[(rounds - 1) % 2]);
    return agree(earlier);
}

void TwoPhase::post_read(Index number, Round& round) {
    list(number, round);
    for (const Message& message : round.mine) receive(round, message);
}

void TwoPhase::read_window(Index number, Round& round) {
    const Span window = my_window(number);
    if (round.others.empty() && mine_.within(window.begin, window.end) == 0) return;
    std::byte* const base = round.window.of(window.end - window.begin) - window.begin;
    fetch(window, round, base);
    for (const Message& message : round.others) {
        std::byte* to = message.data;
        theirs_[static_cast<std::size_t>(message.rank)].for_each(window.begin, window.end,
                                                                 [&](const Blocks& blocks) { to = pack(base, blocks, to); });
        send(round, message);
    }
    scatter_own(window, base);
}

// Once something failed or the file ended, what follows is not read: nobody counts it.
void TwoPhase::fetch(Span window, const Round& round, std::byte* base) {
    coverage(window, round).for_each(state_.read_tuning().gap_bytes, [&](Index begin, Index end) {
        if (stop_ != everything) return;
        Moved moved = state_.file.read(begin, base + begin, end - begin);
        if (moved.failure || moved.bytes < end - begin) stop_at(begin + moved.bytes, std::move(moved.failure));
    });
}

void TwoPhase::scatter_own(Span window, const std::byte* base) {
    const Index begin = mine_.below(window.begin), end = mine_.below(window.end);
    if (begin == end) return;
    if (!in_place() && one_block(mine_, window)) {
        mine_.for_each(window.begin, window.end,
                       [&](const Blocks& blocks) { scatter(base + blocks.offset, access_.memory, begin, end); });
        return;
    }
    std::byte* const row = in_place() ? access_.memory.data() + begin : state_.buffer.of(end - begin);
    std::byte* to = row;
    mine_.for_each(window.begin, window.end, [&](const Blocks& blocks) { to = pack(base, blocks, to); });
    if (!in_place()) scatter(row, access_.memory, begin, end);
}

void TwoPhase::finish_read(Round& round) {
    complete(round);
    if (in_place()) return;
    for (const Message& message : round.mine) {
        const Index begin = mine_.below(message.window.begin);
        scatter(message.data, access_.memory, begin, begin + message.bytes);
    }
}

// ---- both ----

Coverage TwoPhase::coverage(Span window, const Round& round) const {
    Index grain = std::gcd(window.begin, std::gcd(window.end, mine_.grain()));
    for (const Message& message : round.others)
        grain = std::gcd(grain, theirs_[static_cast<std::size_t>(message.rank)].grain());
    Coverage coverage(window.begin, window.end, std::max<Index>(1, grain));
    const auto add = [&](const Blocks& blocks) { coverage.add(blocks); };
    for (const Message& message : round.others)
        theirs_[static_cast<std::size_t>(message.rank)].for_each(window.begin, window.end, add);
    mine_.for_each(window.begin, window.end, add);
    return coverage;
}

void TwoPhase::stop_at(Index offset, std::optional<Failure> failure) {
    stop_ = std::min(stop_, offset);
    if (failure) failure_ = std::move(failure);
}

Outcome TwoPhase::agree(const std::optional<Failure>& earlier) {
    const std::optional<Failure>& failure = failure_ ? failure_ : earlier;
    const std::array<long long, 2> mine = {failure ? state_.rank : nobody, stop_};
    std::array<long long, 2> all;
    base::lowest(state_.comm, mine.data(), all.data(), 2, MPI_LONG_LONG);
    Outcome outcome{std::min(access_.bytes, mine_.below(all[1])), std::nullopt, true};
    if (all[0] != nobody) outcome.failure = base::broadcast_failure(state_.comm, static_cast<int>(all[0]), failure, "rank");
    return outcome;
}

}  // namespace kumihimo::mpiio::direct
