#include "iod/files/file.hpp"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <vector>

#include "base/format.hpp"
#include "base/persistent.hpp"
#include "iod/files/digest.hpp"

namespace kumihimo::iod::process {

namespace {

using base::most_barren_calls;
using base::most_bytes_of_a_call;
using base::persistent;

int flags_of(const OpenMode& mode) {
    return O_CLOEXEC | (mode.read && mode.write ? O_RDWR : mode.write ? O_WRONLY : O_RDONLY);
}

std::int64_t identity_of(const struct stat& status) {
    const std::uint64_t which[] = {status.st_dev, status.st_ino};
    return static_cast<std::int64_t>(XXH3_64bits(which, sizeof which));
}

}  // namespace

Status File::failure(const std::string& what, int number) const {
    if (root_) return root_->failure(what, path_, number);
    return Status::of_errno(number, fmt::format("cannot {} '{}' {}", what, path_, where_));
}

Status File::write_failure(Offset offset, std::size_t bytes, int number) const {
    return failure(fmt::format("write {} bytes at {} of", bytes, offset), number);
}

base::Descriptor File::open_with(int flags, const OpenMode& mode) const {
    return base::Descriptor(persistent([&] {
        return root_ ? root_->open(path_, flags_of(mode) | flags, mode.permissions)
                     : ::open(path_.c_str(), flags_of(mode) | flags, mode.permissions);
    }));
}

// Made if it is not there, else opened: one of them tells whether it was there, with no look before.
Status File::open(const OpenMode& mode, bool& is_new) {
    if (mode.create) descriptor_ = open_with(O_CREAT | O_EXCL, mode);
    is_new = static_cast<bool>(descriptor_);
    const bool may_be_there = !mode.create || (errno == EEXIST && !mode.exclusive);
    if (!is_new && may_be_there) descriptor_ = open_with(mode.create ? O_CREAT : 0, mode);
    if (!descriptor_) return failure("open", errno);
    struct stat status;
    if (fstat(descriptor_.get(), &status) != 0) return failure("look at", errno);
    if (S_ISDIR(status.st_mode)) return failure("open", EISDIR);
    writes_ = mode.write;
    regular_ = S_ISREG(status.st_mode);
    far_ = regular_ && status.st_blksize > static_cast<blksize_t>(block_bytes);
    identity_ = identity_of(status);
    return {};
}

// Between open and lock the one before may have given the file another name, or removed it: then there is a new one to open.
Status File::open_sole(const OpenMode& mode, bool& is_new) {
    constexpr int most_names = 1000;
    for (int names = 0; names < most_names; ++names) {
        Status status = open(mode, is_new);
        if (!status.ok()) return status;
        bool held = false;
        status = try_lock(held);
        if (const std::string& why = status.errno_name; why == "ENOLCK" || why == "ENOSYS" || why == "EOPNOTSUPP") return {};
        if (!status.ok()) return status;
        if (!held) break;
        if (has_its_name()) return {};
        (void)close();
    }
    (void)close();
    return {Code::busy, fmt::format("cannot open '{}' {}: another command is writing it", path_, where_), "EBUSY"};
}

bool File::has_its_name() const {
    struct stat mine, named;
    struct statvfs space {};
    if (fstat(descriptor_.get(), &mine) != 0) return false;
    if ((root_ ? root_->look(path_, named, space) : ::stat(path_.c_str(), &named)) != 0) return false;
    return mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

// Numbers of files are used again, so the time when it was made counts, where the file system knows. Processes that see each
// other's claims (iod/files/claims.hpp) are of one name space.
std::uint64_t identity_since_boot(int descriptor) {
    struct stat status {};
    ::fstat(descriptor, &status);
    std::string text;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
    struct stat space {};
    if (::stat("/proc/self/ns/net", &space) == 0) text += fmt::format(" {}", space.st_ino);
    struct statx known {};
    if (::statx(descriptor, "", AT_EMPTY_PATH, STATX_BTIME, &known) == 0 && (known.stx_mask & STATX_BTIME) != 0)
        text += fmt::format(" {}.{}", known.stx_btime.tv_sec, known.stx_btime.tv_nsec);
    return XXH3_64bits_withSeed(text.data(), text.size(), static_cast<std::uint64_t>(identity_of(status)));
}

Status File::write(Offset offset, std::span<const std::byte> bytes) {
    for (int barren = 0; !bytes.empty();) {
        const ssize_t moved = persistent(
            [&] { return ::pwrite(descriptor_.get(), bytes.data(), std::min(bytes.size(), most_bytes_of_a_call), offset); });
        if (moved < 0 || (moved == 0 && ++barren == most_barren_calls))
            return write_failure(offset, bytes.size(), moved < 0 ? errno : EIO);
        bytes = bytes.subspan(static_cast<std::size_t>(moved));
        offset += moved;
    }
    return {};
}

// Where the file cannot be opened so (tmpfs, no rights, another file has its name by now), the page cache has it all.
void File::pass_cache() {
    struct stat status, again;
    if (!regular_ || fstat(descriptor_.get(), &status) != 0) return;
    base::Descriptor uncached(persistent([&] { return ::open(path_.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC); }));
    if (!uncached || fstat(uncached.get(), &again) != 0) return;
    if (again.st_dev == status.st_dev && again.st_ino == status.st_ino) uncached_ = std::move(uncached);
}

// Whole blocks. What the device does not take as it is (another alignment, an odd end) is the page cache's.
Status File::write_blocks(Offset offset, std::span<const std::byte> bytes, std::size_t& cached) {
    while (uncached_ && !bytes.empty()) {
        const std::size_t part = std::min(bytes.size(), largest_write_bytes());
        const ssize_t moved = persistent([&] { return ::pwrite(uncached_.get(), bytes.data(), part, offset); });
        if (moved < 0 && errno != EINVAL) return write_failure(offset, bytes.size(), errno);
        if (moved < 0) uncached_ = {};
        if (moved <= 0) break;
        bytes = bytes.subspan(static_cast<std::size_t>(moved));
        offset += moved;
        if (static_cast<std::size_t>(moved) % block_bytes != 0) break;
    }
    cached += bytes.size();
    return write(offset, bytes);
}

Status File::write_long(Offset offset, std::span<const std::byte> bytes, std::size_t& cached) {
    const std::size_t before = static_cast<std::size_t>(-offset) % block_bytes;
    if (!uncached_ || bytes.size() < before + least_uncached_bytes) {
        cached += bytes.size();
        return write(offset, bytes);
    }
    const std::size_t blocks = (bytes.size() - before) / block_bytes * block_bytes;
    const auto rest = bytes.subspan(before + blocks);
    cached += before + rest.size();
    Status status = write(offset, bytes.first(before));
    if (status.ok()) status = write_blocks(offset + static_cast<Offset>(before), bytes.subspan(before, blocks), cached);
    if (status.ok()) status = write(offset + static_cast<Offset>(before + blocks), rest);
    return status;
}

// Only a hint: what it cannot begin is left to the sync.
void File::begin_sync(Offset offset, std::size_t bytes) const {
    ::sync_file_range(descriptor_.get(), offset, static_cast<off64_t>(bytes), SYNC_FILE_RANGE_WRITE);
}

Status File::read(Offset offset, std::span<std::byte> bytes, std::size_t& got) {
    got = 0;
    while (got < bytes.size()) {
        const ssize_t moved = persistent([&] {
            return ::pread(descriptor_.get(), bytes.data() + got, std::min(bytes.size() - got, most_bytes_of_a_call),
                           offset + static_cast<Offset>(got));
        });
        if (moved < 0) return failure(fmt::format("read {} bytes at {} of", bytes.size(), offset), errno);
        if (moved == 0) break;
        got += static_cast<std::size_t>(moved);
    }
    return {};
}

Status File::size(Offset& bytes) {
    struct stat status;
    if (persistent([&] { return fstat(descriptor_.get(), &status); }) != 0) return failure("find the size of", errno);
    bytes = status.st_size;
    return {};
}

Status File::digest(GrowingDigest& known, Offset bytes, std::int64_t& value) {
    const auto part = [&](Offset at, std::span<std::byte> to, std::size_t& got) {
        return hurries_ ? failure("compute the digest of", ECANCELED) : read(at, to, got);
    };
    return known.reach(bytes, part, value);
}

Status File::set_size(Offset bytes) {
    if (persistent([&] { return ftruncate(descriptor_.get(), bytes); }) == 0) return {};
    return failure(fmt::format("set the size to {} bytes of", bytes), errno);
}

Status File::preallocate(Offset bytes) {
    if (bytes == 0) return {};
    const int failed = persistent([&] {  // returns its error instead of setting errno
        errno = posix_fallocate(descriptor_.get(), 0, bytes);
        return errno == 0 ? 0 : -1;
    });
    if (failed == 0) return {};
    if (errno != EOPNOTSUPP && errno != EINVAL && errno != ENOSYS)
        return failure(fmt::format("reserve {} bytes for", bytes), errno);
    return allocate_by_writing(bytes);
}

// Where the file system cannot reserve: blocks that were written are there. (Holes below the present size stay holes.)
Status File::allocate_by_writing(Offset bytes) {
    static constexpr std::array<std::byte, 65536> zeros{};
    Offset at = 0;
    Status status = size(at);
    while (status.ok() && at < bytes) {
        if (hurries_) return failure(fmt::format("reserve {} bytes for", bytes), ECANCELED);
        const std::size_t piece = static_cast<std::size_t>(std::min<Offset>(zeros.size(), bytes - at));
        status = write(at, std::span(zeros).first(piece));
        at += static_cast<Offset>(piece);
    }
    return status;
}

// Locks belong to the open file (OFD), not to the process, which may have it open for several ranks.
Status File::try_lock(bool& held) {
    struct flock whole {};
    whole.l_type = writes_ ? F_WRLCK : F_RDLCK;
    held = ::fcntl(descriptor_.get(), F_OFD_SETLK, &whole) == 0;
    return held || errno == EAGAIN || errno == EACCES || errno == EINTR ? Status{} : failure("lock", errno);
}

Status File::unlock() {
    struct flock whole {};
    whole.l_type = F_UNLCK;
    return ::fcntl(descriptor_.get(), F_OFD_SETLK, &whole) == 0 ? Status{} : failure("unlock", errno);
}

Status File::sync() {
    if (persistent([&] { return fdatasync(descriptor_.get()); }) == 0) return {};
    if (errno == EINVAL || errno == EROFS) return {};  // a file that has nothing to make durable, as /dev/null
    return failure("make durable", errno);
}

Status File::close() {
    uncached_ = {};
    const int number = descriptor_.release();
    if (number < 0 || ::close(number) == 0 || errno == EINTR) return {};
    return failure("close", errno);
}

}  // namespace kumihimo::iod::process
