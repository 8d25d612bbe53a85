#include "mpiio/engine/direct/posix.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/format.hpp"
#include "base/persistent.hpp"

namespace kumihimo::mpiio::direct {

namespace {

using base::most_barren_calls;
using base::persistent;

Index largest_file() {
    rlimit limit;
    const bool limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited ? static_cast<Index>(limit.rlim_cur) : std::numeric_limits<Index>::max();
}

Index total(std::span<const iovec> pieces) {
    Index bytes = 0;
    for (const iovec& piece : pieces) bytes += static_cast<Index>(piece.iov_len);
    return bytes;
}

// Takes `bytes` off the front.
void drop_front(std::span<iovec>& pieces, Index bytes) {
    while (!pieces.empty() && bytes >= static_cast<Index>(pieces[0].iov_len)) {
        bytes -= static_cast<Index>(pieces[0].iov_len);
        pieces = pieces.subspan(1);
    }
    if (bytes == 0) return;
    pieces[0].iov_base = static_cast<std::byte*>(pieces[0].iov_base) + bytes;
    pieces[0].iov_len -= static_cast<std::size_t>(bytes);
}

// The pieces that one call may move: at most `bytes` of them. A piece that must be cut goes alone.
struct Batch {
    std::span<iovec> pieces;
    iovec cut{};
    Index bytes = 0;
};
void take(std::span<iovec> pieces, Index bytes, Batch& batch) {
    std::size_t count = 0;
    batch.bytes = 0;
    while (count < pieces.size() && count < IOV_MAX && batch.bytes + static_cast<Index>(pieces[count].iov_len) <= bytes)
        batch.bytes += static_cast<Index>(pieces[count++].iov_len);
    batch.pieces = pieces.first(count);
    if (count > 0) return;
    batch.cut = {pieces[0].iov_base, static_cast<std::size_t>(bytes)};
    batch.pieces = {&batch.cut, 1};
    batch.bytes = bytes;
}

}  // namespace

int error_class(int number) {
    switch (number) {
        case ENOSPC:
            return MPI_ERR_NO_SPACE;
        case EDQUOT:
            return MPI_ERR_QUOTA;
        case EACCES:
        case EPERM:
            return MPI_ERR_ACCESS;
        case ENOENT:
            return MPI_ERR_NO_SUCH_FILE;
        case EEXIST:
            return MPI_ERR_FILE_EXISTS;
        case EROFS:
            return MPI_ERR_READ_ONLY;
        case EISDIR:
        case ENOTDIR:
        case ENAMETOOLONG:
            return MPI_ERR_BAD_FILE;
        default:
            return MPI_ERR_IO;
    }
}

Failure PosixFile::failure(const std::string& what, int number) const {
    return {error_class(number), fmt::format("cannot {} '{}': {}", what, path_, base::errno_text(number)), number};
}

template <typename Call>
auto PosixFile::counted(Call&& call) {
    const double start = base::seconds_now();
    const auto result = persistent(call);
    const int number = errno;
    meter_.counters.seconds += base::seconds_now() - start;
    ++meter_.counters.others;
    errno = number;
    return result;
}

PosixFile::~PosixFile() {
    if (is_open()) ::close(descriptor_);
}

std::optional<Failure> PosixFile::open(const std::string& path, int flags, unsigned permissions) {
    path_ = path;
    largest_ = largest_file();
    const int opened = counted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, permissions); });
    if (opened < 0) return failure("open", errno);
    descriptor_ = opened;
    struct stat status;
    if (fstat(descriptor_, &status) != 0) return failure("inspect", errno);
    if (S_ISDIR(status.st_mode)) return failure("open", EISDIR);
    identity_ = {status.st_dev, status.st_ino};
    return std::nullopt;
}

// A descriptor is gone after close, whatever it says (Linux frees it before anything can fail), so close is never repeated.
std::optional<Failure> PosixFile::close() {
    if (!is_open()) return std::nullopt;
    const double start = base::seconds_now();
    const int result = ::close(std::exchange(descriptor_, -1));
    const int number = errno;
    meter_.counters.seconds += base::seconds_now() - start;
    ++meter_.counters.others;
    if (result != 0 && number != EINTR) return failure("close", number);
    return std::nullopt;
}

