// One open file that Kumihimo serves, as this rank sees it: what MPI-IO says a file handle has (MPI 3.1, chapter 13).
// The functions of operations.hpp work on it; each holds its lock (MPI_THREAD_MULTIPLE).
#pragma once

#include <mpi.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/communicator.hpp"
#include "mpiio/engine/engine.hpp"
#include "mpiio/engine/report.hpp"
#include "mpiio/engine/team.hpp"
#include "mpiio/file/operations.hpp"

namespace kumihimo::mpiio {

// How the bytes in the file stand for values (MPI 3.1, 13.5).
enum class Representation { native, external32 };

// A datatype that the user may free while we still need it.
class KeptType {
public:
    KeptType() = default;  // MPI_BYTE
    explicit KeptType(MPI_Datatype type);
    KeptType(KeptType&& other) noexcept { *this = std::move(other); }
    KeptType& operator=(KeptType&& other) noexcept {
        std::swap(type_, other.type_);
        std::swap(owned_, other.owned_);
        return *this;
    }
    ~KeptType();
    operator MPI_Datatype() const { return type_; }
    MPI_Datatype copy() const;  // for the user, who frees it unless it is a predefined one

private:
    MPI_Datatype type_ = MPI_BYTE;
    bool owned_ = false;
};

// The view of this rank: MPI's handles beside the bytes they mean.
struct FileView {
    View bytes;
    KeptType etype, filetype;
    Index etype_bytes = 1;             // in the file
    bool ascending_everywhere = true;  // on all ranks: no byte is seen twice
    bool once = false;                 // a second copy of the file type would overlap the first, so only that can be accessed
    Representation representation = Representation::native;
    std::string representation_name = "native";  // as the user wrote it
};

// A split collective between its begin and its end: all work was done in begin.
struct Split {
    const char* begin;  // name of the function
    const void* buffer;
    Index moved;
    int code;  // what begin returned, and end returns again
};

class File {
public:
    File(MPI_Comm comm, std::string path, int amode, Hints hints);
    ~File();
    File(const File&) = delete;

    // Collective: opens the engine's file. On failure every rank has one.
    std::optional<Failure> open(const Engine& engine);

    MPI_Comm comm() const { return *communicator_; }
    Team& team() { return team_; }
    int rank() const { return rank_; }
    int size() const { return size_; }
    const std::string& path() const { return path_; }
    int amode() const { return amode_; }
    bool has_mode(int mode) const { return (amode_ & mode) != 0; }
    MPI_File handle() const { return handle_; }  // a real one, of nothing
    EngineFile& engine() { return *engine_; }
    const char* engine_name() const { return engine_name_; }
    std::recursive_mutex& mutex() { return mutex_; }
    bool reports() const { return reports_; }  // KUMIHIMO_IO_REPORT, as all ranks had it when the file was opened

    // Collective. The same failure on all ranks if any has one: `mine`, or what a nonblocking collective left behind.
    std::optional<Failure> agree(std::optional<Failure> mine);

    // Ends a call: reports a failure, calls the file's error handler, returns the code.
    int finish(const char* function, const std::optional<Failure>& failure, bool collective);

    FileView view;
    Index position = 0;  // of this rank's pointer, in bytes of the view's stream
    bool atomic = false;
    std::optional<Split> split;
    std::optional<Failure> left_behind;  // by a nonblocking collective; all ranks learn of it at the next agreement
    Calls calls;                         // for the report

private:
    std::shared_ptr<base::Communicator> communicator_;
    Team& team_;
    int rank_ = 0, size_ = 1;
    std::string path_;
    int amode_;
    Hints hints_;
    MPI_File handle_;
    const char* engine_name_ = "";
    const bool reports_;
    std::unique_ptr<EngineFile> engine_;
    std::recursive_mutex mutex_;  // error handlers, called inside, may use the file
};

// The table of served files.
void add_served(std::unique_ptr<File> file);
void remove_served(File& file);  // destroys it

}  // namespace kumihimo::mpiio
