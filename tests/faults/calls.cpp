// The libc calls that the injector takes over, under every name that programs and fortified builds call them by. Each asks
// `decide` and then calls libc's own function, found once. Only descriptors from open are known by a path; all others
// (sockets, pipes, standard output) pass through untouched.
#include <aio.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include "plan.hpp"

using namespace kumihimo::faults;

static_assert(sizeof(off_t) == 8, "the forms with 64 in their names are aliases");

namespace {

// ---- descriptors and their paths ----
constexpr int most_descriptors = 65536;
std::atomic<char*> paths[most_descriptors];

const char* path_of(int descriptor) {
    return descriptor >= 0 && descriptor < most_descriptors ? paths[descriptor].load() : nullptr;
}

void remember(int descriptor, const char* path) {
    if (descriptor >= 0 && descriptor < most_descriptors) free(paths[descriptor].exchange(path ? strdup(path) : nullptr));
}

// ---- a call, or what the plan says instead ----
template <typename Real>
auto carry_out(Call call, const char* function, const char* path, size_t bytes, Real real) -> decltype(real(bytes)) {
    const Effect effect = path ? decide(call, function, path, bytes) : Effect{};
    if (effect.error == 0) return real(effect.limit < bytes ? effect.limit : bytes);
    errno = effect.error;
    return -1;
}

// The first `bytes` bytes of a vector.
std::vector<iovec> first_bytes(const iovec* parts, int count, size_t bytes) {
    std::vector<iovec> result;
    for (int i = 0; i < count && bytes > 0; i++) {
        result.push_back({parts[i].iov_base, parts[i].iov_len < bytes ? parts[i].iov_len : bytes});
        bytes -= result.back().iov_len;
    }
    return result;
}

template <typename Real>
ssize_t vectored(Call call, const char* function, int descriptor, const iovec* parts, int count, Real real) {
    size_t bytes = 0;
    for (int i = 0; i < count; i++) bytes += parts[i].iov_len;
    return carry_out(call, function, path_of(descriptor), bytes, [&](size_t limit) -> ssize_t {
        if (limit == bytes) return real(parts, count);
        const std::vector<iovec> some = first_bytes(parts, count, limit);
        return some.empty() ? 0 : real(some.data(), static_cast<int>(some.size()));
    });
}

}  // namespace