// ---- data ----

struct PosixFile::Direction {
    const char* name;  // "read", "write"
    bool reads;
    ssize_t (*contiguous)(int, void*, std::size_t, off_t);
    ssize_t (*vectored)(int, const iovec*, int, off_t);
    Index Counters::*operations;
    Index Counters::*bytes;
    Regression Meter::*cost;
};

Moved PosixFile::move(const Direction& direction, Index offset, std::span<iovec> pieces, Index most_bytes) {
    Moved moved;
    const Index wanted = total(pieces);
    const auto stopped = [&](int number) {
        return failure(fmt::format("{} {} bytes at offset {} of", direction.name, wanted - moved.bytes, offset + moved.bytes),
                       number);
    };
    drop_front(pieces, 0);
    for (int barren = 0; !pieces.empty();) {
        const Index position = offset + moved.bytes;
        const Index room = direction.reads ? most_bytes : std::min(most_bytes, largest_ - position);
        if (room <= 0) return moved.failure = stopped(EFBIG), moved;
        Batch batch;
        take(pieces, room, batch);
        const int stands_for = meter_.stands_for(batch.bytes);
        const double start = stands_for > 0 ? base::seconds_now() : 0;
        const ssize_t count = persistent([&] {
            if (batch.pieces.size() > 1)
                return direction.vectored(descriptor_, batch.pieces.data(), static_cast<int>(batch.pieces.size()), position);
            return direction.contiguous(descriptor_, batch.pieces[0].iov_base, batch.pieces[0].iov_len, position);
        });
        const int number = errno;
        const double seconds = stands_for > 0 ? base::seconds_now() - start : 0;
        meter_.counters.seconds += stands_for * seconds;
        ++(meter_.counters.*direction.operations);
        if (count < 0) return moved.failure = stopped(number), moved;
        if (count == 0) {
            if (direction.reads && ended(position, moved.failure)) return moved;
            if (moved.failure) return moved;
            if (++barren == most_barren_calls) return moved.failure = stopped(EIO), moved;
            base::pause_before_repetition(barren);
            continue;
        }
        barren = 0;
        if (stands_for > 0) (meter_.*direction.cost).add(static_cast<double>(count), seconds);
        meter_.counters.*direction.bytes += count;
        moved.bytes += count;
        drop_front(pieces, count);
    }
    return moved;
}

// Nothing was read at `offset`: the file ends here, unless it says that it is longer.
bool PosixFile::ended(Index offset, std::optional<Failure>& failure) {
    Index bytes = 0;
    failure = size(bytes);
    return !failure && bytes <= offset;
}

Moved PosixFile::read(Index offset, std::span<iovec> pieces) {
    static constexpr Direction direction = {"read",       true, ::pread, ::preadv, &Counters::reads, &Counters::bytes_read,
                                            &Meter::reads};
    return move(direction, offset, pieces, most_bytes_of_an_operation);
}

Moved PosixFile::write(Index offset, std::span<iovec> pieces, Index most_bytes) {
    static constexpr Direction direction = {"write",
                                            false,
                                            [](int descriptor, void* from, std::size_t bytes, off_t position) {
                                                return ::pwrite(descriptor, from, bytes, position);
                                            },
                                            ::pwritev,
                                            &Counters::writes,
                                            &Counters::bytes_written,
                                            &Meter::writes};
    return move(direction, offset, pieces, most_bytes);
}

Moved PosixFile::read(Index offset, std::byte* to, Index bytes) {
    iovec piece = {to, static_cast<std::size_t>(bytes)};
    return read(offset, {&piece, 1});
}

Moved PosixFile::write(Index offset, const std::byte* from, Index bytes) {
    iovec piece = {const_cast<std::byte*>(from), static_cast<std::size_t>(bytes)};
    return write(offset, {&piece, 1});
}

// ---- the file as a whole ----

std::optional<Failure> PosixFile::size(Index& bytes) {
    struct stat status;
    if (counted([&] { return fstat(descriptor_, &status); }) != 0) return failure("find the size of", errno);
    bytes = status.st_size;
    return std::nullopt;
}

