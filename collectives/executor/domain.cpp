#include "collectives/executor/domain.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"

namespace kumihimo::collectives {

namespace {

std::string table_text() {
    const std::string path = base::setting("KUMIHIMO_COLL_TABLE");
    if (path.empty()) return {};
    std::ifstream file(path);
    if (!file)
        throw base::Error(fmt::format("KUMIHIMO_COLL_TABLE={} cannot be read", path),
                          "Name a file that all nodes can read, or unset it.");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Settings read_settings() {
    const std::string rules = table_text() + "\n" + base::setting("KUMIHIMO_COLL_TUNE");
    const std::string shape = base::setting("KUMIHIMO_COLL_SHAPE");
    Settings settings{Selection(rules),
                      shape.empty() ? Torus() : Torus::parse(shape),
                      base::setting_number("KUMIHIMO_COLL_SEGMENT"),
                      base::setting_number("KUMIHIMO_COLL_WORK"),
                      static_cast<std::size_t>(base::setting_number("KUMIHIMO_COLL_AHEAD")),
                      0};
    settings.segment_bytes = std::max(settings.segment_bytes, Bytes{1});
    settings.fingerprint = std::hash<std::string>()(
        fmt::format("{}|{}|{}|{}|{}", rules, shape, settings.segment_bytes, settings.work_limit, settings.look_ahead));
    return settings;
}

}  // namespace

const Settings& settings() {
    static const Settings* const settings = [] {
        try {
            return new Settings(read_settings());
        } catch (const base::Error& error) {
            std::fprintf(stderr, "kumihimo: error: %s\n  %s\n  Collective operations stay with the MPI library.\n",
                         error.what(), error.advice().c_str());
            return new Settings{{}, {}, 1, 0, 0, 0};
        }
    }();
    return *settings;
}

Domain* Domain::of(MPI_Comm communicator) {
    Domain* domain = nullptr;
    int found = 0;
    if (PMPI_Comm_get_attr(communicator, keyval(), &domain, &found) != MPI_SUCCESS) return nullptr;
    if (!found) {
        int inter = 1;
        PMPI_Comm_test_inter(communicator, &inter);
        domain = new Domain();
        // Before it is opened: what opening calls finds it here and stays native.
        PMPI_Comm_set_attr(communicator, keyval(), domain);
        if (!inter) domain->open(communicator);
    }
    return domain->serves_ ? domain : nullptr;
}

Torus Domain::torus() const {
    return settings().shape.ranks() == ranks_ ? settings().shape : Torus::line(ranks_);
}

// All ranks serve or none: same settings, and work space everywhere. Untouched work space takes no memory.
void Domain::open(MPI_Comm communicator) {
    PMPI_Comm_rank(communicator, &rank_);
    PMPI_Comm_size(communicator, &ranks_);
    const std::size_t bytes = static_cast<std::size_t>(settings().work_limit);
    bool failed = false;
    if (!settings().selection.rules().empty() && bytes > 0) {
        void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        failed = memory == MAP_FAILED;
        if (!failed) work_ = static_cast<std::byte*>(memory);
    }
    unsigned long most[3] = {settings().fingerprint, ~settings().fingerprint, failed};
    if (PMPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_UNSIGNED_LONG, MPI_MAX, communicator) != MPI_SUCCESS) return;
    if (most[0] != ~most[1] && rank_ == 0)
        std::fprintf(
            stderr,
            "kumihimo: warning: ranks have different settings KUMIHIMO_COLL_*: collective operations stay with the MPI "
            "library.\n  Pass the settings to all nodes (Open MPI: -x NAME).\n");
    if (most[0] != ~most[1] || most[2] != 0 || settings().selection.rules().empty()) return;
    if (PMPI_Comm_dup(communicator, &messages_) != MPI_SUCCESS) return;
    PMPI_Comm_set_errhandler(messages_, MPI_ERRORS_RETURN);
    serves_ = true;
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
