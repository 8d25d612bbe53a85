// What images send each other: records, one behind the other in a message. An image works off those of another in the order in
// which they were made, which is all the order that a transport owes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/transport/transport.hpp"

namespace kumihimo::transport::messages {

enum class Kind : std::uint8_t {
    put,         // of the bytes behind the record
    put_sent,    // of bytes that come as a message of their own
    get,         // answered by the bytes
    get_sent,    // answered by a message of its own
    accumulate,  // the operands behind the record
    atomic,      // a Question behind it; answered by the value before
    fence,       // answered when everything before it is done
    answer,      // to a question of the image that gets it
};

struct Record {
    Kind kind;
    std::uint8_t operation = 0;  // a Reduction or an Atomic
    std::uint16_t type = 0;      // an XMP_TYPE
    std::uint32_t levels = 0;    // PairedLevels behind the record: the image's side of a correspondence
    std::uint64_t region = 0;    // its number
    std::int64_t offset = 0;     // of the first byte in the image's block
    std::int64_t run = 0;        // bytes in a row there
    std::uint64_t payload = 0;   // bytes behind record and levels
    std::uint64_t reply = 0;     // the Reply's number, at the image that asks
};

struct Question {
    std::int64_t operand, compare;
};

// `shape` (to: at the image; from: without gaps) as a record carries it.
Record record_of(Kind kind, std::uint64_t region, std::size_t offset, const Correspondence& shape);
inline std::span<const std::byte> bytes_of_levels(const Correspondence& shape) {
    return std::as_bytes(shape.levels());
}

// The records of one message. (Aligned for what lies in them.)
struct Message {
    std::vector<std::byte> bytes;
    std::size_t next = 0;  // the first that is not worked off

    bool done() const { return next == bytes.size(); }
};

struct Opened {
    Record record;
    Correspondence shape;
    std::span<const std::byte> payload;
};
Opened take(Message& message);

// What lies behind a record begins at a multiple of this.
constexpr std::size_t alignment = 8;
void append(std::vector<std::byte>& batch, const Record& record, std::span<const std::byte> levels,
            std::span<const std::byte> payload);
// The same with room for the payload, which the caller fills.
std::byte* append(std::vector<std::byte>& batch, const Record& record, std::span<const std::byte> levels);

}  // namespace kumihimo::transport::messages
