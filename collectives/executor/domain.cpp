#include "collectives/executor/domain.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <utility>

#include "base/communicator.hpp"
#include "base/completion.hpp"
#include "base/family.hpp"
#include "base/hosts.hpp"
#include "base/log.hpp"
#include "base/settings_agreement.hpp"

namespace kumihimo::collectives {

namespace {

// Shared memory takes as long to set up as some hundred short messages: communicators that live for a few calls go without.
constexpr int calls_without_shared_memory = 8;

// What sets a domain up calls MPI, which must not come back here for the communicators that it makes meanwhile.
thread_local bool setting_up = false;
struct SettingUp {
    SettingUp() { setting_up = true; }
    ~SettingUp() { setting_up = false; }
};

std::byte* take_work_space(std::size_t bytes) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

Selection Settings::*with_built_in(bool shared_processors) {
    return shared_processors ? &Settings::with_built_in_shared : &Settings::with_built_in;
}

// As far as this rank can tell without communication.
bool may_have_built_in_rules(int ranks, const Torus& torus) {
    int world = 1;
    PMPI_Comm_size(MPI_COMM_WORLD, &world);
    const bool one_host = base::processes_here().value_or(world) >= world;
    const Selection& rules = settings().*with_built_in(base::processors_are_shared());
    return ranks > 1 && (one_host ? rules.concern(ranks, 1, torus) : !rules.rules().empty());
}

}  // namespace

Domain* Domain::of(MPI_Comm communicator) {
    if (setting_up) return nullptr;
    Domain* domain = nullptr;
    int found = 0;
    if (PMPI_Comm_get_attr(communicator, keyval(), &domain, &found) != MPI_SUCCESS) return nullptr;
    if (!found) {
        const SettingUp guard;
        int inter = 1;
        PMPI_Comm_test_inter(communicator, &inter);
        domain = new Domain();
        PMPI_Comm_set_attr(communicator, keyval(), domain);
        if (!inter) domain->open(communicator);
    } else if (domain->calls_to_connect_ > 0) {
        domain->count_call(communicator);
    }
    return domain->serves_ ? domain : nullptr;
}

Torus Domain::torus() const {
    return settings().shape.ranks() == ranks_ ? settings().shape : Torus::line(ranks_);
}

// By one rank of the first communicator that meets it.
void tell_complaint(bool speaks) {
    static const bool once = [speaks] {
        if (speaks)
            std::fprintf(stderr, "kumihimo: error: %s\n  Collective operations stay with the MPI library.\n",
                         settings().complaint.c_str());
        return true;
    }();
    (void)once;
}

// All ranks serve or none: same settings, and work space everywhere. Untouched work space takes no memory.
void Domain::open(MPI_Comm communicator) {
    base::meet(communicator);
    PMPI_Comm_rank(communicator, &rank_);
    PMPI_Comm_size(communicator, &ranks_);
    const bool has_rules = !settings().rules.rules().empty();
    if (settings().work_limit > 0) work_ = take_work_space(static_cast<std::size_t>(settings().work_limit));
    const std::int64_t mine = base::fingerprint(base::collectives);
    const std::int64_t complains = settings().complaint.empty() ? -ranks_ : -rank_;  // the first of them speaks
    std::int64_t most[6] = {
        mine, -mine, work_ == nullptr, !may_have_built_in_rules(ranks_, torus()), base::processors_are_shared(), complains};
    if (PMPI_Allreduce(MPI_IN_PLACE, most, 6, MPI_INT64_T, MPI_MAX, communicator) != MPI_SUCCESS) return;
    const bool differ = most[0] != -most[1], unsound = most[5] > -ranks_;
    if (rank_ == 0) base::tell_unknown_settings();
    if (differ)
        base::settle_differences(communicator, base::collectives, "collective operations stay with the MPI library", false);
    else if (unsound)
        tell_complaint(most[5] == -rank_);
    if (differ || unsound || most[2] != 0) return;
    const bool built_in = most[3] == 0;
    if (built_in) rules_ = with_built_in(most[4] != 0);
    if (has_rules)
        connect(communicator);
    else if (built_in)
        calls_to_connect_ = calls_without_shared_memory;
}

void Domain::count_call(MPI_Comm communicator) {
    if (--calls_to_connect_ > 0) return;
    const SettingUp guard;
    connect(communicator);
}

void Domain::connect(MPI_Comm communicator) {
    base::meet(communicator);
    base::keep_hosts(communicator);
    messages_ = base::copy_of(communicator);
    if (messages_ == MPI_COMM_NULL) return;
    PMPI_Comm_set_errhandler(messages_, MPI_ERRORS_RETURN);
    node_ = NodeMessages::open(messages_);
    placement_.emplace(base::hosts_of(messages_).host_of_rank);
    serves_ = rules().concern(ranks_, placement_->hosts(), torus());
    if (rank_ == 0)
        base::log(base::log_start, "collective operations: {} ranks on {} hosts, {} of them share memory with this one", ranks_,
                  placement_->hosts(), node_ == nullptr ? 1 : node_->ranks_here());
}

int Domain::run(Source steps, Operands operands, std::size_t look_ahead) {
    operands.work = work_;
    operands.communicator = messages_;
    operands.node = node_.get();
    return run_.execute(std::move(steps), operands, look_ahead);
}

Domain::~Domain() {
    if (messages_ != MPI_COMM_NULL) PMPI_Comm_free(&messages_);
    if (work_ != nullptr) munmap(work_, static_cast<std::size_t>(settings().work_limit));
}

// A duplicate of a communicator gets none: it opens its own.
int Domain::keyval() {
    static const int keyval = [] {
        int created = MPI_KEYVAL_INVALID;
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &Domain::release, &created, nullptr);
        return created;
    }();
    return keyval;
}

// MPI_Finalize also takes the attributes of MPI_COMM_WORLD away, when communicators can no longer be freed.
int Domain::release(MPI_Comm communicator, int, void* domain, void*) {
    Domain* const ours = static_cast<Domain*>(domain);
    if (communicator == MPI_COMM_WORLD || communicator == MPI_COMM_SELF) ours->messages_ = MPI_COMM_NULL;
    delete ours;
    return MPI_SUCCESS;
}

}  // namespace kumihimo::collectives
