// What images send each other: records, one behind the other in a message. An image works off those of another in the order in
// which they were made, which is all the order that a transport owes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/transport/transport.hpp"

namespace kumihimo::transport::messages {

enum class Kind : std::uint8_t {
    put,         // of the bytes behind the record
    put_sent,    // of a run that comes as a message of its own; answered as a fence
    get,         // answered by the bytes
    get_sent,    // of a run; answered by a message of its own
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

// What lies behind a record begins at a multiple of this.
constexpr std::size_t alignment = 8;
// The most bytes that a record brings with it: the MPI library sends that much over TCP without asking the receiver first, and
// while one message travels the next is packed, and the one before unpacked.
std::size_t most_payload();
// Behind the longest record there is room for a question, so that both travel together.
std::size_t longest_message();

using Bytes = std::unique_ptr<std::byte[]>;

// Records of one image for another, behind the message's number among those. (Aligned for what lies in them.)
struct Message {
    static constexpr std::size_t first_record = sizeof(std::uint64_t);

    Bytes bytes = nullptr;  // as many as the longest message has
    std::size_t size = first_record;
    std::size_t next = first_record;  // the first that is not worked off

    bool done() const { return next == size; }
    std::uint64_t number() const;
    void set_number(std::uint64_t number);
};

struct Opened {
    Record record;
    Correspondence shape;
    std::span<const std::byte> payload;
};
Opened take(Message& message);

std::size_t length_of(const Record& record);  // with all that lies behind it
// Where the payload goes, which the caller fills in. There must be room.
std::byte* append(Message& message, const Record& record, std::span<const std::byte> levels);

}  // namespace kumihimo::transport::messages
