// Valid frames with a few bytes changed, cut, doubled or exchanged; checksums are right, so that what is inside is looked at.
#pragma once

#include <algorithm>
#include <vector>

#include "iod/protocol/frame.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::test {

struct Sent {
    FrameHeader header;
    Payload payload;
};

inline std::size_t below(support::Random& random, std::size_t count) {
    return static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(count) - 1));
}

inline void mutate(support::Random& random, Payload& payload) {
    if (random.one_of(4)) payload.resize(below(random, payload.size() + 1));
    for (std::int64_t hits = random.between(0, 4); hits > 0 && !payload.empty(); --hits) {
        constexpr std::byte telling[] = {std::byte{0}, std::byte{1}, std::byte{0x7f}, std::byte{0x80}, std::byte{0xff}};
        payload[below(random, payload.size())] =
            random.one_of(2) ? telling[below(random, std::size(telling))] : static_cast<std::byte>(random.between(0, 255));
    }
    if (random.one_of(8)) payload.resize(payload.size() + below(random, 64), std::byte{0x41});
}

inline void mutate(support::Random& random, std::vector<Sent>& frames) {
    if (frames.empty()) return;
    Sent& one = frames[below(random, frames.size())];
    switch (random.between(0, 6)) {
        case 0:
            one.header.type = frames[below(random, frames.size())].header.type;
            break;
        case 1:
            one.header.request = static_cast<std::uint64_t>(random.between(-1, 12));
            break;
        case 2:
            one.header.flags ^= flag_answer;
            break;
        case 3:
            std::swap(one, frames[below(random, frames.size())]);
            break;
        case 4:
            frames.push_back(one);
            break;
        case 5:
            frames.erase(frames.begin() + (&one - frames.data()));
            break;
        default:
            mutate(random, one.payload);
    }
}

inline Payload bytes_of(const std::vector<Sent>& frames) {
    Payload bytes;
    for (Sent sent : frames) {
        sent.header.flags |= flag_checksum;
        const HeaderBytes header = encode_header(sent.header, sent.payload);
        bytes.append(header);
        bytes.append(sent.payload);
    }
    return bytes;
}

}  // namespace kumihimo::iod::test
