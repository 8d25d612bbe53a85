#include "runtime/xmpnc/dataset.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include "kumihimo/xmpnc.h"
#include "runtime/execution/objects.hpp"
#include "runtime/xmpio/rehearsal.hpp"

namespace kumihimo::xmpnc {

namespace {

std::map<int, std::unique_ptr<Dataset>>& datasets() {
    static std::map<int, std::unique_ptr<Dataset>> table;
    return table;
}

Failure refused(const std::string& path, int system_error) {
    return {code_of(system_error), "'" + path + "': " + std::strerror(system_error), system_error};
}

// A look at the file by hand (see xmpio::rehearse).
xmpio::Rehearsal look(MPI_Comm comm, const std::string& path, bool create, bool writable) {
    const int amode = create ? MPI_MODE_RDWR | MPI_MODE_CREATE : writable ? MPI_MODE_RDWR : MPI_MODE_RDONLY;
    xmpio::Rehearsal look = xmpio::rehearse(comm, path, amode);
    if (look.failure) look.failure->code = code_of(look.failure->system_error);
    return look;
}

// The same nodes as PnetCDF takes them as they are: any other communicator it copies at each open, by several collective calls.
MPI_Comm without_copy(MPI_Comm comm, int nodes) {
    if (nodes == 1) return MPI_COMM_SELF;
    int likeness = MPI_UNEQUAL;
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &likeness);
    return likeness == MPI_CONGRUENT ? MPI_COMM_WORLD : comm;
}

// While it lives PnetCDF agrees on what one node alone reads of a file's header. Else that node leaves when the file system
// fails, and the others, who took the header for whole, never come to the close in which it waits. PnetCDF knows no other way
// than the environment; what the user says there comes first.
class SafeMode {
public:
    SafeMode() : mine_(std::getenv(name) == nullptr) {
        if (mine_) ::setenv(name, "1", 1);
    }
    ~SafeMode() {
        if (mine_) ::unsetenv(name);
    }
    SafeMode(const SafeMode&) = delete;
    SafeMode& operator=(const SafeMode&) = delete;

private:
    static constexpr const char* name = "PNETCDF_SAFE_MODE";
    bool mine_;
};

int open_existing(MPI_Comm comm, const char* path, int mode, MPI_Info info, int* ncidp) {
    const SafeMode safe;
    return ncmpi_open(comm, path, mode, info, ncidp);
}

int connect(const char* function, MPI_Comm comm, const char* path, int mode, MPI_Info info, int* ncidp, bool create) noexcept {
    const CollectiveCall noted(function);
    try {
        int rank = 0, nodes = 1;
        const std::shared_ptr<xmpio::Communicator> held = xmpio::Communicator::of(comm);
        const MPI_Comm own = *held;
        MPI_Comm_rank(own, &rank);
        MPI_Comm_size(own, &nodes);
        const bool writable = create || (mode & NC_WRITE) != 0, keep = create && (mode & NC_NOCLOBBER) != 0;
        // Before PnetCDF where nodes would wait for each other, else only for the reason of a failure: on some file systems an
        // open takes longer than a transfer. NC_NOCLOBBER: the file must not come into being by it.
        xmpio::Rehearsal first;
        if (nodes > 1 && !keep) first = look(own, path, create, writable);
        std::optional<Failure> failure = first.failure;
        if (!failure) {
            const int code = (create ? ncmpi_create : open_existing)(without_copy(own, nodes), path, mode, info, ncidp);
            if (code != NC_NOERR && nodes == 1 && !keep) failure = look(own, path, create, writable).failure;
            if (code != NC_NOERR && !failure) failure = Failure{code, std::string("'") + path + "': " + ncmpi_strerror(code)};
            failure = xmpio::agree(own, failure);
        }
        if (!failure) return Dataset::enter(*ncidp, held, path, writable, std::move(first.file));
        xmpio::report(function, *failure, rank == 0);
        return failure->code;
    } catch (const std::exception& error) {
        xmpio::report(function, {NC_ENOMEM, error.what()}, true);
        return NC_ENOMEM;
    }
}

}  // namespace