// TAKE(int, fsync, (int descriptor)) declares the function that stands for libc's fsync, and `real_fsync`, which finds that.
// The name in C++ is another one, since headers declare libc's with attributes that differ from version to version.
#define EXPORTED extern "C" __attribute__((visibility("default")))
#define TAKE(result, name, parameters)                                                                \
    EXPORTED result faulty_##name parameters __asm__(#name);                                          \
    namespace {                                                                                       \
    [[maybe_unused]] auto real_##name() {                                                             \
        static const auto function = reinterpret_cast<result(*) parameters>(dlsym(RTLD_NEXT, #name)); \
        return function;                                                                              \
    }                                                                                                 \
    }                                                                                                 \
    result faulty_##name parameters
// The same function under another name.
#define ALSO(result, name, other, parameters) \
    EXPORTED result faulty_##other parameters __asm__(#other) __attribute__((alias(#name)));

// ---- open, close, names ----
namespace {
template <typename Real>
int open_file(const char* function, const char* path, Real real) {
    const int descriptor = carry_out(Call::open, function, path, 0, [&](size_t) { return real(); });
    if (descriptor >= 0) remember(descriptor, path);
    return descriptor;
}
}  // namespace

TAKE(int, open, (const char* path, int flags, mode_t mode)) {
    return open_file("open", path, [&] { return real_open()(path, flags, mode); });
}
ALSO(int, open, open64, (const char* path, int flags, mode_t mode))
TAKE(int, __open_2, (const char* path, int flags)) {
    return open_file("open", path, [&] { return real_open()(path, flags, 0); });
}
ALSO(int, __open_2, __open64_2, (const char* path, int flags))
TAKE(int, openat, (int directory, const char* path, int flags, mode_t mode)) {
    return open_file("openat", path, [&] { return real_openat()(directory, path, flags, mode); });
}
ALSO(int, openat, openat64, (int directory, const char* path, int flags, mode_t mode))
TAKE(int, __openat_2, (int directory, const char* path, int flags)) {
    return open_file("openat", path, [&] { return real_openat()(directory, path, flags, 0); });
}
ALSO(int, __openat_2, __openat64_2, (int directory, const char* path, int flags))

// openat2 has no function in libc, so whoever wants it comes this way.
TAKE(long, syscall, (long number, long a, long b, long c, long d, long e, long f)) {
    const auto call = [&] { return real_syscall()(number, a, b, c, d, e, f); };
    if (number != SYS_openat2) return call();
    return open_file("openat2", reinterpret_cast<const char*>(b), [&] { return static_cast<int>(call()); });
}

// A close that fails has closed all the same, as Linux does it: nobody may close again.
TAKE(int, close, (int descriptor)) {
    const char* const path = path_of(descriptor);
    const Effect effect = path ? decide(Call::close, "close", path, 0) : Effect{};
    if (path) remember(descriptor, nullptr);
    const int result = real_close()(descriptor);
    if (effect.error == 0) return result;
    errno = effect.error;
    return -1;
}
TAKE(int, rename, (const char* from, const char* to)) {
    return carry_out(Call::rename, "rename", from, 0, [&](size_t) { return real_rename()(from, to); });
}
TAKE(int, unlink, (const char* path)) {
    return carry_out(Call::unlink, "unlink", path, 0, [&](size_t) { return real_unlink()(path); });
}

TAKE(int, unlinkat, (int directory, const char* path, int flags)) {
    return carry_out(Call::unlink, "unlinkat", path, 0, [&](size_t) { return real_unlinkat()(directory, path, flags); });
}

// ---- data ----
TAKE(ssize_t, read, (int descriptor, void* buffer, size_t bytes)) {
    return carry_out(Call::read, "read", path_of(descriptor), bytes,
                     [&](size_t n) { return real_read()(descriptor, buffer, n); });
}
TAKE(ssize_t, write, (int descriptor, const void* buffer, size_t bytes)) {
    return carry_out(Call::write, "write", path_of(descriptor), bytes,
                     [&](size_t n) { return real_write()(descriptor, buffer, n); });
}
TAKE(ssize_t, pread, (int descriptor, void* buffer, size_t bytes, off_t offset)) {
    return carry_out(Call::read, "pread", path_of(descriptor), bytes,
                     [&](size_t n) { return real_pread()(descriptor, buffer, n, offset); });
}
ALSO(ssize_t, pread, pread64, (int descriptor, void* buffer, size_t bytes, off_t offset))
TAKE(ssize_t, pwrite, (int descriptor, const void* buffer, size_t bytes, off_t offset)) {
    return carry_out(Call::write, "pwrite", path_of(descriptor), bytes,
                     [&](size_t n) { return real_pwrite()(descriptor, buffer, n, offset); });
}
ALSO(ssize_t, pwrite, pwrite64, (int descriptor, const void* buffer, size_t bytes, off_t offset))
TAKE(ssize_t, __read_chk, (int descriptor, void* buffer, size_t bytes, size_t)) {
    return faulty_read(descriptor, buffer, bytes);
}
TAKE(ssize_t, __pread_chk, (int descriptor, void* buffer, size_t bytes, off_t offset, size_t)) {
    return faulty_pread(descriptor, buffer, bytes, offset);
}
ALSO(ssize_t, __pread_chk, __pread64_chk, (int descriptor, void* buffer, size_t bytes, off_t offset, size_t))

TAKE(ssize_t, readv, (int descriptor, const iovec* parts, int count)) {
    return vectored(Call::read, "readv", descriptor, parts, count,
                    [&](const iovec* some, int n) { return real_readv()(descriptor, some, n); });
}
TAKE(ssize_t, writev, (int descriptor, const iovec* parts, int count)) {
    return vectored(Call::write, "writev", descriptor, parts, count,
                    [&](const iovec* some, int n) { return real_writev()(descriptor, some, n); });
}
TAKE(ssize_t, preadv, (int descriptor, const iovec* parts, int count, off_t offset)) {
    return vectored(Call::read, "preadv", descriptor, parts, count,
                    [&](const iovec* some, int n) { return real_preadv()(descriptor, some, n, offset); });
}
ALSO(ssize_t, preadv, preadv64, (int descriptor, const iovec* parts, int count, off_t offset))
TAKE(ssize_t, pwritev, (int descriptor, const iovec* parts, int count, off_t offset)) {
    return vectored(Call::write, "pwritev", descriptor, parts, count,
                    [&](const iovec* some, int n) { return real_pwritev()(descriptor, some, n, offset); });
}
ALSO(ssize_t, pwritev, pwritev64, (int descriptor, const iovec* parts, int count, off_t offset))
TAKE(ssize_t, preadv2, (int descriptor, const iovec* parts, int count, off_t offset, int flags)) {
    return vectored(Call::read, "preadv2", descriptor, parts, count,
                    [&](const iovec* some, int n) { return real_preadv2()(descriptor, some, n, offset, flags); });
}
ALSO(ssize_t, preadv2, preadv64v2, (int descriptor, const iovec* parts, int count, off_t offset, int flags))
TAKE(ssize_t, pwritev2, (int descriptor, const iovec* parts, int count, off_t offset, int flags)) {
    return vectored(Call::write, "pwritev2", descriptor, parts, count,
                    [&](const iovec* some, int n) { return real_pwritev2()(descriptor, some, n, offset, flags); });
}
ALSO(ssize_t, pwritev2, pwritev64v2, (int descriptor, const iovec* parts, int count, off_t offset, int flags))

// ---- asynchronous data: done at once, through the calls above; libc's aio_error, aio_return and aio_suspend find the result
// where its threads would have put it ----
namespace {
int finished(aiocb* block, ssize_t result) {
    block->__return_value = result;
    block->__error_code = result < 0 ? errno : 0;
    return 0;
}
}  // namespace

TAKE(int, aio_read, (aiocb * block)) {
    if (!path_of(block->aio_fildes)) return real_aio_read()(block);
    return finished(block,
                    faulty_pread(block->aio_fildes, const_cast<void*>(block->aio_buf), block->aio_nbytes, block->aio_offset));
}
ALSO(int, aio_read, aio_read64, (aiocb * block))
TAKE(int, aio_write, (aiocb * block)) {
    if (!path_of(block->aio_fildes)) return real_aio_write()(block);
    return finished(block,
                    faulty_pwrite(block->aio_fildes, const_cast<void*>(block->aio_buf), block->aio_nbytes, block->aio_offset));
}
ALSO(int, aio_write, aio_write64, (aiocb * block))

// ---- the file as a whole ----
#define WHOLE(kind, name, parameters, ...)                                                                               \
    TAKE(int, name, parameters) {                                                                                        \
        return carry_out(Call::kind, #name, path_of(descriptor), 0, [&](size_t) { return real_##name()(__VA_ARGS__); }); \
    }
WHOLE(sync, fsync, (int descriptor), descriptor)
WHOLE(sync, fdatasync, (int descriptor), descriptor)
WHOLE(truncate, ftruncate, (int descriptor, off_t bytes), descriptor, bytes)
ALSO(int, ftruncate, ftruncate64, (int descriptor, off_t bytes))
WHOLE(allocate, fallocate, (int descriptor, int mode, off_t offset, off_t bytes), descriptor, mode, offset, bytes)
ALSO(int, fallocate, fallocate64, (int descriptor, int mode, off_t offset, off_t bytes))
WHOLE(size, fstat, (int descriptor, struct stat* result), descriptor, result)
ALSO(int, fstat, fstat64, (int descriptor, struct stat* result))

// posix_fallocate returns the error instead of setting errno.
TAKE(int, posix_fallocate, (int descriptor, off_t offset, off_t bytes)) {
    const int result = carry_out(Call::allocate, "posix_fallocate", path_of(descriptor), 0,
                                 [&](size_t) { return real_posix_fallocate()(descriptor, offset, bytes); });
    return result < 0 ? errno : result;
}
ALSO(int, posix_fallocate, posix_fallocate64, (int descriptor, off_t offset, off_t bytes))

TAKE(off_t, lseek, (int descriptor, off_t offset, int whence)) {
    const char* const path = whence == SEEK_END ? path_of(descriptor) : nullptr;
    return carry_out(Call::size, "lseek", path, 0, [&](size_t) { return real_lseek()(descriptor, offset, whence); });
}
ALSO(off_t, lseek, lseek64, (int descriptor, off_t offset, int whence))

// Only locks are counted: other commands set flags, and no file system fails them.
TAKE(int, fcntl, (int descriptor, int command, void* argument)) {
    const bool lock = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
    return carry_out(Call::lock, "fcntl", lock ? path_of(descriptor) : nullptr, 0,
                     [&](size_t) { return real_fcntl()(descriptor, command, argument); });
}
ALSO(int, fcntl, fcntl64, (int descriptor, int command, void* argument))
