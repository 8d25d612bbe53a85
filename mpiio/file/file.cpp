#include "mpiio/file/file.hpp"

#include <atomic>
#include <cstdint>
#include <shared_mutex>
#include <unordered_map>

#include "base/hosts.hpp"
#include "base/settings.hpp"
#include "mpiio/file/errors.hpp"
#include "mpiio/file/native.hpp"

namespace kumihimo::mpiio {

namespace {

// Kept until the very end: calls on other files look here too, even from destructors.
struct Table {
    std::shared_mutex mutex;
    std::unordered_map<MPI_File, std::unique_ptr<File>> files;
    std::atomic<std::uint64_t> changes = 0;
};

Table& table() {
    static Table* const instance = new Table;
    return *instance;
}

File* look_up(MPI_File handle) {
    const std::shared_lock lock(table().mutex);
    const auto found = table().files.find(handle);
    return found == table().files.end() ? nullptr : found->second.get();
}

}  // namespace

// Programs use one file for many calls: the last answer holds until a file is opened or closed.
File* served(MPI_File handle) {
    struct Answer {
        std::uint64_t changes = 0;
        MPI_File handle = MPI_FILE_NULL;
        File* file = nullptr;
    };
    static thread_local Answer last;
    const std::uint64_t changes = table().changes.load(std::memory_order_acquire);
    if (last.changes != changes || last.handle != handle) last = {changes, handle, look_up(handle)};
    return last.file;
}

void add_served(std::unique_ptr<File> file) {
    const std::unique_lock lock(table().mutex);
    const MPI_File handle = file->handle();
    table().files[handle] = std::move(file);
    table().changes.fetch_add(1, std::memory_order_release);
}

void remove_served(File& file) {
    const std::unique_lock lock(table().mutex);
    table().files.erase(file.handle());
    table().changes.fetch_add(1, std::memory_order_release);
}

namespace {

bool predefined(MPI_Datatype type) {
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

}  // namespace

KeptType::KeptType(MPI_Datatype type) : type_(type), owned_(!predefined(type)) {
    if (owned_) MPI_Type_dup(type, &type_);
}

KeptType::~KeptType() {
    if (owned_) MPI_Type_free(&type_);
}

MPI_Datatype KeptType::copy() const {
    MPI_Datatype copied = type_;
    if (owned_) MPI_Type_dup(type_, &copied);
    return copied;
}

namespace {

// Files share our copy, so that what one finds out is known to the next one: a copy takes longer than to open a file.
// Collective calls on different files come in the same order on all ranks, or they would wait for each other; only threads may
// call on different files side by side.
std::shared_ptr<base::Communicator> copy_of(MPI_Comm comm) {
    std::shared_ptr<base::Communicator> copy = base::Communicator::of(comm);
    base::keep_hosts(*copy);
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    if (level == MPI_THREAD_MULTIPLE) copy = base::Communicator::copy_of(*copy);
    MPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN);
    return copy;
}

}  // namespace

File::File(MPI_Comm comm, std::string path, int amode, Hints hints)
    : communicator_(copy_of(comm)),
      team_(Team::of(*communicator_)),
      path_(std::move(path)),
      amode_(amode),
      hints_(std::move(hints)),
      handle_(native::open_handle()),
      reports_(reporting() && !base::setting_flag("KUMIHIMO_IO_ADVISE")) {  // else it is a trial of ours
    MPI_Comm_rank(*communicator_, &rank_);
    MPI_Comm_size(*communicator_, &size_);
}

File::~File() {
    native::release_handle(handle_);
}

std::optional<Failure> File::open(const Engine& engine) {
    engine_name_ = engine.name;
    std::optional<Failure> failure;
    engine_ = engine.open({comm(), path_, amode_, hints_}, failure);
    return failure;
}

std::optional<Failure> File::agree(std::optional<Failure> mine) {
    if (!mine) mine = left_behind;
    left_behind.reset();
    return team_.agree(mine);
}

int File::finish(const char* function, const std::optional<Failure>& failure, bool collective) {
    if (!failure) return MPI_SUCCESS;
    report_failure(function, *failure, !collective || rank_ == 0);
    return native::call_errhandler(handle_, error_code(*failure));
}

}  // namespace kumihimo::mpiio
