#include "mpiio/engine/stampi/name.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "base/format.hpp"

namespace kumihimo::mpiio::stampi {

namespace {

constexpr std::size_t most_host = 253, most_user = 64, most_port = 5;  // of a name in the DNS; of our own; of 65535

bool consists_of(const std::string& text, const char* others) {
    return std::ranges::all_of(text, [&](unsigned char letter) {
        return (letter < 128 && std::isalnum(letter) != 0) ||
               std::string(others).find(static_cast<char>(letter)) != std::string::npos;
    });
}

bool sound(const std::string& text, const char* others, std::size_t most) {
    return text.size() <= most && (text.empty() || text.front() != '-') && consists_of(text, others);
}

bool sound_port(const std::string& port) {
    return port.size() <= most_port &&
           std::ranges::all_of(port, [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

bool same(const std::string& a, const std::string& b) {
    return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string first_label(const std::string& host) {
    return host.substr(0, host.find('.'));
}

}  // namespace

std::string Name::text() const {
    const bool brackets = host.find(':') != std::string::npos;
    return fmt::format("stampi://{}{}{}{}{}{}{}{}", user, user.empty() ? "" : "@", brackets ? "[" : "", host,
                       brackets ? "]" : "", port.empty() ? "" : ":", port, path);
}

std::optional<base::Failure> parse(const std::string& given, Name& name) {
    const auto wrong = [&](const std::string& why) {
        return base::Failure{MPI_ERR_BAD_FILE,
                             fmt::format("'stampi:{}': {}. Write stampi://[user@]host[:port]/path", given, why), 0};
    };
    if (!given.starts_with("//")) return wrong("no // in front of the host");
    const std::size_t slash = given.find('/', 2);
    if (slash == std::string::npos || slash + 1 == given.size()) return wrong("no path");
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
    if (!sound(name.user, "._-", most_user)) return wrong("the user has characters that names of users do not have");
    if (!sound(name.host, bracket == std::string::npos ? "._-" : ":.%", most_host))
        return wrong("the host has characters that names of hosts do not have");
    if (!sound_port(name.port)) return wrong("the port is no number up to 65535");
    if (name.host.empty() && !(name.user.empty() && name.port.empty())) return wrong("no host");
    return std::nullopt;
}

bool is_here(const Name& name) {
    if (!name.port.empty() || !name.user.empty()) return false;
    char own[most_host + 1] = {};
    if (::gethostname(own, sizeof own - 1) != 0) return name.host.empty();
    return name.host.empty() || same(name.host, "localhost") || same(name.host, own) || same(name.host, first_label(own));
}

}  // namespace kumihimo::mpiio::stampi
