#include <bit>
#include <limits>
#include <stdexcept>

#include "iod/ring/ring.hpp"

namespace kumihimo::iod {

namespace {

constexpr std::uint64_t bytes_ahead = 512, lines_ahead = 3;

std::uint64_t size_of(std::uint64_t bytes) {
    return record_head + RingRecord::padded(bytes);
}

[[noreturn]] void refuse(const char* what) {
    throw std::invalid_argument(what);
}

}  // namespace

RingConsumer::RingConsumer(std::span<std::byte> memory)
    : header_(reinterpret_cast<RingHeader*>(memory.data())), data_(memory.data() + sizeof(RingHeader)) {
    if (memory.size() < RingProducer::memory_bytes(RingProducer::smallest_capacity)) refuse("a ring that is too small");
    const std::uint64_t capacity = memory.size() - sizeof(RingHeader);  // not the header's: it may change under us
    if (header_->magic != RingHeader::magic_number || header_->capacity != capacity || !std::has_single_bit(capacity))
        refuse("a ring of another version");
    mask_ = capacity - 1;
    next_ = seen_ = header_->consumed.load(std::memory_order_relaxed);
    if (next_ % 16 != 0) refuse("a ring whose position makes no sense");
}

// A record that was taken while it grew may end behind `written` for a moment.
bool RingConsumer::empty() const {
    return static_cast<std::int64_t>(header_->written.load(std::memory_order_acquire) - next_) <= 0;
}

// Who follows a rank record by record takes each memory line from its processor while it writes the next one: both wait.
bool RingConsumer::worth_while() const {
    return static_cast<std::int64_t>(written() - next_) >= static_cast<std::int64_t>((mask_ + 1) / 8);
}

// The rank's line with `written` is looked at only when all that it said is consumed.
bool RingConsumer::more() {
    const auto behind = [this] { return static_cast<std::int64_t>(seen_ - next_) <= 0; };
    if (behind()) seen_ = written();
    if (behind()) return false;
    if (seen_ - next_ > mask_ + 1) refuse("a ring with more in it than it holds");
    return true;
}

// Only the last record may still grow: what has another one behind it need not be taken from the rank, which is another
// processor's memory line for each record.
std::uint32_t RingConsumer::state_of(RingRecord& record) const {
    const std::uint32_t state = record.state.load(std::memory_order_relaxed);
    const bool last = next_ + size_of(state & RingRecord::length) >= seen_;
    return last ? record.state.fetch_or(RingRecord::taken, std::memory_order_acquire) : state;
}

bool RingConsumer::peek(Record& record) {
    while (more()) {
        const std::uint64_t at = next_ & mask_;
        for (std::uint64_t line = 0; line < lines_ahead; ++line)  // else each record waits for the rank's cache
            __builtin_prefetch(data_ + ((at + bytes_ahead + line * 64) & mask_));
        auto& found = *reinterpret_cast<RingRecord*>(data_ + at);
        const std::uint32_t state = state_of(found);
        if ((state & RingRecord::filler) != 0) {
            next_ += mask_ + 1 - at;
            header_->consumed.store(next_, std::memory_order_release);
            continue;
        }
        const std::uint64_t bytes = state & RingRecord::length;
        if (at + record_head + bytes > mask_ + 1) refuse("a record that leaves its ring");
        record.offset = found.offset;
        if (record.offset < 0 || record.offset > std::numeric_limits<std::int64_t>::max() - static_cast<std::int64_t>(bytes))
            refuse("a record that no file can have");
        record.bytes = {data_ + at + record_head, bytes};
        peeked_end_ = next_ + size_of(bytes);
        return true;
    }
    return false;
}

void RingConsumer::consume() {
    next_ = peeked_end_;
    header_->consumed.store(next_, std::memory_order_release);
}

std::uint64_t RingConsumer::position() const {
    return next_;
}

std::uint64_t RingConsumer::written() const {
    return header_->written.load(std::memory_order_acquire);
}

void RingConsumer::sleep(bool sleeps) {
    header_->agent_sleeps.store(sleeps ? 1 : 0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

// A quarter of the ring must be free: waking costs more than a small record.
bool RingConsumer::wake_rank() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (header_->rank_waits.load(std::memory_order_relaxed) == 0) return false;
    const bool room = written() - next_ <= (mask_ + 1) / 2 || empty();
    return room && header_->rank_waits.exchange(0) != 0;
}

void RingConsumer::close() {
    header_->closed.store(1);
}

}  // namespace kumihimo::iod
