// What a name says: stampi://[user@]host[:port]/path. Pure, but for is_here().
#pragma once

#include <optional>
#include <string>

#include "base/agreement.hpp"

namespace kumihimo::mpiio::stampi {

struct Name {
    std::string user, host, port;  // empty: not said
    std::string path;              // with the slash in front

    std::string text() const;  // as it was given
};

// `given`: without "stampi:". None: it is well. User, host and port have no characters that a program could take for more than
// that, and do not begin like an option.
std::optional<base::Failure> parse(const std::string& given, Name& name);

// Whether the file is one of this machine: no host, localhost, or this machine's name, with no other user and no port.
bool is_here(const Name& name);

}  // namespace kumihimo::mpiio::stampi
