// Where there is no zstd.
#include <stdexcept>

#include "iod/link/compressor.hpp"

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
    throw std::logic_error("nothing is expanded without zstd");
}

}  // namespace kumihimo::iod::process
