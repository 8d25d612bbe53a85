#include "mpiio/file/native.hpp"

#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <utility>
#include <vector>

#include "base/finalize.hpp"
#include "base/format.hpp"
#include "base/shared_memory.hpp"
#include "mpiio/file/handlers.hpp"
#include "mpiio/file/next.hpp"

namespace kumihimo::mpiio::native {

namespace {

// Past our own entry points.
constinit Next<decltype(PMPI_File_open)> real_open{"PMPI_File_open"};
constinit Next<decltype(PMPI_File_close)> real_close{"PMPI_File_close"};
constinit Next<decltype(PMPI_File_get_errhandler)> real_get_errhandler{"PMPI_File_get_errhandler"};
constinit Next<decltype(PMPI_File_set_errhandler)> real_set_errhandler{"PMPI_File_set_errhandler"};
constinit Next<decltype(PMPI_File_call_errhandler)> real_call_errhandler{"PMPI_File_call_errhandler"};

std::mutex mutex;
std::vector<MPI_File> spare;  // handles that no file uses

void close_spare() {
    const std::lock_guard lock(mutex);
    for (MPI_File& handle : spare) real_close(&handle);
    spare.clear();
}

// After a real file has been opened: what ROMIO registers then frees what closing needs.
void close_spare_at_finalize() {
    static bool done = false;
    if (!std::exchange(done, true)) base::at_finalize(close_spare);
}

void inherit_errhandler(MPI_File handle) {
    MPI_Errhandler inherited = MPI_ERRORS_RETURN;
    real_get_errhandler(MPI_FILE_NULL, &inherited);
    real_set_errhandler(handle, inherited);
}

// Open MPI 4.1 keeps shared pointers behind a semaphore of the whole machine that is named after the last part of a file's
// name: a process that is killed at a bad moment would leave /dev/null's taken, and all that come later wait for ever. So each
// has a name of its own, as long as it opens.
class OwnName {
public:
    OwnName() {
        std::error_code none;
        name_ = fmt::format("{}/kumihimo-null-{}-{:x}", std::filesystem::temp_directory_path(none).string(), ::getpid(),
                            base::fresh_token());
        made_ = ::symlink(device, name_.c_str()) == 0;
    }
    ~OwnName() {
        if (made_) ::unlink(name_.c_str());
    }
    OwnName(const OwnName&) = delete;
    const char* get() const { return made_ ? name_.c_str() : device; }

private:
    static constexpr const char* device = "/dev/null";
    std::string name_;
    bool made_;
};

}  // namespace

MPI_File open_handle() {
    const std::lock_guard lock(mutex);
    MPI_File handle = MPI_FILE_NULL;
    if (!spare.empty()) {
        handle = spare.back();
        spare.pop_back();
        inherit_errhandler(handle);
        return handle;
    }
    real_open(MPI_COMM_SELF, OwnName().get(), MPI_MODE_RDWR, MPI_INFO_NULL, &handle);
    close_spare_at_finalize();
    return handle;
}

void release_handle(MPI_File handle) {
    if (handle == MPI_FILE_NULL) return;
    const std::lock_guard lock(mutex);
    spare.push_back(handle);
}

int call_errhandler(MPI_File handle, int code) {
    // Open MPI refuses to call the handler of MPI_FILE_NULL itself.
    const MPI_File called = handle != MPI_FILE_NULL ? handle : open_handle();
    code = handlers::answer_of(code, [called](int asked) { real_call_errhandler(called, asked); });
    if (handle == MPI_FILE_NULL) release_handle(called);
    return code;
}

}  // namespace kumihimo::mpiio::native
