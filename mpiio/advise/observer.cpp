#include "mpiio/advise/observer.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/communicator.hpp"
#include "base/finalize.hpp"
#include "base/settings.hpp"
#include "mpiio/advise/advice.hpp"
#include "mpiio/file/native.hpp"

namespace kumihimo::mpiio::advise {

// When a file gets its advice, the same on all its ranks: threads of different ranks may close files in different orders.
struct Turn {
    int first_rank;  // of the file's ranks, in MPI_COMM_WORLD
    int number;      // of its files
    auto operator<=>(const Turn&) const = default;
};

// An observed file.
struct Observed {
    MPI_Comm comm = MPI_COMM_NULL;  // a copy
    Original original;
    std::string engine;  // that would serve it
    Trace trace;
};

namespace {

// What files that wait for advice may hold together: some 16 MiB.
constexpr std::size_t most_waiting_steps = 200000;

struct Table {
    std::mutex mutex;
    std::map<MPI_File, std::unique_ptr<Observed>> files;
    std::map<Turn, std::unique_ptr<Observed>> waiting;  // closed
    std::size_t waiting_steps = 0;
    int closed = 0;  // files whose first rank this one is
};

Table& table() {
    static Table* const instance = new Table;  // files are closed until the very end
    return *instance;
}

thread_local bool inside = false;  // a call of this thread is being noted

Trace* find(MPI_File file) {
    if (inside) return nullptr;
    const std::lock_guard lock(table().mutex);
    const auto found = table().files.find(file);
    return found == table().files.end() ? nullptr : &found->second->trace;
}

// The file's size before any rank writes to it: none goes on before all have asked.
MPI_Offset size_before_all(MPI_Comm comm, MPI_File file) {
    MPI_Offset mine = 0, size = 0;
    PMPI_File_get_size(file, &mine);
    MPI_Allreduce(&mine, &size, 1, MPI_OFFSET, MPI_MIN, comm);
    return size;
}

void give_advice(Observed& file) {
    report_advice(file.comm, file.trace, file.original, file.engine);
    MPI_Comm_free(&file.comm);
}

void advise_all() {
    for (const auto& [turn, file] : std::exchange(table().waiting, {})) give_advice(*file);
}

// Closing what engines keep comes after it: registered before.
void advise_at_finalize() {
    native::release_handle(native::open_handle());
    base::at_finalize(advise_all);
}

// What the first rank says counts for all.
struct Decision {
    Turn turn;
    bool waits;
};
Decision decide(const Observed& file) {
    Decision decision{};
    MPI_Comm_rank(MPI_COMM_WORLD, &decision.turn.first_rank);
    {
        const std::lock_guard lock(table().mutex);
        decision.turn.number = table().closed++;
        decision.waits = table().waiting_steps + file.trace.steps().size() <= most_waiting_steps;
    }
    MPI_Bcast(&decision, sizeof decision, MPI_BYTE, 0, file.comm);
    return decision;
}

}  // namespace

bool wanted() {
    return base::setting_flag("KUMIHIMO_IO_ADVISE");
}

void begin(MPI_Comm comm, const Choice& choice, int amode, MPI_File file, double seconds) {
    static std::once_flag once;
    std::call_once(once, advise_at_finalize);
    auto observed = std::make_unique<Observed>();
    observed->comm = base::copy_of(comm);
    observed->original = {choice.path, amode, size_before_all(observed->comm, file)};
    observed->engine = choice.engine;
    observed->trace.add_seconds(seconds);
    const std::lock_guard lock(table().mutex);
    table().files[file] = std::move(observed);
    observed_files.fetch_add(1);
}

Observed* take(MPI_File file) {
    if (inside) return nullptr;
    const std::lock_guard lock(table().mutex);
    const auto found = table().files.find(file);
    if (found == table().files.end()) return nullptr;
    Observed* const taken = found->second.release();
    table().files.erase(found);
    observed_files.fetch_sub(1);
    return taken;
}

// Advice waits for the end of the program: to do calls again takes the program's data out of the caches, and what it does next,
// often to read the file, would take longer than it does without us.
void conclude(Observed* taken, double seconds) {
    std::unique_ptr<Observed> file(taken);
    file->trace.add_seconds(seconds);
    const Decision decision = decide(*file);
    if (!decision.waits) return give_advice(*file);
    const std::lock_guard lock(table().mutex);
    table().waiting_steps += file->trace.steps().size();
    table().waiting.emplace(decision.turn, std::move(file));
}

Observation::Observation(MPI_File file) : trace_(find(file)) {
    if (trace_ == nullptr) return;
    inside = true;
    start_ = MPI_Wtime();
}

Observation::~Observation() {
    if (trace_ == nullptr) return;
    trace_->add_seconds(MPI_Wtime() - start_);
    inside = false;
}

}  // namespace kumihimo::mpiio::advise
