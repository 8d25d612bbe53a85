// Conversations for the fuzzer: the frames that a rank, an agent or a stranger sends, in a sensible order and with sensible
// fields, and then with mistakes of all kinds.
#pragma once

#include <filesystem>
#include <vector>

#include "iod/protocol/frame.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::test {

struct FuzzFrame {
    FrameHeader header;
    Payload payload;
    bool descriptors = false;           // goes with those of a ring
    std::vector<std::byte> bytes = {};  // as it is sent
};
using Conversation = std::vector<FuzzFrame>;

enum class Speaker { rank, child, parent, stranger };

// What a conversation may name: the rest is drawn.
struct Scene {
    std::filesystem::path directory;  // all files lie there
    std::uint32_t session = 0;        // of the file that it is about, at the agent
    Token token{};
    bool network = false;  // frames carry checksums
};

// A conversation without mistakes, and one with some. All files that it opens lie in the scene's directory.
Conversation conversation(Speaker speaker, const Scene& scene, support::Random& random);
void mutate(Conversation& conversation, const Scene& scene, support::Random& random);

}  // namespace kumihimo::iod::test