int code_of(int system_error) {
    switch (system_error) {
        case ENOENT:
        case ENOTDIR:
            return NC_ENOENT;
        case EEXIST:
            return NC_EEXIST;
        case EACCES:
        case EPERM:
            return NC_EACCESS;
        case EROFS:
            return NC_EPERM;
        case ENOSPC:
        case EFBIG:
            return NC_ENO_SPACE;
        case EDQUOT:
            return NC_EQUOTA;
        case EISDIR:
        case ENAMETOOLONG:
            return NC_EBAD_FILE;
        default:
            return NC_EFILE;
    }
}

Dataset* Dataset::find(int ncid) {
    const auto found = datasets().find(ncid);
    return found == datasets().end() ? nullptr : found->second.get();
}

int Dataset::enter(int ncid, std::shared_ptr<xmpio::Communicator> comm, const std::string& path, bool writable,
                   base::Descriptor file) {
    std::unique_ptr<Dataset> dataset(new Dataset);
    dataset->comm_ = comm;
    dataset->path_ = path;
    int rank = 0;
    MPI_Comm_rank(*dataset->comm_, &rank);
    dataset->answers_ = rank == 0;
    dataset->reservable_ = rank == 0 && writable;
    struct stat status {};
    // PnetCDF may have replaced the file by another one.
    if (rank == 0 && file && ::fstat(file.get(), &status) == 0 && status.st_nlink > 0) dataset->file_ = std::move(file);
    datasets()[ncid] = std::move(dataset);
    return NC_NOERR;
}

void Dataset::remove(int ncid) {
    datasets().erase(ncid);
}

std::optional<Failure> Dataset::reserve(long long begin, long long end) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        static_cast<rlim_t>(end) > limit.rlim_cur) {
        Failure failure = refused(path_, EFBIG);
        failure.text += " (it would grow to " + std::to_string(end) + " bytes, the limit of this process is " +
                        std::to_string(limit.rlim_cur) + ": ulimit -f)";
        return failure;
    }
    if (!reservable_ || begin >= end) return std::nullopt;
    if (!file_) file_ = base::Descriptor(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
    int result;
    do result = ::fallocate(file_.get(), FALLOC_FL_KEEP_SIZE, begin, end - begin);
    while (result != 0 && errno == EINTR);
    if (result == 0) return std::nullopt;
    if (errno == ENOSPC || errno == EDQUOT || errno == EIO || errno == EFBIG) return refused(path_, errno);
    reservable_ = false;  // not this file system
    return std::nullopt;
}

std::optional<Failure> Dataset::reaches(long long end) const {
    struct stat status {};
    if (!answers_ || end <= written_) return std::nullopt;
    const int result = file_ ? ::fstat(file_.get(), &status) : ::stat(path_.c_str(), &status);
    if (result != 0 || status.st_size >= end) return std::nullopt;
    return Failure{NC_ETRUNC, "'" + path_ + "' is too short: the data asked for end at byte " + std::to_string(end) +
                                  ", the file at " + std::to_string(status.st_size)};
}

void Dataset::request_posted(bool writes, long long begin, long long end) {
    Extent& extent = writes ? to_write_ : to_read_;
    if (extent.begin == extent.end) extent = {begin, end};
    extent = {std::min(extent.begin, begin), std::max(extent.end, end)};
}

std::optional<Failure> Dataset::check_requests() {
    auto failure = reserve(to_write_.begin, to_write_.end);
    if (!failure && to_read_.end > to_write_.end) failure = reaches(to_read_.end);
    return failure;
}

void Dataset::requests_ended(bool done) {
    if (done) written(to_write_.end);
    to_write_ = to_read_ = {};
}

void require(int code, const std::string& context) {
    if (code != NC_NOERR) throw CodedError(code, (context.empty() ? "" : context + ": ") + ncmpi_strerror(code));
}

std::optional<Failure> failure_of(const std::function<void()>& run, int otherwise) {
    try {
        run();
        return std::nullopt;
    } catch (const CodedError& error) {
        return Failure{error.code, error.what()};
    } catch (const base::Error& error) {
        return Failure{NC_EINVAL, error.what() + (error.advice().empty() ? std::string() : "; " + error.advice())};
    } catch (const std::exception& error) {
        return Failure{otherwise, error.what()};
    }
}

