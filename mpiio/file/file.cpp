#include "mpiio/file/file.hpp"

#include <atomic>
#include <cstdint>
#include <shared_mutex>
#include <unordered_map>

#include "base/completion.hpp"
#include "base/hosts.hpp"
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

File::File(MPI_Comm comm, std::string path, int amode, Hints hints)
    : path_(std::move(path)), amode_(amode), hints_(std::move(hints)), handle_(native::open_handle()) {
    copy(comm);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
}

File::~File() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    native::release_handle(handle_);
}

// A copy of our copy, so that what a file finds out of the hosts is known to the next one, and a wait for stuck ranks sends
// nothing over the program's communicator.
void File::copy(MPI_Comm comm) {
    const std::shared_ptr<base::Communicator> ours = base::Communicator::of(comm);
    base::keep_hosts(*ours);
    MPI_Request request;
    MPI_Comm_idup(*ours, &comm_, &request);
    base::complete(request, *ours);
}

std::optional<Failure> File::open(const Engine& engine) {
    engine_name_ = engine.name;
    std::optional<Failure> failure;
    engine_ = engine.open({comm_, path_, amode_, hints_}, failure);
    return failure;
}

std::optional<Failure> File::agree(std::optional<Failure> mine) {
    if (!mine) mine = left_behind;
    left_behind.reset();
    return base::agree(comm_, mine, "rank");
}

int File::finish(const char* function, const std::optional<Failure>& failure, bool collective) {
    if (!failure) return MPI_SUCCESS;
    report_failure(function, *failure, !collective || rank_ == 0);
    return native::call_errhandler(handle_, error_code(*failure));
}

}  // namespace kumihimo::mpiio
