// What a name of a file says: stampi://[user@]host[:port]/path. Pure.
#pragma once

#include <string>

#include "iod/protocol/status.hpp"

namespace kumihimo::iod::way {

struct Name {
    std::string user, host, port;  // empty: not said
    std::string path;              // with the slash in front

    std::string text() const;  // as it was given
};

// `given`: without "stampi:". User, host and port have no characters that a program could take for more than that, and do not
// begin like an option.
Status parse(const std::string& given, Name& name);

// Parts of names, also where hosts.toml says them.
bool is_user(const std::string& text);
bool is_host(const std::string& text);  // an address of IPv6 without brackets
bool is_port(const std::string& text);

}  // namespace kumihimo::iod::way
