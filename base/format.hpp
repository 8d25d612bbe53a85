// How messages are made: the fmt library, and the few spellings that messages of several rooms share.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace kumihimo::base {

std::string json_string(const std::string& text);  // quoted and escaped
std::string bytes_text(unsigned long long bytes);  // "1.5 GiB"

// "1 node", "2 nodes"
inline std::string counted(std::int64_t count, const char* noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace kumihimo::base
