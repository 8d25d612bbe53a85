#include "mpiio/engine/direct/collective.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/agreement.hpp"
#include "base/clock.hpp"
#include "mpiio/engine/direct/two_phase.hpp"
#include "mpiio/engine/direct/write_behind.hpp"

namespace kumihimo::mpiio::direct {

namespace {

constexpr Index most_silent_writes = 1024, most_calls_alone = 15;
constexpr Index most_pieces_deferred = 512;  // of a rank in one call: from here on sorting them costs more than messages

std::optional<Failure> copy_of(const Failure* failure) {
    return failure != nullptr ? std::optional<Failure>(*failure) : std::nullopt;
}

// Also of what this rank was handed. Not agreed: the caller tells the others.
Outcome with(Outcome outcome, const std::optional<Failure>& failure) {
    if (!outcome.failure) outcome.failure = failure;
    return outcome;
}

}  // namespace

void Collective::keep(const std::optional<Failure>& failure) {
    if (failure && !state_.kept) state_.kept = failure;
}

// ---- asking each other ----

// What every rank moved by itself: nobody leaves before it is known whether all went well.
Outcome Collective::agreed(Outcome outcome, const std::optional<Failure>& failure) {
    outcome = with(std::move(outcome), failure);
    outcome.failure = state_.agree(outcome.failure);
    outcome.agreed = true;
    return outcome;
}

Summary Collective::summary(const Access& access, const History& history) const {
    const Span span = span_of(access);
    Summary mine;
    mine.begin = span.begin;
    mine.end = span.end;
    mine.bytes = access.bytes;
    mine.pieces = pieces_of(access);
    mine.logged = state_.log.bytes();
    mine.failed = state_.kept.has_value() || access.earlier_failure != nullptr;
    mine.write = state_.write_cost();
    mine.read = state_.read_cost();
    mine.last_s = history.seconds;
    return mine;
}

Collective::Exchange Collective::exchange(const Summary& mine, History& history, bool reads, const Failure* earlier,
                                          base::Waiting::Expected expected) {
    const std::vector<Summary> all = state_.team->gather_all(mine, expected);
    Exchange result{load_of(all, reads, state_.parameters.read_buffer_bytes), std::nullopt};
    double observed_s = 0;
    for (const Summary& rank : all) observed_s = std::max(observed_s, rank.last_s);
    history.correction = corrected(history.correction, std::exchange(history.estimate_s, 0), observed_s);
    const auto failed = std::find_if(all.begin(), all.end(), [](const Summary& rank) { return rank.failed; });
    if (failed == all.end()) return result;
    std::optional<Failure> failure = std::exchange(state_.kept, std::nullopt);
    if (!failure) failure = copy_of(earlier);
    result.told = base::broadcast_failure(state_.comm, static_cast<int>(failed - all.begin()), failure, "rank");
    return result;
}

Situation Collective::situation(const History& history) const {
    return {state_.ranks,
            state_.processors,
            state_.system->network,
            state_.parameters.collective_buffer_bytes,
            state_.parameters.aggregators,
            history.correction};
}

// ---- deciding ----

// A piece whose operation costs much beside its bytes gains by waiting for neighbours; its copy costs as much as its bytes.
bool Collective::worth_putting_off(const Load& load) const {
    if (!state_.may_write_behind() || load.empty() || 4 * load.most_bytes > state_.log.capacity()) return false;
    if (load.pieces > most_pieces_deferred * load.busy) return false;
    const double mean = static_cast<double>(load.bytes) / static_cast<double>(load.pieces);
    return mean * load.cost.byte_s < 2 * load.cost.operation_s;
}

Strategy Collective::write_strategy(const Load& load) const {
    const Parameters& wish = state_.parameters;
    if (load.empty()) return Strategy::independent;
    if (wish.collective == Strategy::deferred) return state_.may_write_behind() ? Strategy::deferred : Strategy::independent;
    if (wish.collective != Strategy::automatic) return wish.collective;
    if (wish.collective_write == Switch::on) return Strategy::two_phase;
    if (worth_putting_off(load)) return Strategy::deferred;
    return wish.collective_write == Switch::off ? Strategy::independent : cheaper(load, situation(writes_));
}

Strategy Collective::read_strategy(const Load& load) const {
    const Parameters& wish = state_.parameters;
    if (load.empty()) return Strategy::independent;
    if (wish.collective == Strategy::two_phase || wish.collective_read == Switch::on) return Strategy::two_phase;
    if (wish.collective != Strategy::automatic || wish.collective_read == Switch::off) return Strategy::independent;
    return cheaper(load, situation(reads_));
}

// Twice as many calls as last time, so that a program that changes its ways is found out soon.
void Collective::fall_silent(History& history, Index calls) const {
    history.silent_calls = history.last_silence = std::clamp<Index>(calls, 0, 2 * history.last_silence + 1);
}

// ---- writing ----

Outcome Collective::write(const Access& access, const Alone& alone) {
    if (always_alone()) return with(alone(), copy_of(access.earlier_failure));
    reads_.silent_calls = 0;  // the next one asks who has something in the log
    if (writes_.silent_calls > 0) {
        --writes_.silent_calls;
        return writes_.silent_alone ? agreed(alone(), copy_of(access.earlier_failure)) : write_silently(access, alone);
    }
    Exchange asked = exchange(summary(access, writes_), writes_, false, access.earlier_failure);
    const Strategy strategy = write_strategy(asked.load);
    if (strategy == Strategy::deferred) return write_deferred(access, alone, std::move(asked));
    writes_.silent_alone = strategy == Strategy::independent;
    fall_silent(writes_, writes_.silent_alone && !asked.load.empty() ? most_calls_alone : 0);
    if (strategy == Strategy::independent) return agreed(alone(), asked.told);
    (void)flush_what_overlaps(state_, access);  // its failure is kept, and told below
    Outcome outcome = through_aggregators(access, writes_, asked.load, false);
    return with(std::move(outcome), asked.told);
}

// The others do not hear of a failure now, so it is kept for them; this rank's caller is told at once.
Outcome Collective::write_silently(const Access& access, const Alone& alone) {
    Outcome outcome{access.bytes, std::nullopt, true};
    if (!write_behind_whole(state_, access)) outcome = alone();
    outcome.agreed = true;
    outcome = with(std::move(outcome), copy_of(access.earlier_failure));
    keep(outcome.failure);
    return outcome;
}

Outcome Collective::write_deferred(const Access& access, const Alone& alone, Exchange asked) {
    writes_.silent_alone = false;
    const Index capacity = state_.log.capacity(), most = std::max<Index>(1, asked.load.most_bytes);
    Index logged = asked.load.most_logged;
    if (logged + most > capacity) {
        auto flushed = flush_log();
        if (!asked.told) asked.told = std::move(flushed);
        logged = 0;
    }
    Outcome outcome{access.bytes, std::nullopt, true};
    if (!write_behind_whole(state_, access)) outcome = alone();
    keep(outcome.failure);
    outcome.agreed = true;
    fall_silent(writes_, std::min(most_silent_writes, (capacity - logged - most) / most));
    return with(std::move(outcome), asked.told);
}

Outcome Collective::through_aggregators(const Access& access, History& history, const Load& load, bool reads) {
    const Situation here = situation(history);
    const FileDomains domains = FileDomains::cut({load.begin, load.end}, aggregators(load, here), state_.ranks,
                                                 state_.system->alignment, state_.parameters.collective_buffer_bytes);
    const double start = base::seconds_now();
    TwoPhase transfer(state_, access, domains, load.in_shared_memory);
    const std::optional<Failure> kept = std::exchange(state_.kept, std::nullopt);
    Outcome outcome = reads ? transfer.read(kept) : transfer.write(kept);
    history.seconds = base::seconds_now() - start;
    history.estimate_s = two_phase_seconds(load, here);
    return outcome;
}

// ---- reading ----

// Where ranks read alone they need not ask each other each time either; that nobody failed is still agreed on.
// What earlier collective calls of any rank deferred is seen: MPI asks for a sync between (13.6.1), but every other library
// lets programs go without.
Outcome Collective::read(const Access& access, const Alone& alone) {
    if (always_alone()) return with(alone(), copy_of(access.earlier_failure));
    if (reads_.silent_calls > 0) {
        --reads_.silent_calls;
        return agreed(alone(), copy_of(access.earlier_failure));
    }
    Exchange asked = exchange(summary(access, reads_), reads_, true, access.earlier_failure);
    if (asked.load.most_logged > 0) {
        auto flushed = flush_log();
        if (!asked.told) asked.told = std::move(flushed);
    }
    if (read_strategy(asked.load) == Strategy::independent) {
        fall_silent(reads_, asked.load.empty() ? 0 : most_calls_alone);
        return agreed(alone(), asked.told);
    }
    fall_silent(reads_, 0);
    (void)flush_what_overlaps(state_, access);
    return with(through_aggregators(access, reads_, asked.load, true), asked.told);
}

// ---- the file as a whole ----

std::optional<Failure> Collective::flush_log(base::Waiting::Expected expected) {
    const Parameters& wish = state_.parameters;
    if (state_.ranks == 1) {
        (void)flush(state_);
        return state_.agree(std::exchange(state_.kept, std::nullopt));
    }
    const WriteLog& log = state_.log;
    Summary mine = summary({View{}, 0, 0, Memory{}}, writes_);
    if (!log.empty()) mine.begin = log.lower(), mine.end = log.upper(), mine.bytes = log.bytes(), mine.pieces = log.pieces();
    mine.in_shared_memory = state_.log_in_shared_memory();
    const Exchange asked = exchange(mine, writes_, false, nullptr, expected);
    if (asked.load.empty()) return asked.told;
    const bool forced = wish.collective == Strategy::two_phase || wish.collective_write == Switch::on;
    const bool forbidden = wish.collective == Strategy::independent || wish.collective_write == Switch::off;
    if (!forced && (forbidden || cheaper(asked.load, situation(writes_)) == Strategy::independent)) {
        (void)flush(state_);
        auto failure = state_.agree(std::exchange(state_.kept, std::nullopt));
        return asked.told ? asked.told : failure;
    }
    const LoggedWrites logged(log);
    const Outcome outcome = through_aggregators(logged.access(), writes_, asked.load, false);
    state_.log.clear();
    if (outcome.failure) state_.lose(*outcome.failure);
    return asked.told ? asked.told : outcome.failure;
}

void Collective::set_hints(const Hints& hints) {
    apply(hints, state_.parameters);
    state_.team->broadcast(0, state_.parameters);
    (void)flush(state_);  // before the log changes its size; a failure is kept
    state_.size_log();
    reads_ = writes_ = {};
}

int Collective::aggregators_in_force() const {
    const Index wish = state_.parameters.aggregators;
    return static_cast<int>(std::clamp<Index>(wish > 0 ? wish : state_.processors, 1, state_.ranks));
}

}  // namespace kumihimo::mpiio::direct
