// A ring of records in memory that one rank (which writes) and the agent of its host (which reads) share: while the agent is
// awake a write costs a copy and no system call (docs/explanation/wire-protocol.md). Single producer, single consumer;
// positions only grow.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kumihimo::iod {

// Lies at the beginning of the shared memory; the data follow. What either side writes has a cache line of its own.
struct RingHeader {
    static constexpr std::uint64_t magic_number = 0x3147'4e49'524d'4b48;
    std::uint64_t magic;
    std::uint64_t capacity;                               // bytes of data, a power of two
    alignas(64) std::atomic<std::uint64_t> written;       // by the producer
    alignas(64) std::atomic<std::uint64_t> consumed;      // by the consumer
    alignas(64) std::atomic<std::uint32_t> agent_sleeps;  // 1: wake it by its event
    std::atomic<std::uint32_t> rank_waits;                // 1: wake it by its event when there is room
    std::atomic<std::uint32_t> closed;                    // the consumer is gone or refuses: stop
};

// Before each record's bytes. Whole records are padded to 16 bytes and never wrap (a filler does).
struct RingRecord {
    static constexpr std::uint32_t taken = 1u << 31;   // the consumer has it: it grows no more
    static constexpr std::uint32_t filler = 1u << 30;  // skip to the beginning of the ring
    static constexpr std::uint32_t length = filler - 1;
    std::int64_t offset;
    std::atomic<std::uint32_t> state;  // length and marks
    std::uint32_t unused;

    static constexpr std::uint64_t padded(std::uint64_t bytes) { return (bytes + 15) & ~std::uint64_t{15}; }
};
constexpr std::uint64_t record_head = sizeof(RingRecord);

class RingProducer {
public:
    static constexpr std::size_t smallest_capacity = 4 << 10;

    explicit RingProducer(std::span<std::byte> memory);  // initialises it; memory_bytes(a power of two)
    static std::size_t memory_bytes(std::size_t capacity);

    // The place for `bytes` bytes (<= largest()) that will be written at `offset`, or null: no room now.
    std::byte* reserve(std::int64_t offset, std::size_t bytes);
    // The reserved record may be seen. A record that continues the one before makes that longer, as long as the agent has not
    // taken it.
    void commit();

    std::size_t largest() const;          // bytes of one record
    std::uint64_t position() const;       // all that was committed lies before it
    std::uint64_t waiting_bytes() const;  // not yet consumed

    // After commit: whether to wake the agent by its event now, because it sleeps and a quarter of the ring waits.
    bool wake_agent_for_much();
    // Before a request or a wait: whether it sleeps at all.
    bool wake_agent();
    // Before the rank waits on its event for room. False: there is some, reserve again.
    bool wait_for_room(std::size_t bytes);
    bool closed() const;

    RingHeader& header() const { return *header_; }

private:
    bool fits(std::uint64_t bytes) const;
    std::byte* extend(std::size_t bytes);
    void begin_record(std::int64_t offset);

    RingHeader* header_;
    std::byte* data_;
    std::uint64_t mask_ = 0;
    std::uint64_t end_ = 0;               // of what is committed
    mutable std::uint64_t consumed_ = 0;  // as last seen: the consumer's cache line is read only when the ring looks full
    RingRecord* last_ = nullptr;          // the record before, and where it ends
    std::uint64_t last_begin_ = 0;
    std::int64_t last_end_offset_ = -1;
    std::int64_t reserved_offset_ = 0;
    std::uint64_t reserved_at_ = 0;
    std::uint32_t reserved_bytes_ = 0;
    bool extending_ = false;
};

class RingConsumer {
public:
    // Checks the header: the rank may be of another version, or hostile. Throws std::invalid_argument.
    explicit RingConsumer(std::span<std::byte> memory);

    // The oldest record, or none. Valid until consume(). Lengths are checked against the ring, whatever the rank wrote; throws
    // std::invalid_argument if they make no sense.
    struct Record {
        std::int64_t offset;
        std::span<const std::byte> bytes;
    };
    bool peek(Record& record);
    void consume();

    bool empty() const;              // nothing is committed that was not consumed
    bool worth_while() const;        // so much is that both sides have memory lines of their own
    std::uint64_t position() const;  // what was written before it is consumed
    std::uint64_t written() const;   // by the rank, so far

    void sleep(bool sleeps);  // before waiting for events, then look at empty() once more; and after it
    bool wake_rank();         // whether the rank waits and there is room for it: wake it by its event
    void close();             // the rank shall stop

    RingHeader& header() const { return *header_; }

private:
    bool more();
    std::uint32_t state_of(RingRecord& record) const;

    RingHeader* header_;
    std::byte* data_;
    std::uint64_t mask_ = 0, next_ = 0, peeked_end_ = 0;
    std::uint64_t seen_ = 0;  // what was written when it was last looked at
};

}  // namespace kumihimo::iod
