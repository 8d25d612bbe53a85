// A ring of records in memory that one rank (which writes) and the agent of its node (which reads) share: while the agent is
// awake a write costs a copy and no system call (docs/wire-protocol.md). Single producer, single consumer; positions only grow.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kumihimo::iod {

// Lies at the beginning of the shared memory; the data follow. All fields are aligned to their own cache lines.
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

struct RingRecord {  // before each record's bytes; whole records are padded to 16 bytes and never wrap (a filler does)
    std::int64_t offset;
    std::uint32_t bytes;
    std::uint32_t filler;  // 1: skip to the beginning of the ring
};

class RingProducer {
public:
    explicit RingProducer(std::span<std::byte> memory);  // initialises it
    static std::size_t memory_bytes(std::size_t capacity);

    // The place for `bytes` bytes (<= largest()) that will be written at `offset`, or null: no room now.
    std::byte* reserve(std::int64_t offset, std::size_t bytes);
    void
    commit();  // the reserved record may be seen. Consecutive small records become one as long as the agent has not taken them.
    std::size_t largest() const;  // bytes of one record
    std::uint64_t position() const;
    std::uint64_t waiting_bytes() const;  // not yet consumed

    RingHeader& header() const { return *header_; }

private:
    RingHeader* header_;
    std::byte* data_;
    std::uint64_t mask_ = 0, reserved_end_ = 0;
};

class RingConsumer {
public:
    // Checks the header: the rank may be of another version, or hostile.
    explicit RingConsumer(std::span<std::byte> memory);
    // The oldest record, or none. Valid until consume(). Lengths are checked against the ring, whatever the rank wrote.
    struct Record {
        std::int64_t offset;
        std::span<const std::byte> bytes;
    };
    bool peek(Record& record);
    void consume();
    std::uint64_t position() const;
    RingHeader& header() const { return *header_; }

private:
    RingHeader* header_;
    std::byte* data_;
    std::uint64_t mask_ = 0, next_ = 0;
};

}  // namespace kumihimo::iod
