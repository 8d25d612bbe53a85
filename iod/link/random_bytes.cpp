#include "iod/link/random_bytes.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace kumihimo::iod::process {

Token random_token() {
    Token token;
    for (std::size_t got = 0; got < token.size();) {
        const ssize_t more = getrandom(token.data() + got, token.size() - got, 0);
        if (more < 0 && errno != EINTR)
            throw std::system_error(errno, std::generic_category(), "no random numbers for a token");
        if (more > 0) got += static_cast<std::size_t>(more);
    }
    return token;
}

std::array<std::byte, 16> random_name() {
    const Token random = random_token();
    std::array<std::byte, 16> name;
    std::copy_n(random.begin(), name.size(), name.begin());
    return name;
}

}  // namespace kumihimo::iod::process
