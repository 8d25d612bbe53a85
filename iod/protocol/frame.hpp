// The envelope of every message: a header of 32 bytes with a checksum (docs/explanation/wire-protocol.md, "Transport"). Pure:
// no socket.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod {

constexpr std::size_t header_bytes = 32;
constexpr std::uint32_t largest_hello = 4 << 10;  // payload of the first frame of a connection, and of its answer
constexpr std::uint32_t largest_frame = 8 << 20;  // payload that this implementation takes

enum Flag : std::uint16_t { flag_checksum = 1, flag_answer = 2, flag_compressed = 4 };

// What both sides of a connection can do, as `hello` and `welcome` say it.
enum Feature : std::uint64_t { feature_checksums = 1, feature_staged_reads = 2, feature_compression = 4 };

struct FrameHeader {
    Type type = Type::hello;
    std::uint16_t flags = 0;
    std::uint32_t session = 0;
    std::uint32_t length = 0;   // set by encode_header
    std::uint64_t request = 0;  // 0: no answer is wanted
    std::uint64_t checksum = 0;

    bool answer() const { return (flags & flag_answer) != 0; }
    bool compressed() const { return (flags & flag_compressed) != 0; }
};

using HeaderBytes = std::array<std::byte, header_bytes>;

// The payload may lie in two pieces. With flag_checksum the checksum is computed.
HeaderBytes encode_header(FrameHeader header, std::span<const std::byte> payload, std::span<const std::byte> more = {});

// Throws ProtocolError: wrong magic, unknown type or flags, longer than `largest`, compressed though nobody offered to take
// such.
FrameHeader decode_header(std::span<const std::byte, header_bytes> bytes, std::uint32_t largest, bool takes_compressed = false);

// Throws ProtocolError if the header has a checksum and the payload another one.
void check_payload(std::span<const std::byte, header_bytes> header, std::span<const std::byte> payload);

}  // namespace kumihimo::iod
