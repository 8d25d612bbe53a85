#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>

#include "iod/ring/ring.hpp"

namespace kumihimo::iod {

std::size_t RingProducer::memory_bytes(std::size_t capacity) {
    return sizeof(RingHeader) + capacity;
}

RingProducer::RingProducer(std::span<std::byte> memory)
    : header_(new (memory.data()) RingHeader{}), data_(memory.data() + sizeof(RingHeader)) {
    const std::size_t capacity = memory.size() - sizeof(RingHeader);
    if (memory.size() < memory_bytes(smallest_capacity) || !std::has_single_bit(capacity))
        throw std::invalid_argument("the memory of a ring must hold its header and a power of two, at least 4 KiB");
    header_->magic = RingHeader::magic_number;
    header_->capacity = capacity;
    mask_ = capacity - 1;
}

// A record and the filler before it together take no more than half the ring, so an empty ring has room for any.
std::size_t RingProducer::largest() const {
    return std::min<std::size_t>((mask_ + 1) / 4 - record_head, RingRecord::length & ~std::uint32_t{15});
}

bool RingProducer::fits(std::uint64_t bytes) const {
    if (end_ + bytes - consumed_ <= mask_ + 1) return true;
    consumed_ = header_->consumed.load(std::memory_order_acquire);
    return end_ + bytes - consumed_ <= mask_ + 1;
}

// The place right behind the last record, if the new bytes continue it. Should the agent take that one meanwhile, commit makes
// a record of its own of them: room for that is asked for, too.
std::byte* RingProducer::extend(std::size_t bytes) {
    if (last_ == nullptr) return nullptr;
    const std::uint32_t state = last_->state.load(std::memory_order_relaxed);
    const std::uint64_t needed = record_head + RingRecord::padded(bytes) + record_head;
    if ((state & RingRecord::taken) != 0 || state + bytes > largest()) return nullptr;
    const bool follows = end_ == last_begin_ + record_head + RingRecord::padded(state);  // no filler between
    if (!follows || (end_ & mask_) + needed > mask_ + 1 || (end_ & mask_) == 0 || !fits(needed)) return nullptr;
    extending_ = true;
    reserved_at_ = last_begin_ + record_head + state;
    return data_ + (reserved_at_ & mask_);
}

// A filler takes the rest of the ring where the record would not fit into it.
std::byte* RingProducer::reserve(std::int64_t offset, std::size_t bytes) {
    reserved_offset_ = offset;
    reserved_bytes_ = static_cast<std::uint32_t>(bytes);
    extending_ = false;
    if (offset == last_end_offset_)
        if (std::byte* const place = extend(bytes)) return place;
    const std::uint64_t rest = mask_ + 1 - (end_ & mask_), size = record_head + RingRecord::padded(bytes);
    const std::uint64_t skip = rest < size ? rest : 0;
    if (!fits(skip + size)) return nullptr;
    if (skip > 0) {
        new (data_ + (end_ & mask_)) RingRecord{0, RingRecord::filler, 0};
        end_ += skip;
        header_->written.store(end_, std::memory_order_release);
    }
    reserved_at_ = end_;
    return data_ + ((end_ + record_head) & mask_);
}

void RingProducer::begin_record(std::int64_t offset) {
    last_ = new (data_ + (end_ & mask_)) RingRecord{offset, reserved_bytes_, 0};
    last_begin_ = end_;
    end_ += record_head + RingRecord::padded(reserved_bytes_);
}

void RingProducer::commit() {
    std::uint32_t state = extending_ ? last_->state.load(std::memory_order_relaxed) : 0;
    if (!extending_) {
        begin_record(reserved_offset_);
    } else if ((state & RingRecord::taken) == 0 &&
               last_->state.compare_exchange_strong(state, state + reserved_bytes_, std::memory_order_release,
                                                    std::memory_order_relaxed)) {
        end_ = last_begin_ + record_head + RingRecord::padded(state + reserved_bytes_);
    } else {
        std::memmove(data_ + ((end_ + record_head) & mask_), data_ + (reserved_at_ & mask_), reserved_bytes_);
        begin_record(reserved_offset_);
    }
    last_end_offset_ = reserved_offset_ + static_cast<std::int64_t>(reserved_bytes_);
    header_->written.store(end_, std::memory_order_release);
}

std::uint64_t RingProducer::position() const {
    return end_;
}

std::uint64_t RingProducer::waiting_bytes() const {
    return end_ - header_->consumed.load(std::memory_order_relaxed);
}

bool RingProducer::wake_agent_for_much() {
    if (header_->agent_sleeps.load(std::memory_order_relaxed) == 0) return false;
    return waiting_bytes() >= (mask_ + 1) / 4 && header_->agent_sleeps.exchange(0) == 1;
}

bool RingProducer::wake_agent() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return header_->agent_sleeps.exchange(0) == 1;
}

// The fence stands between "I wait" and the look at the ring; the consumer has one between its steps and its look at
// rank_waits.
bool RingProducer::wait_for_room(std::size_t bytes) {
    header_->rank_waits.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const std::uint64_t rest = mask_ + 1 - (end_ & mask_), size = record_head + RingRecord::padded(bytes);
    const bool room = fits(size + (rest < size ? rest : 0));
    if (room) header_->rank_waits.store(0, std::memory_order_relaxed);
    return !room;
}

bool RingProducer::closed() const {
    return header_->closed.load(std::memory_order_relaxed) != 0;
}

}  // namespace kumihimo::iod