int told(const char* function, std::optional<Failure> failure, bool print) {
    if (!failure) return NC_NOERR;
    xmpio::report(function, *failure, print);
    return failure->code;
}

int agreed_code(const char* function, int ncid, int mine) {
    const Dataset* const dataset = Dataset::find(ncid);
    if (dataset == nullptr) return mine;
    std::optional<Failure> failure;
    if (mine != NC_NOERR) failure = Failure{mine, "'" + dataset->path() + "': " + ncmpi_strerror(mine)};
    return told(function, xmpio::agree(dataset->communicator(), failure), false);
}

namespace {

// The requests' checks come first: nobody enters PnetCDF's collective call unless all do.
template <typename Wait>
int complete_requests(const char* function, int ncid, bool collective, Wait&& wait) noexcept {
    const CollectiveCall noted(function, collective);
    Dataset* const dataset = Dataset::find(ncid);
    if (dataset == nullptr) return wait();
    const auto agreed = [&](const std::optional<Failure>& mine) {
        return collective ? xmpio::agree(dataset->communicator(), mine) : mine;
    };
    std::optional<Failure> failure = agreed(dataset->check_requests());
    if (failure) return told(function, failure, true);
    const int code = wait();
    if (code != NC_NOERR) failure = Failure{code, "'" + dataset->path() + "': " + ncmpi_strerror(code)};
    failure = agreed(failure);
    int left = 0;
    if (ncmpi_inq_nreqs(ncid, &left) == NC_NOERR && left == 0) dataset->requests_ended(!failure);
    return told(function, failure, false);
}

}  // namespace

}  // namespace kumihimo::xmpnc

using namespace kumihimo::xmpnc;

extern "C" {

int xmpnc_create(MPI_Comm comm, const char* path, int cmode, MPI_Info info, int* ncidp) {
    return connect("xmpnc_create", comm, path, cmode, info, ncidp, true);
}

int xmpnc_open(MPI_Comm comm, const char* path, int omode, MPI_Info info, int* ncidp) {
    return connect("xmpnc_open", comm, path, omode, info, ncidp, false);
}

int xmpnc_create_all(const char* path, int cmode, int* ncidp) {
    const MPI_Comm comm = kumihimo::execution::Context::get().executing()->communicator();
    return connect("xmpnc_create_all", comm, path, cmode, MPI_INFO_NULL, ncidp, true);
}

int xmpnc_open_all(const char* path, int omode, int* ncidp) {
    const MPI_Comm comm = kumihimo::execution::Context::get().executing()->communicator();
    return connect("xmpnc_open_all", comm, path, omode, MPI_INFO_NULL, ncidp, false);
}

int xmpnc_close(int ncid) {
    const int code = same_on_all("xmpnc_close", ncid, [&] { return ncmpi_close(ncid); });
    Dataset::remove(ncid);
    return code;
}

int xmpnc_wait(int ncid, int count, int array_of_requests[], int array_of_statuses[]) {
    return complete_requests("xmpnc_wait", ncid, false,
                             [&] { return ncmpi_wait(ncid, count, array_of_requests, array_of_statuses); });
}

int xmpnc_wait_all(int ncid, int count, int array_of_requests[], int array_of_statuses[]) {
    return complete_requests("xmpnc_wait_all", ncid, true,
                             [&] { return ncmpi_wait_all(ncid, count, array_of_requests, array_of_statuses); });
}

int xmpnc_cancel(int ncid, int num, int* reqs, int* statuses) {
    const int code = ncmpi_cancel(ncid, num, reqs, statuses);
    int left = 0;
    Dataset* const dataset = Dataset::find(ncid);
    if (dataset != nullptr && ncmpi_inq_nreqs(ncid, &left) == NC_NOERR && left == 0) dataset->requests_ended(false);
    return code;
}

int xmpnc_abort(int ncid) {
    const int code = same_on_all("xmpnc_abort", ncid, [&] { return ncmpi_abort(ncid); });
    Dataset::remove(ncid);
    return code;
}

}  // extern "C"
