#include "mpiio/engine/faulty/engine.hpp"

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "base/error.hpp"
#include "base/fault_plan.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"

namespace kumihimo::mpiio::faulty {

namespace {

using MaybeFailure = std::optional<Failure>;

class FaultyFile final : public EngineFile {
public:
    FaultyFile(MPI_Comm comm, base::FaultPlan plan) : comm_(comm), plan_(std::move(plan)) {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        struck_ = plan_.node < 0 || plan_.node == rank;
        random_.seed(plan_.seed + static_cast<std::uint64_t>(rank));
    }
    MaybeFailure open(const Engine& underlying, const OpenRequest& request) {
        MaybeFailure failure;
        inner_ = underlying.open(request, failure);
        if (failure) return failure;
        if (auto planned = together(call("open"))) {
            (void)inner_->close();  // the planned failure is what is told
            return planned;
        }
        return std::nullopt;
    }

    Outcome read(const Access& access) override {
        const Fault fault = call("read");
        if (fault.failure) return {0, fault.failure};
        return inner_->read(shortened(access, fault));
    }
    // Less of a write than was asked for is a failure: nothing says to the caller that the rest is missing.
    Outcome write(const Access& access) override {
        const Fault fault = call("write");
        if (fault.failure) return {0, fault.failure};
        Outcome outcome = inner_->write(shortened(access, fault));
        if (fault.cut && !outcome.failure) outcome.failure = planned("write", "writes a part only");
        return outcome;
    }
    Outcome read_all(const Access& access) override {
        const Fault fault = call("read_all");
        return agreed(inner_->read_all(shortened(access, fault)), fault.failure);
    }
    Outcome write_all(const Access& access) override {
        Fault fault = call("write_all");
        if (fault.cut) fault.failure = planned("write_all", "writes a part only");
        return agreed(inner_->write_all(shortened(access, fault)), fault.failure);
    }

    MaybeFailure size(Index& bytes) override {
        if (const Fault fault = call("size"); fault.failure) return fault.failure;
        return inner_->size(bytes);
    }
    MaybeFailure set_size(Index bytes) override {
        if (auto failure = together(call("set_size"))) return failure;
        return inner_->set_size(bytes);
    }
    MaybeFailure preallocate(Index bytes) override {
        if (auto failure = together(call("preallocate"))) return failure;
        return inner_->preallocate(bytes);
    }
    MaybeFailure flush() override { return inner_->flush(); }
    MaybeFailure sync() override {
        return after(call("sync"), [&] { return inner_->sync(); });
    }
    MaybeFailure close() override {
        return after(call("close"), [&] { return inner_->close(); });
    }
    MaybeFailure set_atomic(bool atomic) override {
        return after(call("set_atomic"), [&] { return inner_->set_atomic(atomic); });
    }

    MaybeFailure add_to_shared(Index amount, Index& before) override {
        if (const Fault fault = call("add_to_shared"); fault.failure) return fault.failure;
        return inner_->add_to_shared(amount, before);
    }
    MaybeFailure set_shared(Index value) override {
        if (const Fault fault = call("set_shared"); fault.failure) return fault.failure;
        return inner_->set_shared(value);
    }

    Hints hints() const override { return inner_->hints(); }
    void set_hints(const Hints& hints) override { inner_->set_hints(hints); }
    Counters counters() const override { return inner_->counters(); }
    Details details() const override { return inner_->details(); }
    void conclude(Details& totals) const override { inner_->conclude(totals); }

private:
    struct Fault {
        MaybeFailure failure;
        bool cut = false;  // a part is moved
    };

    Failure planned(const char* what, const char* does) const {
        return {MPI_ERR_IO,
                fmt::format("the engine faulty {} at call {} ({}): KUMIHIMO_FAULTY_IO asks for it", does, calls_, what), 0};
    }
    Fault call(const char* what) {
        ++calls_;
        if (!struck_) return {};
        if (plan_.delay_us > 0)
            std::this_thread::sleep_for(
                std::chrono::microseconds(std::uniform_int_distribution<std::int64_t>(0, plan_.delay_us)(random_)));
        if (calls_ == plan_.kill) std::raise(SIGKILL);
        if (calls_ == plan_.fail) return {planned(what, "fails"), false};
        return {std::nullopt, calls_ == plan_.cut};
    }
    // What is left of a transfer: nothing if it fails, a part if it is cut.
    static Access shortened(const Access& access, const Fault& fault) {
        return {access.view,
                access.position,
                fault.failure && !fault.cut ? 0 : fault.cut ? access.bytes / 2 : access.bytes,
                access.memory,
                access.earlier_failure,
                access.peers};
    }
    bool has_faults() const { return plan_.fail > 0 || plan_.cut > 0; }  // the same on all ranks: the plan is

    MaybeFailure together(const Fault& fault) const {
        return has_faults() ? base::agree(comm_, fault.failure, "rank") : std::nullopt;
    }
    // All ranks go through the underlying engine's collective call, then all fail if one was told to.
    Outcome agreed(Outcome outcome, const MaybeFailure& failure) const {
        if (!has_faults()) return outcome;
        const MaybeFailure known = outcome.agreed ? outcome.failure : std::nullopt;
        MaybeFailure mine = failure;
        if (!mine && !outcome.agreed) mine = outcome.failure;
        const MaybeFailure all = base::agree(comm_, mine, "rank");
        return {outcome.moved, known ? known : all, true};
    }
    template <typename Collective>
    MaybeFailure after(const Fault& fault, Collective&& collective) const {
        MaybeFailure failure = collective();
        MaybeFailure planned = together(fault);
        return failure ? failure : planned;
    }

    MPI_Comm comm_;
    base::FaultPlan plan_;
    std::unique_ptr<EngineFile> inner_;
    bool struck_ = false;
    std::mt19937_64 random_;
    std::int64_t calls_ = 0;
};

MaybeFailure read_plan(base::FaultPlan& plan, const Engine*& underlying) {
    try {
        plan = base::fault_plan(base::setting("KUMIHIMO_FAULTY_IO"), fault_words);
    } catch (const base::Error& error) {
        return Failure{MPI_ERR_OTHER, fmt::format("{}. {}", error.what(), error.advice()), 0};
    }
    underlying = find_engine(plan.underlying);
    if (underlying != nullptr) return std::nullopt;
    return Failure{MPI_ERR_OTHER, fmt::format("KUMIHIMO_FAULTY_IO: there is no engine '{}'", plan.underlying), 0};
}

std::unique_ptr<EngineFile> open(const OpenRequest& request, MaybeFailure& failure) {
    base::FaultPlan plan;
    const Engine* underlying = nullptr;
    failure = base::agree(request.comm, read_plan(plan, underlying), "rank");
    if (failure) return nullptr;
    auto file = std::make_unique<FaultyFile>(request.comm, plan);
    failure = file->open(*underlying, request);
    if (failure) return nullptr;
    return file;
}

MaybeFailure remove(const std::string& path) {
    base::FaultPlan plan;
    const Engine* underlying = nullptr;
    if (auto failure = read_plan(plan, underlying)) return failure;
    return underlying->remove(path);
}

}  // namespace

constinit const Engine engine = {"faulty", "For tests: another engine that fails where KUMIHIMO_FAULTY_IO says.", open, remove};

}  // namespace kumihimo::mpiio::faulty
