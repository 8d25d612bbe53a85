#include "base/shared_memory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/format.hpp"
#include "base/made.hpp"
#include "base/persistent.hpp"

namespace kumihimo::base {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr const char* posix_beginning = "/kumihimo-";

std::string posix_name(const Ticket& ticket) {
    return fmt::format("{}{}-{}", posix_beginning, ticket.process, ticket.number);
}

[[noreturn]] void refuse(const char* what, std::size_t bytes) {
    const int number = errno;
    throw Error(fmt::format("cannot {} {} of memory: {}", what, bytes_text(bytes), errno_text(number)));
}

// ---- names in /dev/shm. A creator holds its file locked while the name is there: what nobody holds is left from a process
// that was killed. A lock tells that of other containers' processes, too, whose numbers say nothing here. ----

bool remove_if_left(const std::string& name) {
    const Descriptor file(shm_open(name.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0));
    struct stat status;
    if (!file || fstat(file.get(), &status) != 0 || status.st_uid != geteuid()) return false;
    return flock(file.get(), LOCK_EX | LOCK_NB) == 0 && shm_unlink(name.c_str()) == 0;
}

void remove_what_was_left() {
    const std::unique_ptr<DIR, int (*)(DIR*)> names(opendir("/dev/shm"), [](DIR* directory) { return closedir(directory); });
    for (const dirent* entry = nullptr; names && (entry = readdir(names.get())) != nullptr;) {
        const std::string name = std::string("/") + entry->d_name;
        if (name.starts_with(posix_beginning)) (void)remove_if_left(name);
    }
}

// EEXIST: another container's process has the same number.
Descriptor open_new_name(Ticket& ticket) {
    static std::atomic<unsigned long long> files = 0;
    for (int attempt = 0; attempt < 1000; ++attempt) {
        ticket.number = ++files;
        Descriptor file = create_named(posix_name(ticket));
        if (file || errno != EEXIST) return file;
    }
    return Descriptor();
}

Descriptor open_new(Ticket& ticket) {
    if (ticket.method == SharingMethod::memfd) return Descriptor(memfd_create("kumihimo", MFD_CLOEXEC));
    static std::once_flag once;
    std::call_once(once, remove_what_was_left);
    return open_new_name(ticket);
}

Descriptor open_existing(const Ticket& ticket) {
    if (ticket.method == SharingMethod::posix) return Descriptor(shm_open(posix_name(ticket).c_str(), O_RDWR | O_CLOEXEC, 0));
    return Descriptor(::open(fmt::format("/proc/{}/fd/{}", ticket.process, ticket.descriptor).c_str(), O_RDWR | O_CLOEXEC));
}

Descriptor reach(const Ticket& ticket) {
    Descriptor file = open_existing(ticket);
    struct stat status;
    if (file.get() < 0 || fstat(file.get(), &status) != 0) refuse("open", ticket.bytes);
    if (status.st_dev != ticket.device || status.st_ino != ticket.inode)
        throw Error("cannot open shared memory: its creator is on another machine");
    return file;
}

// ftruncate beyond this limit would be answered by a signal.
void check_file_size_limit(std::size_t bytes) {
    rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur)
        throw Error(fmt::format("shared memory of {} is above the limit of a file's size, {}", bytes_text(bytes),
                                bytes_text(limit.rlim_cur)),
                    "Raise it (ulimit -f unlimited), or set KUMIHIMO_SHM=off.");
}

}  // namespace

Descriptor create_named(const std::string& name) {
    for (;;) {
        Descriptor file(shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (!file) return file;
        if (persistent([&] { return flock(file.get(), LOCK_EX); }) != 0) return Descriptor();
        struct stat status;  // somebody may have taken it for left before it was locked
        if (fstat(file.get(), &status) != 0 || status.st_nlink > 0) return file;
    }
}

Mapping Mapping::anonymous(std::size_t bytes) {
    void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) refuse("map", bytes);
    return Mapping(static_cast<std::byte*>(data), bytes);
}

Mapping Mapping::shared(int descriptor, std::size_t bytes) {
    void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    if (data == MAP_FAILED) refuse("map", bytes);
    ++made().segments;
    return Mapping(static_cast<std::byte*>(data), bytes);
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

Mapping::~Mapping() {
    if (data_ != nullptr) munmap(data_, bytes_);
}

void Mapping::ask_for_huge_pages(std::size_t offset, std::size_t length) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(data_ + offset), end = begin + length;
    const auto first = (begin + huge_page - 1) / huge_page * huge_page, last = end / huge_page * huge_page;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

SharedFile SharedFile::create(SharingMethod method, std::size_t bytes) {
    check_file_size_limit(bytes);
    Ticket ticket;
    ticket.method = method;
    ticket.process = static_cast<int>(getpid());
    ticket.bytes = bytes;
    Descriptor file = open_new(ticket);
    if (file.get() < 0) refuse("create", bytes);
    ticket.descriptor = file.get();
    SharedFile created(ticket);  // owns the descriptor and, for posix, the name from here on
    file.release();
    struct stat status;
    if (ftruncate(created.ticket_.descriptor, static_cast<off_t>(bytes)) != 0 ||
        fstat(created.ticket_.descriptor, &status) != 0)
        refuse("create", bytes);
    created.ticket_.device = status.st_dev;
    created.ticket_.inode = status.st_ino;
    return created;
}

SharedFile::SharedFile(SharedFile&& other) noexcept : ticket_(std::exchange(other.ticket_, Ticket{})) {}

SharedFile::~SharedFile() {
    if (ticket_.descriptor < 0) return;
    if (ticket_.method == SharingMethod::posix) shm_unlink(posix_name(ticket_).c_str());
    ::close(ticket_.descriptor);
}

Mapping attach(const Ticket& ticket) {
    return Mapping::shared(reach(ticket).get(), ticket.bytes);
}

void reserve(const Ticket& ticket, std::size_t offset, std::size_t length) {
    if (ticket.method != SharingMethod::posix || length == 0) return;  // a memfd is limited by memory alone
    const int number = posix_fallocate(reach(ticket).get(), static_cast<off_t>(offset), static_cast<off_t>(length));
    if (number != 0) {
        errno = number;
        refuse("reserve", length);
    }
}

unsigned long long fresh_token() {
    static thread_local std::mt19937_64 random = [] {  // asking the device takes as long as opening a file
        std::random_device device;
        const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
        return std::mt19937_64((static_cast<std::uint64_t>(device()) << 32 | device()) + static_cast<std::uint64_t>(now));
    }();
    return random();
}

}  // namespace kumihimo::base
