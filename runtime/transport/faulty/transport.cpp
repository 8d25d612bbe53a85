// A transport that wraps another and goes wrong when it is told to: for tests of what stands above. A module.
#include "runtime/transport/transport.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <random>
#include <thread>

#include "base/communicator.hpp"
#include "base/error.hpp"
#include "base/fault_plan.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"
#include "runtime/transport/agreement.hpp"

namespace kumihimo::transport::faulty {

namespace {

class Faulty final : public Transport {
public:
    Faulty(MPI_Comm parent, base::FaultPlan plan) : plan_(std::move(plan)), inner_(transport::make(plan_.underlying, parent)) {
        communicator_ = base::copy_of(parent);
        MPI_Comm_rank(communicator_, &rank_);
        struck_ = plan_.node < 0 || plan_.node == rank_;
        random_.seed(plan_.seed + static_cast<std::uint64_t>(rank_));
    }
    ~Faulty() override {
        inner_.reset();
        MPI_Comm_free(&communicator_);
    }
    Faulty(const Faulty&) = delete;
    Faulty& operator=(const Faulty&) = delete;

    std::string name() const override { return "faulty"; }
    std::string description() const override {
        return fmt::format("over {}: fails at call {}, kills at call {}, delays by up to {} us, seed {} (0: never)",
                           inner_->name(), plan_.fail, plan_.kill, plan_.delay_us, plan_.seed);
    }

    std::unique_ptr<Region> attach(std::byte* memory, std::size_t bytes, MPI_Comm members) override {
        together(members, [&] { call("attach"); });
        return inner_->attach(memory, bytes, members);
    }
    std::unique_ptr<Region> allocate(std::size_t bytes) override {
        together(communicator_, [&] { call("allocate"); });
        return inner_->allocate(bytes);
    }
    void get(Region& region, int rank, std::size_t offset, std::byte* to, const Correspondence& shape) override {
        call("get");
        inner_->get(region, rank, offset, to, shape);
    }
    void put(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape) override {
        call("put");
        inner_->put(region, rank, offset, from, shape);
    }
    void accumulate(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape,
                    Reduction operation, int type) override {
        call("accumulate");
        inner_->accumulate(region, rank, offset, from, shape, operation, type);
    }
    std::int64_t atomic(Region& region, int rank, std::size_t offset, std::size_t bytes, Atomic operation, std::int64_t operand,
                        std::int64_t compare) override {
        call("atomic");
        return inner_->atomic(region, rank, offset, bytes, operation, operand, compare);
    }
    void fence() override {
        call("fence");
        inner_->fence();
    }
    void poll() override { inner_->poll(); }
    bool fence_others(int rank) override {
        call("fence");
        return inner_->fence_others(rank);
    }
    std::uint64_t sent_to(int rank) override { return inner_->sent_to(rank); }
    std::uint64_t came_from(int rank) override { return inner_->came_from(rank); }
    void give_up(int rank) override { inner_->give_up(rank); }

private:
    void call(const char* what) {
        ++calls_;
        if (!struck_) return;
        if (plan_.delay_us > 0)
            std::this_thread::sleep_for(
                std::chrono::microseconds(std::uniform_int_distribution<std::int64_t>(0, plan_.delay_us)(random_)));
        if (calls_ == plan_.kill) {
            std::fprintf(stderr, "kumihimo: the transport faulty kills node %d at call %lld (%s)\n", rank_,
                         static_cast<long long>(calls_), what);
            std::raise(SIGKILL);
        }
        if (calls_ == plan_.fail)
            throw base::Error(fmt::format("the transport faulty fails at call {} ({})", calls_, what),
                              "KUMIHIMO_FAULTY_TRANSPORT asks for it.");
    }

    base::FaultPlan plan_;
    std::unique_ptr<Transport> inner_;
    MPI_Comm communicator_ = MPI_COMM_NULL;
    int rank_ = 0;
    bool struck_ = false;
    std::mt19937_64 random_;
    std::int64_t calls_ = 0;
};

Transport* make_faulty(MPI_Comm communicator) {
    base::FaultPlan plan;
    together(communicator, [&] { plan = base::fault_plan(base::setting("KUMIHIMO_FAULTY_TRANSPORT"), fault_words); });
    return new Faulty(communicator, plan);
}

}  // namespace

}  // namespace kumihimo::transport::faulty

extern "C" {
extern const kumihimo::transport::Module kumihimo_transport;
const kumihimo::transport::Module kumihimo_transport = {kumihimo::transport::module_version, "faulty",
                                                        kumihimo::transport::faulty::make_faulty};
}
