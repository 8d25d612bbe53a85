#include "mpiio/engine/stampi/file.hpp"

#include "base/format.hpp"
#include "mpiio/engine/failures.hpp"
#include "mpiio/engine/mode.hpp"
#include "mpiio/engine/stampi/reading.hpp"
#include "mpiio/engine/stampi/writing.hpp"

namespace kumihimo::mpiio::stampi {

using iod::FileFunction;

std::optional<Failure> StampiFile::call(FileFunction function, Index value, Index& result) {
    ++counters_.others;
    return failure_of(state_.remote->call(function, value, result), state_.text());
}

// ---- what is under way ----

// What was taken for written and is not: nobody knows any more which bytes of the file are right.
std::optional<Failure> StampiFile::lose(std::optional<Failure> failure) {
    if (failure && !lost_) {
        lost_ = failure;
        lost_->text += ". Bytes written before are lost or may be: close the file and write it again";
    }
    return failure;
}

std::optional<Failure> StampiFile::finish() {
    return failure_of(state_.remote->finish(), state_.text());
}

std::optional<Failure> StampiFile::settle() {
    dirty_ = false;
    return base::agree(state_.comm, lose(finish()), "rank");
}

// ---- transfers ----

Outcome StampiFile::send(const Access& access) {
    const double start = MPI_Wtime();
    const auto failure = failure_of(stampi::write(*state_.remote, access, row_), state_.text());
    counters_.seconds += MPI_Wtime() - start;
    if (failure) return {0, failure};
    ++counters_.writes;
    counters_.bytes_written += access.bytes;
    return {access.bytes, std::nullopt};
}

// Other ranks may look for the bytes as soon as they know of the call's return (HDF5 does after a barrier).
Outcome StampiFile::write_now(const Access& access) {
    Outcome outcome = send(access);
    const auto failed = finish();
    if (failed) return {0, failed};
    return outcome;
}

Outcome StampiFile::fetch(const Access& access) {
    const double start = MPI_Wtime();
    const bool alone = !writes(state_.amode) && !atomic_;
    Moved moved = alone ? ahead_.read(*state_.remote, access) : stampi::read(*state_.remote, access);
    counters_.seconds += MPI_Wtime() - start;
    ++counters_.reads;
    counters_.bytes_read += moved.bytes;
    return {moved.bytes, failure_of(moved.status, state_.text())};
}

std::optional<Failure> StampiFile::lock() {
    Index ignored = 0;
    return call(FileFunction::lock, 0, ignored);
}

std::optional<Failure> StampiFile::unlock() {
    Index ignored = 0;
    return call(FileFunction::unlock, 0, ignored);
}

Outcome StampiFile::read(const Access& access) {
    return atomic_ ? as_a_whole([&] { return fetch(access); }) : fetch(access);
}

Outcome StampiFile::write(const Access& access) {
    if (!writes(state_.amode))
        return {0, Failure{MPI_ERR_READ_ONLY, fmt::format("'{}' was opened for reading only", state_.text()), 0}};
    if (state_.parameters.behind > 0 && !atomic_) {
        Outcome outcome = send(access);
        lose(outcome.failure);
        return outcome;
    }
    lose(finish());  // what a collective write left must not be taken for this one's
    return atomic_ ? as_a_whole([&] { return write_now(access); }) : write_now(access);
}

Outcome StampiFile::read_all(const Access& access) {
    std::optional<Failure> failure = flush();
    Outcome outcome = read(access);
    if (!failure && access.earlier_failure != nullptr) failure = *access.earlier_failure;
    if (failure) outcome.failure = failure;
    return outcome;
}

// Bytes may be on their way at return: the next collective call that needs them waits for them.
Outcome StampiFile::write_all(const Access& access) {
    const bool waits = atomic_ || !writes(state_.amode);
    Outcome outcome = waits ? write(access) : send(access);
    if (outcome.failure && !waits) lose(outcome.failure);
    if (access.earlier_failure != nullptr) outcome.failure = *access.earlier_failure;
    dirty_ = true;
    return outcome;
}

// ---- the file as a whole ----

std::optional<Failure> StampiFile::flush() {
    return dirty_ ? settle() : std::nullopt;
}

// Everything written so far is in the file, then rank 0 changes it, then all know what became of that.
std::optional<Failure> StampiFile::by_first(FileFunction function, Index value) {
    if (auto failure = settle()) return failure;
    Index ignored = 0;
    return base::agree(state_.comm, state_.rank == 0 ? call(function, value, ignored) : std::nullopt, "rank");
}

std::optional<Failure> StampiFile::size(Index& bytes) {
    return call(FileFunction::size, 0, bytes);
}

std::optional<Failure> StampiFile::set_size(Index bytes) {
    return by_first(FileFunction::set_size, bytes);
}

std::optional<Failure> StampiFile::preallocate(Index bytes) {
    return by_first(FileFunction::preallocate, bytes);
}

// Each rank asks for its own behind its writes, and takes the answers to both: on a long way one round trip instead of two, and
// the other machine does the syncs of all ranks together.
std::optional<Failure> StampiFile::sync() {
    forget_ahead();
    Index ignored = 0;
    const std::optional<Failure> synced = call(FileFunction::sync, 0, ignored);
    lose(finish());
    lose(synced);
    dirty_ = false;
    return base::agree(state_.comm, lost_, "rank");
}

// The close travels behind the last writes, as a sync does.
std::optional<Failure> StampiFile::close() {
    forget_ahead();
    connections_ = static_cast<double>(state_.remote->streams() - (state_.leads() ? 0 : 1));
    std::optional<Failure> failure = failure_of(state_.remote->close(), state_.text());
    lose(finish());
    if (lost_) failure = lost_;
    if (deletes_on_close(state_.amode)) {
        failure = base::agree(state_.comm, failure, "rank");  // all have closed it
        if (state_.rank == 0 && !failure) failure = failure_of(state_.remote->remove({state_.path}), state_.text());
    }
    state_.remote->leave();
    state_.remote.reset();
    return failure;  // the caller tells the others
}

std::optional<Failure> StampiFile::set_atomic(bool atomic) {
    forget_ahead();
    auto failure = settle();
    atomic_ = atomic;
    return failure;
}

std::optional<Failure> StampiFile::add_to_shared(Index amount, Index& before) {
    return call(FileFunction::shared_add, amount, before);
}

std::optional<Failure> StampiFile::set_shared(Index value) {
    Index ignored = 0;
    return call(FileFunction::shared_set, value, ignored);
}

Details StampiFile::details() const {
    return {{"I/O processes", state_.leads() ? 1.0 : 0.0},
            {"connections", connections_},
            {"data channels", state_.leads() && state_.channel ? 1.0 : 0.0}};
}

}  // namespace kumihimo::mpiio::stampi
