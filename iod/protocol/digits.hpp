// Bytes that make a name: hexadecimal digits.
#pragma once

#include <span>
#include <string>

#include "base/format.hpp"

namespace kumihimo::iod {

inline std::string digits_of(std::span<const std::byte> bytes) {
    std::string digits;
    for (const std::byte byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned>(byte));
    return digits;
}

}  // namespace kumihimo::iod
