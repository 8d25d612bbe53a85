// Bytes that nobody can guess, from the kernel.
#pragma once

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod::process {

// Both throw std::system_error.
Token random_token();
std::array<std::byte, 16> random_name();  // of a way, or an opening

}  // namespace kumihimo::iod::process
