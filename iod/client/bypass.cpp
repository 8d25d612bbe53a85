#include "iod/client/bypass.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace kumihimo::iod {

namespace {

// Beyond this a write would be answered by a signal.
Offset largest_file() {
    rlimit limit;
    const bool limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < std::numeric_limits<Offset>::max();
    return limited ? static_cast<Offset>(limit.rlim_cur) : std::numeric_limits<Offset>::max();
}

}  // namespace

Bypass::Bypass(const std::string& path, std::size_t least_bytes, bool durable)
    : file_(path, "past the I/O process"), least_bytes_(least_bytes), durable_(durable), largest_end_(largest_file()) {}

bool Bypass::open() {
    OpenMode mode;
    mode.write = true;
    bool is_new = false;
    if (!open_) open_ = file_.open(mode, is_new).ok();
    return open_;
}

bool Bypass::takes(Offset offset, std::size_t bytes) const {
    const Offset end = offset + static_cast<Offset>(bytes);
    return end <= largest_end_ && (end <= held_begin_ || held_end_ <= offset);
}

void Bypass::held(Offset begin, Offset end) {
    held_begin_ = held_begin_ < held_end_ ? std::min(held_begin_, begin) : begin;
    held_end_ = std::max(held_end_, end);
}

// The device begins at once, so that a sync finds little left to do.
Status Bypass::write(Offset offset, std::span<const std::byte> data) {
    const auto begin = std::chrono::steady_clock::now();
    Status status = file_.write(offset, data);
    if (status.ok() && durable_) file_.begin_sync(offset, data.size());
    ++writes_;
    bytes_ += data.size();
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return status;
}

Counters Bypass::counters() const {
    return {{"writes past it", static_cast<double>(writes_)},
            {"bytes past it", static_cast<double>(bytes_)},
            {"past it seconds", seconds_}};
}

}  // namespace kumihimo::iod
