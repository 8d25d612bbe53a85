// Whether tests run in their long form (`make test-long`): what takes minutes, or much memory.
#pragma once

#include <cstdlib>

namespace kumihimo::support {

inline bool long_form() {
    return std::getenv("KUMIHIMO_TEST_LONG") != nullptr;
}

}  // namespace kumihimo::support
