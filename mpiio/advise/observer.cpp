#include "mpiio/advise/observer.hpp"

#include <map>
#include <memory>
#include <mutex>

#include "base/settings.hpp"
#include "mpiio/advise/advice.hpp"

namespace kumihimo::mpiio::advise {

// An observed file.
struct Observed {
    MPI_Comm comm = MPI_COMM_NULL;  // a copy
    Original original;
    std::string engine;  // that would serve it
    Trace trace;
};

namespace {

struct Table {
    std::mutex mutex;
    std::map<MPI_File, std::unique_ptr<Observed>> files;
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

}  // namespace

bool wanted() {
    static const bool set = base::setting("KUMIHIMO_IO_ADVISE") == "1";
    return set;
}

void begin(MPI_Comm comm, const Choice& choice, int amode, MPI_File file, double seconds) {
    auto observed = std::make_unique<Observed>();
    MPI_Comm_dup(comm, &observed->comm);
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

void conclude(Observed* taken, double seconds) {
    const std::unique_ptr<Observed> file(taken);
    file->trace.add_seconds(seconds);
    const bool deleted =
        (file->original.amode & MPI_MODE_DELETE_ON_CLOSE) != 0 && (file->original.amode & MPI_MODE_RDONLY) != 0;
    if (!deleted) report_advice(file->comm, file->trace, file->original, file->engine);
    MPI_Comm_free(&file->comm);
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
