// Where there is no zstd.
#include <stdexcept>

#include "iod/link/compressor.hpp"
#include "iod/protocol/wire.hpp"

namespace kumihimo::iod::process {

struct Compressor::State {};

bool Compressor::is_there() {
    return false;
}

Compressor::Compressor() = default;
Compressor::~Compressor() = default;

Payload Compressor::compress(std::span<const std::byte>, std::span<const std::byte>, int) {
    throw std::logic_error("nothing is compressed without zstd");
}

Payload Compressor::expand(std::span<const std::byte>, std::size_t) {
    throw ProtocolError("a compressed frame, which nobody offered to take");
}

}  // namespace kumihimo::iod::process
