#include "iod/way/name.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/format.hpp"

namespace kumihimo::iod::way {

namespace {

constexpr std::size_t most_host = 253, most_user = 64;  // of a name in the DNS; of our own
constexpr unsigned most_port = 65535;

bool consists_of(const std::string& text, const char* others) {
    return std::ranges::all_of(text, [&](unsigned char letter) {
        return (letter < 128 && std::isalnum(letter) != 0) ||
               std::string(others).find(static_cast<char>(letter)) != std::string::npos;
    });
}

bool sound(const std::string& text, const char* others, std::size_t most) {
    return text.size() <= most && (text.empty() || text.front() != '-') && consists_of(text, others);
}

}  // namespace

bool is_user(const std::string& text) {
    return sound(text, "._-", most_user);
}

bool is_host(const std::string& text) {
    return sound(text, text.find(':') == std::string::npos ? "._-" : ":.%", most_host);
}

bool is_port(const std::string& text) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return text.empty() || (error == std::errc() && end == text.data() + text.size() && number >= 1 && number <= most_port);
}

std::string Name::text() const {
    const bool brackets = host.find(':') != std::string::npos;
    return fmt::format("stampi://{}{}{}{}{}{}{}{}", user, user.empty() ? "" : "@", brackets ? "[" : "", host,
                       brackets ? "]" : "", port.empty() ? "" : ":", port, path);
}

Status parse(const std::string& given, Name& name) {
    const auto wrong = [&](const std::string& why) {
        return Status{Code::bad_name, fmt::format("'stampi:{}': {}. Write stampi://[user@]host[:port]/path", given, why), {}};
    };
    if (!given.starts_with("//")) return wrong("no // in front of the host");
    const std::size_t slash = given.find('/', 2);
    if (slash == std::string::npos) return wrong("no path");
    std::string authority = given.substr(2, slash - 2);
    name.path = given.substr(slash);
    if (const std::size_t at = authority.rfind('@'); at != std::string::npos) {
        name.user = authority.substr(0, at);
        authority.erase(0, at + 1);
        if (name.user.empty()) return wrong("no user in front of @");
    }
    const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : std::string::npos;
    const std::size_t colon = authority.find(':', bracket == std::string::npos ? 0 : bracket);
    name.host = authority.substr(0, colon);
    if (colon != std::string::npos) name.port = authority.substr(colon + 1);
    if (colon != std::string::npos && name.port.empty()) return wrong("no port behind :");
    if (bracket != std::string::npos) name.host = name.host.substr(1, name.host.size() - 2);
    if (!is_user(name.user)) return wrong("the user has characters that names of users do not have");
    if (!is_host(name.host)) return wrong("the host has characters that names of hosts do not have");
    if (!is_port(name.port)) return wrong("the port is no number from 1 to 65535");
    if (name.host.empty() && !(name.user.empty() && name.port.empty())) return wrong("no host");
    return {};
}

}  // namespace kumihimo::iod::way
