#include "mpiio/engine/direct/two_phase.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/attribute.hpp"
#include "base/completion.hpp"
#include "mpiio/engine/direct/pieces.hpp"

namespace kumihimo::mpiio::direct {

namespace {

constexpr Index everything = std::numeric_limits<Index>::max();
constexpr Index nobody = std::numeric_limits<int>::max();
constexpr Index long_write = Index{1} << 20;       // at least, where pieces are long: 64 KiB at a time take 1.5 times as long
constexpr Index most_kept_bytes = Index{4} << 20;  // between transfers, of each buffer: those of the usual size

}  // namespace

TwoPhase::TwoPhase(State& state, const Access& access, FileDomains domains, bool in_shared_memory)
    : state_(state),
      access_(access),
      domains_(std::move(domains)),
      in_shared_memory_(in_shared_memory),
      mine_(access.view.part(access.position, access.position + access.bytes)),
      theirs_(static_cast<std::size_t>(state.ranks)),
      stop_(everything) {
    Kept& kept = kept_of(state.comm);
    for (std::size_t number = 0; number < kept.size(); ++number) rounds_[number].memory = &kept[number];
    for (std::size_t number = 0; number < domains_.aggregators.size(); ++number)
        if (domains_.aggregators[number] == state.rank) my_domain_ = static_cast<int>(number);
}

TwoPhase::Kept& TwoPhase::kept_of(MPI_Comm comm) {
    using Attribute = base::Attribute<Kept>;
    Kept* const known = Attribute::of(comm);
    return known != nullptr ? *known : Attribute::keep(comm, std::make_unique<Kept>());
}

TwoPhase::~TwoPhase() {
    for (const Round& round : rounds_) {
        round.memory->staging.keep_at_most(most_kept_bytes);
        round.memory->window.keep_at_most(most_kept_bytes);
    }
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
    if (in_shared_memory_) return list_by_memory(number, round);
    list(number, round);
    if (by_peers()) return gather_from_peers(round);
    for (const Message& message : round.others) receive(round, message);
    for (const Message& message : round.mine) {
        pack_own(message);
        send(round, message);
    }
}

void TwoPhase::pack_own(const Message& message) {
    if (in_place()) return;
    const Copying timed(state_.meter);
    const Index begin = mine_.below(message.window.begin);
    gather(access_.memory, begin, begin + message.bytes, message.data);
}

void TwoPhase::write_window(Index number, Round& round) {
    for (std::size_t i = 0; i < round.requests.size() && i < round.others.size(); ++i)
        base::complete(round.requests[i], state_.comm);
    const Span window = my_window(number);
    const bool nothing = round.others.empty() && mine_.within(window.begin, window.end) == 0;
    if (!nothing && !failure_ && !write_unpacked(window, round)) {
        std::byte* const base = round.memory->window.of(window.end - window.begin) - window.begin;
        unpack_others(window, round, base);
        gather_own(window, base);
        coverage(window, round).for_each(0, [&](Index begin, Index end) {
            iovec row = {base + begin, static_cast<std::size_t>(end - begin)};
            store(begin, {&row, 1}, state_.system->gathered);
        });
    }
    complete(round);
}

// Long pieces are written from where they are.
bool TwoPhase::write_unpacked(Span window, const Round& round) {
    const bool own = mine_.within(window.begin, window.end) > 0;
    if ((own && !in_place()) || !blocks_are_long(window, round)) return false;
    Pieces pieces;
    const auto add = [&](const Extents& extents, const std::byte* from) {
        extents.for_each_within(window.begin, window.end, [&](const Blocks& blocks) { from = pieces.add(blocks, from); });
    };
    for (const Message& message : round.others) add(theirs(message), message.data);
    if (own) add(mine_, access_.memory.data() + mine_.below(window.begin));
    if (!pieces.sort()) return false;
    pieces.for_each_stretch(
        [&](Index offset, std::vector<iovec>& rows) { store(offset, rows, std::max(state_.system->gathered, long_write)); });
    return true;
}

bool TwoPhase::blocks_are_long(Span window, const Round& round) const {
    Index blocks = 0, bytes = 0;
    const auto count = [&](const Extents& extents) {
        bytes += extents.within(window.begin, window.end);
        extents.for_each_within(window.begin, window.end, [&](const Blocks& part) { blocks += part.count; });
    };
    for (const Message& message : round.others) count(theirs(message));
    count(mine_);
    return bytes >= blocks * long_row_bytes;
}

void TwoPhase::unpack_others(Span window, const Round& round, std::byte* base) {
    const Copying timed(state_.meter);
    for (const Message& message : round.others) {
        const std::byte* from = message.data;
        theirs(message).for_each_within(window.begin, window.end,
                                        [&](const Blocks& blocks) { from = unpack(from, blocks, base); });
    }
}

// This rank's own bytes go straight to their places where either side is a row.
void TwoPhase::gather_own(Span window, std::byte* base) {
    const Copying timed(state_.meter);
    const Index begin = mine_.below(window.begin), end = mine_.below(window.end);
    if (begin == end) return;
    if (!in_place() && mine_.contiguous_within(window.begin, window.end)) {
        mine_.for_each_within(window.begin, window.end,
                              [&](const Blocks& blocks) { gather(access_.memory, begin, end, base + blocks.offset); });
        return;
    }
    const std::byte* from = in_place() ? access_.memory.data() + begin : state_.buffer.of(end - begin);
    if (!in_place()) gather(access_.memory, begin, end, state_.buffer.of(end - begin));
    mine_.for_each_within(window.begin, window.end, [&](const Blocks& blocks) { from = unpack(from, blocks, base); });
}

void TwoPhase::store(Index offset, std::span<iovec> rows, Index most_bytes) {
    if (failure_) return;
    Moved moved = state_.file.write(offset, rows, most_bytes);
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
    std::byte* const base = round.memory->window.of(window.end - window.begin) - window.begin;
    fetch(window, round, base);
    pack_for_others(window, round, base);
    if (by_peers()) scatter_to_peers(round);
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

void TwoPhase::pack_for_others(Span window, Round& round, const std::byte* base) {
    for (const Message& message : round.others) {
        {
            const Copying timed(state_.meter);
            std::byte* to = message.data;
            theirs(message).for_each_within(window.begin, window.end,
                                            [&](const Blocks& blocks) { to = pack(base, blocks, to); });
        }
        if (!by_peers()) send(round, message);
    }
}

void TwoPhase::scatter_own(Span window, const std::byte* base) {
    const Copying timed(state_.meter);
    const Index begin = mine_.below(window.begin), end = mine_.below(window.end);
    if (begin == end) return;
    if (!in_place() && mine_.contiguous_within(window.begin, window.end)) {
        mine_.for_each_within(window.begin, window.end,
                              [&](const Blocks& blocks) { scatter(base + blocks.offset, access_.memory, begin, end); });
        return;
    }
    std::byte* const row = in_place() ? access_.memory.data() + begin : state_.buffer.of(end - begin);
    std::byte* to = row;
    mine_.for_each_within(window.begin, window.end, [&](const Blocks& blocks) { to = pack(base, blocks, to); });
    if (!in_place()) scatter(row, access_.memory, begin, end);
}

void TwoPhase::finish_read(Round& round) {
    complete(round);
    if (in_place()) return;
    const Copying timed(state_.meter);
    for (const Message& message : round.mine) {
        const Index begin = mine_.below(message.window.begin);
        scatter(message.data, access_.memory, begin, begin + message.bytes);
    }
}

// ---- both ----

Coverage TwoPhase::coverage(Span window, const Round& round) const {
    Coverage coverage(window.begin, window.end);
    const auto add = [&](const Blocks& blocks) { coverage.add(blocks); };
    for (const Message& message : round.others) theirs(message).for_each_within(window.begin, window.end, add);
    mine_.for_each_within(window.begin, window.end, add);
    return coverage;
}

void TwoPhase::stop_at(Index offset, std::optional<Failure> failure) {
    stop_ = std::min(stop_, offset);
    if (failure) failure_ = std::move(failure);
}

Outcome TwoPhase::agree(const std::optional<Failure>& earlier) {
    const std::optional<Failure>& failure = failure_ ? failure_ : earlier;
    const std::array<Index, 2> all = state_.team->lowest<2>({failure ? state_.rank : nobody, stop_});
    Outcome outcome{std::min(access_.bytes, mine_.below(all[1])), std::nullopt, true};
    if (all[0] != nobody) outcome.failure = base::broadcast_failure(state_.comm, static_cast<int>(all[0]), failure, "rank");
    return outcome;
}

}  // namespace kumihimo::mpiio::direct
