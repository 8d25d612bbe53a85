#include "mpiio/engine/stampi/ahead.hpp"

#include <algorithm>
#include <limits>

namespace kumihimo::mpiio::stampi {

namespace {

constexpr Index file_end = std::numeric_limits<Index>::max();

}  // namespace

Moved Ahead::read(iod::Remote& remote, const Access& access) {
    const bool dense = access.view.contiguous();
    const Index offset = dense ? access.view.offset(access.position) : -1;
    if (dense && offset == next_ && access.bytes > 0) return from_what_comes(remote, access, offset);
    forget(remote);
    Moved moved = stampi::read(remote, access);
    next_ = dense ? offset + moved.bytes : -1;
    return moved;
}

// The distance doubles with each read that goes on where the last one ended: one that ends early has asked for little in vain.
Moved Ahead::from_what_comes(iod::Remote& remote, const Access& access, Index offset) {
    distance_ = std::min(std::max(2 * distance_, access.bytes), static_cast<Index>(remote.ahead()));
    if (asked_.empty()) asked_to_ = offset;
    Moved moved;
    bool ended = false;
    while (moved.status.ok() && !ended && moved.bytes < access.bytes) {
        const Index at = offset + moved.bytes;
        moved.status =
            ask(remote, std::max(at + static_cast<Index>(iod::Flow::largest_piece), offset + access.bytes + distance_));
        if (moved.status.ok() && !asked_.empty()) moved.status = take_first(remote);
        if (!moved.status.ok() || asked_.empty()) break;
        const Asked& first = asked_.front();
        const auto bytes = first.found.subspan(std::min(static_cast<std::size_t>(at - first.begin), first.found.size()));
        const Index part = std::min(static_cast<Index>(bytes.size()), access.bytes - moved.bytes);
        put(access, moved.bytes, bytes.first(static_cast<std::size_t>(part)));
        moved.bytes += part;
        ended = at + part < first.begin + first.bytes && at + part == first.begin + static_cast<Index>(first.found.size());
        if (at + part == first.begin + first.bytes) asked_.pop_front();
    }
    next_ = offset + moved.bytes;
    if (ended || !moved.status.ok()) forget(remote);
    return moved;
}

// As far as the window allows, and one request at least.
iod::Status Ahead::ask(iod::Remote& remote, Index end) {
    const Index part = std::clamp(distance_, static_cast<Index>(iod::Flow::least_piece), static_cast<Index>(remote.piece()));
    iod::Status status;
    while (status.ok() && asked_to_ < end) {
        const Index bytes = std::min(part, file_end - asked_to_);
        const Index waiting = asked_.empty() ? 0 : asked_to_ - asked_.front().begin;
        if (bytes <= 0 || (waiting > 0 && waiting + bytes > static_cast<Index>(remote.window()))) break;
        Asked asked{{}, asked_to_, bytes};
        status = remote.begin_read({{{asked_to_, bytes, {}}}}, asked.reading);
        if (!status.ok()) break;
        asked_.push_back(std::move(asked));
        asked_to_ += bytes;
    }
    return status;
}

iod::Status Ahead::take_first(iod::Remote& remote) {
    Asked& first = asked_.front();
    if (first.answered) return {};
    first.answered = true;
    return remote.end_read(first.reading, first.holder, first.found);
}

void Ahead::forget(iod::Remote& remote) {
    for (Asked& asked : asked_)
        if (!asked.answered) (void)remote.end_read(asked.reading, asked.holder, asked.found);
    asked_.clear();
    distance_ = 0;
}

}  // namespace kumihimo::mpiio::stampi