std::optional<Failure> PosixFile::truncate(Index bytes) {
    const std::string what = fmt::format("set the size to {} bytes of", bytes);
    if (bytes > largest_) return failure(what, EFBIG);
    if (counted([&] { return ftruncate(descriptor_, bytes); }) != 0) return failure(what, errno);
    return std::nullopt;
}

std::optional<Failure> PosixFile::allocate(Index bytes) {
    if (bytes == 0) return std::nullopt;
    const std::string what = fmt::format("reserve {} bytes for", bytes);
    if (bytes > largest_) return failure(what, EFBIG);
    const auto reserve = [&] {  // returns its error instead of setting errno
        errno = posix_fallocate(descriptor_, 0, bytes);
        return errno == 0 ? 0 : -1;
    };
    if (counted(reserve) == 0) return std::nullopt;
    if (errno != EOPNOTSUPP && errno != EINVAL && errno != ENOSYS) return failure(what, errno);
    Index size_now = 0;
    if (auto failed = size(size_now)) return failed;
    return grow_with_zeros(size_now, bytes);
}

// Where the file system cannot reserve: blocks that were written are there. (Holes below the present size stay holes.)
std::optional<Failure> PosixFile::grow_with_zeros(Index from, Index to) {
    static constexpr std::array<std::byte, 65536> zeros{};
    while (from < to) {
        const Moved moved = write(from, zeros.data(), std::min<Index>(zeros.size(), to - from));
        if (moved.failure) return moved.failure;
        from += moved.bytes;
    }
    return std::nullopt;
}

std::optional<Failure> PosixFile::sync() {
    if (counted([&] { return fsync(descriptor_); }) == 0) return std::nullopt;
    if (errno == EINVAL || errno == EROFS) return std::nullopt;  // a file that has nothing to make durable, as /dev/null
    return failure("make durable", errno);
}

// What the file system does not know how to do is left to sync.
std::optional<Failure> PosixFile::write_back() {
    constexpr Index worth_a_call = Index{1} << 20;
    constexpr unsigned all = SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    const Index written = meter_.counters.bytes_written;
    if (written - written_back_ < worth_a_call) return std::nullopt;
    written_back_ = written;
    if (counted([&] { return sync_file_range(descriptor_, 0, 0, all); }) == 0) return std::nullopt;
    if (errno != EIO && errno != ENOSPC && errno != EDQUOT) return std::nullopt;
    return failure("make durable", errno);
}

long PosixFile::system_magic() {
    struct statfs status;
    return fstatfs(descriptor_, &status) == 0 ? static_cast<long>(status.f_type) : 0;
}

// ---- locks ----

// Locks of the open file, not of the process: another handle of this process that is closed does not drop them, and its other
// threads are kept out as well. Old kernels and some file systems have only those of the process.
std::optional<Failure> PosixFile::control_lock(short kind, Index begin, Index end) {
    struct flock range = {};
    range.l_type = kind;
    range.l_whence = SEEK_SET;
    range.l_start = begin;
    range.l_len = end - begin;
    int result = counted([&] { return fcntl(descriptor_, F_OFD_SETLKW, &range); });
    if (result != 0 && errno == EINVAL) result = counted([&] { return fcntl(descriptor_, F_SETLKW, &range); });
    if (result == 0) return std::nullopt;
    return failure(fmt::format("{} bytes [{}, {}) of", kind == F_UNLCK ? "unlock" : "lock", begin, end), errno);
}

std::optional<Failure> PosixFile::lock(Index begin, Index end, bool exclusive) {
    return begin < end ? control_lock(exclusive ? F_WRLCK : F_RDLCK, begin, end) : std::nullopt;
}

std::optional<Failure> PosixFile::unlock(Index begin, Index end) {
    return begin < end ? control_lock(F_UNLCK, begin, end) : std::nullopt;
}

std::optional<Failure> remove_file(const std::string& path) {
    if (persistent([&] { return ::unlink(path.c_str()); }) == 0) return std::nullopt;
    const int number = errno;
    return Failure{error_class(number), fmt::format("cannot remove '{}': {}", path, base::errno_text(number)), number};
}

}  // namespace kumihimo::mpiio::direct
