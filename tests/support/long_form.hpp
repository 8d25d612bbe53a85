// How much tests do: in their long form (`make test-long`) what takes minutes or much memory, under sanitizers less than usual.
#pragma once

#include <cstdlib>

namespace kumihimo::support {

inline bool long_form() {
    return std::getenv("KUMIHIMO_TEST_LONG") != nullptr;
}

// They look for wrong accesses, and take ten times as long: fewer rounds have to do.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// Rounds of a test with random cases.
inline int rounds(int usual) {
    return sanitized && !long_form() ? usual / 4 : usual;
}

}  // namespace kumihimo::support
