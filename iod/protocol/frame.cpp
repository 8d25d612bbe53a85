#include "iod/protocol/frame.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string>

#include "iod/protocol/wire.hpp"

namespace kumihimo::iod {

namespace {

constexpr std::uint32_t magic = 0x314a484b;  // "KHJ1"
constexpr std::size_t checksum_at = 24;

// Of the payload, seeded with the header's, so that a header cannot be exchanged for another one's.
std::uint64_t checksum_of(const std::byte* header, std::span<const std::byte> payload, std::span<const std::byte> more) {
    const std::uint64_t seed = XXH3_64bits(header, checksum_at);
    if (more.empty()) return XXH3_64bits_withSeed(payload.data(), payload.size(), seed);
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset_withSeed(&state, seed);
    XXH3_64bits_update(&state, payload.data(), payload.size());
    XXH3_64bits_update(&state, more.data(), more.size());
    return XXH3_64bits_digest(&state);
}

bool known(Type type) {
    switch (type) {
        case Type::hello:
        case Type::welcome:
        case Type::refuse:
        case Type::open:
        case Type::attach:
        case Type::join:
        case Type::leave:
        case Type::records:
        case Type::drain:
        case Type::read:
        case Type::call:
        case Type::counters:
        case Type::failure:
        case Type::route:
        case Type::file_open:
        case Type::file_write:
        case Type::file_read:
        case Type::file_call:
        case Type::file_remove:
        case Type::file_claim:
        case Type::file_channel:
        case Type::file_about:
        case Type::file_look:
        case Type::file_list:
        case Type::file_rename:
            return true;
    }
    return false;
}

}  // namespace

HeaderBytes encode_header(FrameHeader header, std::span<const std::byte> payload, std::span<const std::byte> more) {
    HeaderBytes bytes;
    store_little(bytes.data(), magic);
    store_little(bytes.data() + 4, static_cast<std::uint16_t>(header.type));
    store_little(bytes.data() + 6, header.flags);
    store_little(bytes.data() + 8, header.session);
    store_little(bytes.data() + 12, static_cast<std::uint32_t>(payload.size() + more.size()));
    store_little(bytes.data() + 16, header.request);
    const bool wanted = (header.flags & flag_checksum) != 0;
    store_little(bytes.data() + checksum_at, wanted ? checksum_of(bytes.data(), payload, more) : std::uint64_t{0});
    return bytes;
}

FrameHeader decode_header(std::span<const std::byte, header_bytes> bytes, std::uint32_t largest, bool takes_compressed) {
    if (load_little<std::uint32_t>(bytes.data()) != magic) throw ProtocolError("what came is no frame of this protocol");
    FrameHeader header;
    header.type = static_cast<Type>(load_little<std::uint16_t>(bytes.data() + 4));
    header.flags = load_little<std::uint16_t>(bytes.data() + 6);
    header.session = load_little<std::uint32_t>(bytes.data() + 8);
    header.length = load_little<std::uint32_t>(bytes.data() + 12);
    header.request = load_little<std::uint64_t>(bytes.data() + 16);
    header.checksum = load_little<std::uint64_t>(bytes.data() + checksum_at);
    if (!known(header.type)) throw ProtocolError("unknown message " + std::to_string(static_cast<int>(header.type)));
    if ((header.flags & ~(flag_checksum | flag_answer | flag_compressed)) != 0)
        throw ProtocolError("a frame with unknown flags");
    if (header.compressed() && !takes_compressed) throw ProtocolError("a compressed frame, which nobody offered to take");
    if (header.length > largest) throw ProtocolError("a frame longer than agreed");
    return header;
}

void check_payload(std::span<const std::byte, header_bytes> header, std::span<const std::byte> payload) {
    if ((load_little<std::uint16_t>(header.data() + 6) & flag_checksum) == 0) return;
    if (load_little<std::uint64_t>(header.data() + checksum_at) != checksum_of(header.data(), payload, {}))
        throw ProtocolError("a frame was damaged on its way (checksum)");
}

}  // namespace kumihimo::iod
