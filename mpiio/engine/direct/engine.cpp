#include "mpiio/engine/direct/engine.hpp"

#include <limits>

#include "base/format.hpp"
#include "mpiio/engine/direct/collective.hpp"
#include "mpiio/engine/direct/opening.hpp"
#include "mpiio/engine/direct/write_behind.hpp"

namespace kumihimo::mpiio::direct {

namespace {

// Holds a lock on the bytes of an access as long as it lives: in atomic mode a transfer is seen whole or not at all.
class RangeLock {
public:
    // whole: this rank has all of the file locked already.
    RangeLock(State& state, const Access& access, bool exclusive, bool whole) : state_(state), span_(span_of(access)) {
        if (!state.atomic || whole) return;
        failure_ = state.file.lock(span_.begin, span_.end, exclusive);
        held_ = !failure_;
    }
    RangeLock(const RangeLock&) = delete;
    RangeLock& operator=(const RangeLock&) = delete;
    ~RangeLock() { (void)release(); }
    const std::optional<Failure>& failure() const { return failure_; }
    std::optional<Failure> release() {
        return std::exchange(held_, false) ? state_.file.unlock(span_.begin, span_.end) : std::nullopt;
    }

private:
    State& state_;
    Span span_;
    bool held_ = false;
    std::optional<Failure> failure_;
};

constexpr Index file_end = std::numeric_limits<Index>::max();

Outcome outcome_of(Moved moved) {
    return {moved.bytes, std::move(moved.failure)};
}

class DirectFile final : public EngineFile {
public:
    std::optional<Failure> open(const OpenRequest& request) {
        requested_ = request.hints;
        return open_together(state_, request);
    }

    Outcome read(const Access& access) override {
        if (auto failed = flush_what_overlaps(state_, access)) return {0, failed};
        RangeLock lock(state_, access, false, whole());
        if (lock.failure()) return {0, lock.failure()};
        // What a gap costs is fitted to many operations: not worth asking where there is none.
        const Tuning tuning = access.view.contiguous() ? Tuning{state_.parameters.read_buffer_bytes} : state_.read_tuning();
        return finish(read_alone(state_.file, access, state_.buffer, tuning), lock);
    }

    Outcome write(const Access& access) override {
        if (state_.amode & MPI_MODE_RDONLY)
            return {0, Failure{MPI_ERR_READ_ONLY, fmt::format("'{}' was opened for reading only", state_.file.path()), 0}};
        if (write_behind(state_, access)) return {access.bytes, std::nullopt};
        if (auto failed = flush_what_overlaps(state_, access)) return {0, failed};
        RangeLock lock(state_, access, true, whole());
        if (lock.failure()) return {0, lock.failure()};
        return finish(write_alone(state_.file, access, state_.buffer, state_.write_tuning()), lock);
    }

    Outcome read_all(const Access& access) override {
        return collective_.read(access, [&] { return read(access); });
    }
    Outcome write_all(const Access& access) override {
        return collective_.write(access, [&] { return write(access); });
    }

    std::optional<Failure> size(Index& bytes) override {
        auto failed = state_.file.size(bytes);
        if (!state_.log.empty()) bytes = std::max(bytes, state_.log.upper());
        return failed;
    }
    std::optional<Failure> set_size(Index bytes) override {
        return by_first([&] { return state_.file.truncate(bytes); });
    }
    std::optional<Failure> preallocate(Index bytes) override {
        return by_first([&] { return state_.file.allocate(bytes); });
    }
    std::optional<Failure> flush() override { return collective_.flush_log(); }
    // On one machine the first rank's fsync is everybody's. Linux tells a failure of the device once and may drop what it could
    // not write, so the next fsync that succeeds says nothing about it.
    // Before, every rank hands its bytes to the device: to find blocks for dirty pages takes a processor as long as a fast
    // device takes to store them. A rank that waits sleeps: the kernel's own threads and ranks that write still need its
    // processor.
    std::optional<Failure> sync() override {
        lose(state_.file.write_back());
        if (auto failed = collective_.flush_log(base::Waiting::long_)) return failed;
        if (state_.rank != 0) lose(state_.file.write_back());  // what the logs held
        if (state_.rank == 0 || !state_.shared.by_memory()) lose(state_.file.sync());
        return state_.team->agree(state_.lost, base::Waiting::long_);
    }
    std::optional<Failure> close() override {
        const bool reads_only = (state_.amode & MPI_MODE_RDONLY) != 0;
        auto flushed = reads_only ? std::nullopt : collective_.flush_log();
        auto closed = close_together(state_);
        if (flushed) return flushed;
        return state_.lost ? state_.lost : closed;  // the caller tells the others
    }
    std::optional<Failure> set_atomic(bool atomic) override {
        auto failure = collective_.flush_log();
        state_.atomic = atomic;
        return failure;
    }
    std::optional<Failure> add_to_shared(Index amount, Index& before) override { return state_.shared.add(amount, before); }
    std::optional<Failure> set_shared(Index value) override { return state_.shared.set(value); }

    Hints hints() const override {
        Hints hints = as_hints(state_.parameters);
        hints["cb_nodes"] = std::to_string(collective_.aggregators_in_force());
        hints["kumihimo_small_write"] = std::to_string(state_.small_bytes());
        for (const char* name : {"striping_factor", "striping_unit", "file_perm", "access_style"})
            if (const auto found = requested_.find(name); found != requested_.end()) hints.insert(*found);
        return hints;
    }
    void set_hints(const Hints& hints) override {
        collective_.set_hints(hints);
        for (const auto& [name, value] : hints) requested_[name] = value;
    }

    Counters counters() const override { return state_.meter.counters; }
    Details details() const override { return {{"copying seconds", state_.meter.copying_s}}; }

private:
    std::optional<Failure> lock() override { return state_.file.lock(0, file_end, (state_.amode & MPI_MODE_RDONLY) == 0); }
    std::optional<Failure> unlock() override { return state_.file.unlock(0, file_end); }

    void lose(const std::optional<Failure>& failure) {
        if (failure) state_.lose(*failure);
    }
    static Outcome finish(Moved moved, RangeLock& lock) {
        auto unlocked = lock.release();
        if (!moved.failure) moved.failure = std::move(unlocked);
        return outcome_of(std::move(moved));
    }
    // Everything written so far is in the file, then rank 0 changes it, then all know what became of that.
    template <typename Change>
    std::optional<Failure> by_first(Change&& change) {
        if (auto failed = collective_.flush_log()) return failed;
        return state_.agree(state_.rank == 0 ? change() : std::nullopt);
    }

    State state_;
    Collective collective_{state_};
    Hints requested_;
};

std::unique_ptr<EngineFile> open(const OpenRequest& request, std::optional<Failure>& failure) {
    auto file = std::make_unique<DirectFile>();
    failure = file->open(request);
    if (failure) return nullptr;
    return file;
}

}  // namespace

constinit const Engine engine = {"direct", "Files of the operating system: few large operations, whichever rank makes them.",
                                 open, remove_file};

}  // namespace kumihimo::mpiio::direct
