#include "runtime/caf/token.hpp"

#include <algorithm>
#include <cstring>

namespace kumihimo::caf {

void Outcome::report(int status, const base::Error& error) const {
    if (stat == nullptr) throw error;
    *stat = status;
    if (message == nullptr) return;
    const std::size_t written = std::min(length, std::strlen(error.what()));
    std::memcpy(message, error.what(), written);
    std::memset(message + written, ' ', length - written);  // Fortran's blanks
}

}  // namespace kumihimo::caf
