#include "iod/files/shared_word.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "base/error.hpp"
#include "iod/protocol/digits.hpp"
#include "iod/protocol/limits.hpp"

namespace kumihimo::iod::process {

namespace {

constexpr std::size_t word_bytes = sizeof(std::int64_t);

std::string name_of(const Opening& opening) {
    return "/kumihimo-shared-" + digits_of(opening);
}

std::atomic_ref<std::int64_t> word(const base::Mapping& memory) {
    return std::atomic_ref(*reinterpret_cast<std::int64_t*>(memory.data()));
}

}  // namespace

SharedWord::SharedWord(const Opening& opening, bool first) {
    const std::string name = name_of(opening);
    base::Descriptor file =
        first ? base::create_named(name) : base::Descriptor(::shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0));
    if (file && first) name_ = name;
    if (!file || (first && ::ftruncate(file.get(), word_bytes) != 0)) {
        failed_ = Status::of_errno(errno,
                                   "the shared file pointer's memory. If the I/O processes run on different machines, say "
                                   "io_processes=1");
        return;
    }
    try {
        memory_ = base::Mapping::shared(file.get(), word_bytes);
    } catch (const base::Error& error) {
        failed_ = {Code::out_of_memory, error.what(), ""};
    }
    if (first) named_ = std::move(file);
}

SharedWord::~SharedWord() {
    drop_name();
}

void SharedWord::drop_name() {
    if (!name_.empty()) ::shm_unlink(std::exchange(name_, {}).c_str());
    named_ = {};
}

Status SharedWord::add(std::int64_t amount, std::int64_t& before) {
    if (!failed_.ok()) return failed_;
    before = word(memory_).load();
    do {
        if (!possible(before, static_cast<std::uint64_t>(amount)))
            return {Code::too_large, "the shared file pointer leaves what a file can have", "EOVERFLOW"};
    } while (!word(memory_).compare_exchange_weak(before, before + amount));
    return {};
}

Status SharedWord::set(std::int64_t value) {
    if (failed_.ok()) word(memory_).store(value);
    return failed_;
}

}  // namespace kumihimo::iod::process
