#include "mpiio/engine/direct/log.hpp"

#include <algorithm>
#include <iterator>

namespace kumihimo::mpiio::direct {

void WriteLog::set_capacity(Index bytes) {
    if (bytes == capacity_) return;
    clear();
    capacity_ = bytes;
    if (is_borrowed()) return;
    own_.reset();
    memory_ = nullptr;
}

void WriteLog::borrow(std::byte* memory) {
    clear();
    own_.reset();
    memory_ = memory;
}

void WriteLog::clear() {
    pieces_.clear();
    last_ = pieces_.end();
    used_ = bytes_ = 0;
    in_order_ = true;
}

// Behind the last piece in the file and in memory, and before the next piece.
bool WriteLog::extends_last(Index offset, Index bytes) const {
    if (last_ == pieces_.end() || last_->first + last_->second.bytes != offset) return false;
    if (last_->second.data + last_->second.bytes != memory_ + used_) return false;
    const auto next = std::next(last_);
    return next == pieces_.end() || next->first >= offset + bytes;
}

std::byte* WriteLog::add(Index offset, Index bytes) {
    if (memory_ == nullptr) own_.reset(memory_ = new std::byte[static_cast<std::size_t>(capacity_)]);
    std::byte* const place = memory_ + used_;
    in_order_ = in_order_ && (empty() || offset >= upper());
    if (extends_last(offset, bytes)) {
        last_->second.bytes += bytes;
    } else {
        cut(offset, offset + bytes);
        last_ = pieces_.emplace(offset, Piece{place, bytes}).first;
    }
    used_ += bytes;
    bytes_ += bytes;
    return place;
}

bool WriteLog::overlaps(Index begin, Index end) const {
    const auto behind = pieces_.lower_bound(end);  // the first piece that begins at or behind `end`
    if (behind == pieces_.begin() || begin >= end) return false;
    const auto before = std::prev(behind);
    return before->first + before->second.bytes > begin;
}

void WriteLog::cut(Index begin, Index end) {
    if (!overlaps(begin, end)) return;
    auto at = pieces_.upper_bound(begin);
    if (at != pieces_.begin() && std::prev(at)->first + std::prev(at)->second.bytes > begin) --at;
    while (at != pieces_.end() && at->first < end) {
        const auto [offset, piece] = *at;
        const Index stop = offset + piece.bytes;
        at = pieces_.erase(at);
        if (offset < begin) pieces_.emplace(offset, Piece{piece.data, begin - offset});
        if (stop > end) pieces_.emplace(end, Piece{piece.data + (end - offset), stop - end});
        bytes_ -= std::min(stop, end) - std::max(offset, begin);
    }
    in_order_ = false;
    last_ = pieces_.end();
}

}  // namespace kumihimo::mpiio::direct
