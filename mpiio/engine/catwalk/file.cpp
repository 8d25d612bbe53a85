#include "mpiio/engine/catwalk/file.hpp"

#include <algorithm>
#include <bit>

#include "base/completion.hpp"
#include "base/format.hpp"
#include "base/progress.hpp"
#include "mpiio/engine/catwalk/kept.hpp"
#include "mpiio/engine/catwalk/writing.hpp"
#include "mpiio/engine/failures.hpp"

namespace kumihimo::mpiio::catwalk {

std::optional<Failure> CatwalkFile::call(std::uint32_t server, iod::Function function, Index value, Index& result) {
    return failure_of(state_.session->call(server, function, value, result), state_.path);
}

// ---- transfers ----

Outcome CatwalkFile::write_records(const Access& access) {
    written_end_ = std::max(written_end_, end_of(access));
    if (catwalk::write(*state_.session, access, row_)) return {access.bytes, std::nullopt};
    return {0, failure_of(state_.session->status(), state_.path)};
}

Outcome CatwalkFile::read_bytes(const Access& access) {
    const Source source{*state_.session, state_.parameters.servers, state_.parameters.stripe, atomic_, written_end_};
    const Moved moved = reader_.read(source, access);
    return {moved.bytes, failure_of(moved.status, state_.path)};
}

// Granted in turn, by the first server.
std::optional<Failure> CatwalkFile::lock() {
    Index ignored = 0;
    return call(0, iod::Function::lock, 0, ignored);
}

std::optional<Failure> CatwalkFile::unlock() {
    Index ignored = 0;
    return call(0, iod::Function::unlock, 0, ignored);
}

// All that this rank has written is in the file.
std::optional<Failure> CatwalkFile::show() {
    std::optional<Failure> failure;
    for (std::uint32_t server = 0; server < state_.servers(); ++server) {
        Index ignored = 0;
        const auto failed = call(server, iod::Function::show, 0, ignored);
        if (!failure) failure = failed;
    }
    return failure;
}

Outcome CatwalkFile::read(const Access& access) {
    return atomic_ ? as_a_whole([&] { return read_bytes(access); }) : read_bytes(access);
}

Outcome CatwalkFile::write(const Access& access) {
    if (state_.amode & MPI_MODE_RDONLY)
        return {0, Failure{MPI_ERR_READ_ONLY, fmt::format("'{}' was opened for reading only", state_.path), 0}};
    if (!atomic_) return write_records(access);
    return as_a_whole([&] {
        Outcome outcome = write_records(access);
        if (!outcome.failure) outcome.failure = show();
        return outcome;
    });
}

// What collective writes of any rank put into the rings is seen: MPI asks for a sync between (13.6.1), but programs go without.
Outcome CatwalkFile::read_all(const Access& access) {
    std::optional<Failure> failure = flush();
    Outcome outcome = read(access);
    if (!failure && access.earlier_failure != nullptr) failure = *access.earlier_failure;
    if (failure) outcome.failure = failure;
    return outcome;
}

// No exchange, as a rule: records find their order on the way, so a rank need not know what the others write. That nobody
// failed is agreed on at calls 1, 2, 4, 8, ... and whenever data are drained; until then the others go on.
Outcome CatwalkFile::write_all(const Access& access) {
    Outcome outcome = write(access);
    if (access.earlier_failure != nullptr) outcome.failure = *access.earlier_failure;
    dirty_ = true;
    if (!kept_) kept_ = outcome.failure;
    outcome.agreed = true;
    if (std::has_single_bit(++collective_writes_) || atomic_)
        outcome.failure = base::agree(state_.comm, std::exchange(kept_, std::nullopt), "rank");
    return outcome;
}

// ---- the file as a whole ----

// Ranks meet at their agents, where they wait without a processor: each asks for what it has written, and is answered when that
// of all ranks is in the file. Meanwhile messages go on: another rank may wait for one before it comes. Failures of a single
// rank are for the caller to agree on.
std::optional<Failure> CatwalkFile::drain(iod::Purpose purpose) {
    const base::Poller messages([](void*) { base::drive_messages(); }, nullptr);
    std::optional<Failure> failure = std::exchange(kept_, std::nullopt);
    if (!failure) failure = failure_of(state_.session->status(), state_.path);
    Index file_bytes = 0;
    const iod::Status drained = state_.session->drain(++epoch_, purpose, file_bytes);
    if (!failure) failure = failure_of(drained, state_.path);
    dirty_ = false;
    written_end_ = purpose == iod::Purpose::order ? std::max(written_end_, file_bytes) : 0;
    return failure;
}

// What ranks do from now on comes behind, and finds, what they have written so far: it need not be in the file for that.
std::optional<Failure> CatwalkFile::flush() {
    return dirty_ ? base::agree(state_.comm, drain(iod::Purpose::order), "rank") : std::nullopt;
}

std::optional<Failure> CatwalkFile::sync() {
    auto failure = drain(iod::Purpose::sync);
    fetch_counters();
    return failure;
}

std::optional<Failure> CatwalkFile::close() {
    auto failure = drain(iod::Purpose::close);
    fetch_counters();
    if (auto link = state_.session->leave()) links().keep(std::move(*link));
    state_.session.reset();
    return failure;
}

std::optional<Failure> CatwalkFile::set_atomic(bool atomic) {
    auto failure = drain(iod::Purpose::show);
    atomic_ = atomic;
    return failure;
}

std::optional<Failure> CatwalkFile::size(Index& bytes) {
    bytes = written_end_;
    for (std::uint32_t server = 0; server < state_.servers(); ++server) {
        Index known = 0;
        if (auto failure = call(server, iod::Function::size, 0, known)) return failure;
        bytes = std::max(bytes, known);
    }
    return std::nullopt;
}

// Everything written so far is in the file, then rank 0 changes it, then all know what became of that.
std::optional<Failure> CatwalkFile::change_by_first(iod::Function function, Index value) {
    std::optional<Failure> failure = drain(iod::Purpose::show);
    Index ignored = 0;
    if (!failure && state_.rank == 0) failure = call(0, function, value, ignored);
    return base::agree(state_.comm, failure, "rank");
}

std::optional<Failure> CatwalkFile::set_size(Index bytes) {
    return change_by_first(iod::Function::set_size, bytes);
}

std::optional<Failure> CatwalkFile::preallocate(Index bytes) {
    return change_by_first(iod::Function::preallocate, bytes);
}

std::optional<Failure> CatwalkFile::add_to_shared(Index amount, Index& before) {
    return call(0, iod::Function::shared_add, amount, before);
}

std::optional<Failure> CatwalkFile::set_shared(Index value) {
    Index ignored = 0;
    return call(0, iod::Function::shared_set, value, ignored);
}

// What the I/O process of this host has counted, and this rank, which may have written past it.
void CatwalkFile::fetch_counters() {
    iod::Counters told;
    if (state_.leads() && !state_.session->counters(told).ok()) return;
    for (auto& own : state_.session->own_counters()) told.push_back(std::move(own));
    const auto of = [&](const char* name) {
        const auto found = std::find_if(told.begin(), told.end(), [&](const auto& counter) { return counter.first == name; });
        return found == told.end() ? 0.0 : found->second;
    };
    counters_.writes = static_cast<Index>(of("file writes") + of("writes past it"));
    counters_.bytes_written = static_cast<Index>(of("file bytes written") + of("bytes past it"));
    counters_.reads = static_cast<Index>(of("file reads"));
    counters_.bytes_read = static_cast<Index>(of("file bytes read"));
    counters_.exchanged_bytes = static_cast<Index>(of("sent bytes"));
    counters_.seconds = of("write seconds") + of("past it seconds") + of("read seconds") + of("sync seconds");
    if (state_.leads()) told.emplace_back("open seconds", MPI_Wtime() - opened_at_);
    details_ = std::move(told);
}

}  // namespace kumihimo::mpiio::catwalk
