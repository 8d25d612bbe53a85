#include "iod/recover/journal_reader.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/descriptor.hpp"

namespace kumihimo::iod::recover {

namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path) {
    throw std::system_error(errno, std::generic_category(), "cannot " + what + " '" + path + "'");
}

}  // namespace

// Anybody may put something of that name into /tmp: pipes are not waited for, and what others wrote is nobody else's to replay.
JournalReader::JournalReader(const std::string& path) {
    const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat about {};
    if (!file || ::fstat(file.get(), &about) != 0) fail("open", path);
    if (!S_ISREG(about.st_mode)) errno = EINVAL, fail("take for a journal what is no file:", path);
    if (about.st_uid != ::geteuid() && ::geteuid() != 0) errno = EPERM, fail("take another user's journal", path);
    const bool was_empty = about.st_size == 0;
    in_use_ = ::flock(file.get(), LOCK_SH | LOCK_NB) != 0;  // its writer holds it locked
    if (::fstat(file.get(), &about) != 0) fail("look at", path);
    if (was_empty && about.st_size > 0) in_use_ = true;  // which it has begun to in this moment, before its first byte
    if (about.st_size == 0) return;
    const auto length = static_cast<std::size_t>(about.st_size);
    void* const memory = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (memory == MAP_FAILED) fail("map", path);
    bytes_ = {static_cast<const std::byte*>(memory), length};
    opened_ = decode_journal_header(bytes_.first(std::min(bytes_.size(), largest_journal_header)));
}

JournalReader::~JournalReader() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

std::size_t JournalReader::for_each(const Visit& visit) const {
    std::size_t at = opened_->header_bytes;
    for (std::uint64_t number = 0;; ++number) {
        const auto whole = decode_journal_block(bytes_.subspan(at), number, opened_->seed);
        if (!whole) return at;
        std::size_t from = 0;
        for (const RecordPlace& place : whole->block.places) {
            visit(place.offset, whole->data.subspan(from, place.bytes));
            from += place.bytes;
        }
        at += whole->bytes;
    }
}

}  // namespace kumihimo::iod::recover
