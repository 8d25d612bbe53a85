// Frames in fewer bytes, by zstd. Where it was not there when this was built, nothing is offered to others, so nothing comes.
#pragma once

#include <memory>
#include <span>

#include "iod/protocol/payload.hpp"

namespace kumihimo::iod::process {

class Compressor {
public:
    static bool is_there();
    Compressor();
    ~Compressor();

    // Head and body one after the other. Throws std::exception.
    Payload compress(std::span<const std::byte> head, std::span<const std::byte> body, int level);
    // Throws ProtocolError: damaged, or more than `most` bytes, which are never asked of memory then.
    Payload expand(std::span<const std::byte> bytes, std::size_t most);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace kumihimo::iod::process
