// Frames out of any bytes, and bytes that say some frames. What nobody finds by trial is computed: checksums, lengths, and
// compressed payloads.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "iod/link/compressor.hpp"
#include "tests/iod/protocol/mutation.hpp"

namespace kumihimo::iod::test {

// Of each frame: type, flags, session, request, length of the payload; then the payload.
constexpr std::size_t said_bytes = 7;
enum Said : std::uint8_t { said_as_they_are = 0x80, said_compress = 0x40 };  // besides the flags of the wire

inline Payload input_of(const std::vector<Sent>& frames) {
    Payload input;
    for (const Sent& sent : frames) {
        const auto length = static_cast<std::uint16_t>(sent.payload.size());
        const std::uint8_t said[said_bytes] = {static_cast<std::uint8_t>(sent.header.type),
                                               static_cast<std::uint8_t>(sent.header.flags),
                                               static_cast<std::uint8_t>(sent.header.session),
                                               static_cast<std::uint8_t>(sent.header.request),
                                               static_cast<std::uint8_t>(length),
                                               static_cast<std::uint8_t>(length >> 8),
                                               0};
        input.append(std::as_bytes(std::span(said)));
        input.append(sent.payload);
    }
    return input;
}

// visit(header, payload, how) of each frame that is said, as long as it is true. What is left.
template <typename Visit>
std::span<const std::byte> each_said(std::span<const std::byte> input, Visit&& visit) {
    while (input.size() >= said_bytes) {
        const auto said = [&](std::size_t at) { return static_cast<std::uint8_t>(input[at]); };
        const std::size_t length = std::min<std::size_t>(said(4) | said(5) << 8, input.size() - said_bytes);
        const FrameHeader header{static_cast<Type>(said(0)), said(1), said(2), 0, said(3), 0};
        if (!visit(header, input.subspan(said_bytes, length), said(6))) break;
        input = input.subspan(said_bytes + length);
    }
    return input;
}

// What goes over the connection. From a frame on that is said to come as it is, the rest is not touched.
inline Payload wire_of(std::span<const std::byte> input) {
    Payload wire;
    const auto rest = each_said(input, [&](FrameHeader header, std::span<const std::byte> bytes, std::uint8_t how) {
        if ((how & said_as_they_are) != 0) return false;
        Payload payload(bytes);
        if ((how & said_compress) != 0 && process::Compressor::is_there()) {
            payload = process::Compressor().compress(payload, {}, 1);
            header.flags |= flag_compressed;
        }
        header.flags |= flag_checksum;
        wire.append(encode_header(header, payload));
        wire.append(payload);
        return true;
    });
    wire.append(rest);
    return wire;
}

}  // namespace kumihimo::iod::test
