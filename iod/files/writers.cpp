#include "iod/files/writers.hpp"

#include <sys/xattr.h>

#include <algorithm>
#include <ctime>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "iod/files/claims.hpp"
#include "iod/protocol/digits.hpp"

namespace kumihimo::iod::process {

namespace {

constexpr std::string_view prefix = "user.kumihimo.";  // then the digits of a way
constexpr std::int64_t kept_seconds = 24 * 60 * 60;    // what was lost before that does not come back

struct Attribute {
    std::int64_t lost_at = 0;
    Opening opening{};

    bool of_same(const Opening& other) const {
        return std::equal(opening.begin(), opening.begin() + common_opening_bytes, other.begin());
    }
};

bool read(int file, const std::string& name, Attribute& attribute) {
    return ::fgetxattr(file, name.c_str(), &attribute, sizeof attribute) == sizeof attribute;
}

std::vector<std::string> names_at(int file) {
    const ssize_t bytes = ::flistxattr(file, nullptr, 0);
    std::string all(bytes > 0 ? static_cast<std::size_t>(bytes) : 0, '\0');
    const ssize_t got = ::flistxattr(file, all.data(), all.size());
    all.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    std::vector<std::string> names;
    std::istringstream stream(all);
    for (std::string name; std::getline(stream, name, '\0');)
        if (name.starts_with(prefix)) names.push_back(name);
    return names;
}

// Others may do the same meanwhile.
void mark_lost(int file, const Opening& opening) {
    const std::int64_t now = std::time(nullptr);
    for (const std::string& name : names_at(file)) {
        Attribute attribute;
        if (!read(file, name, attribute) || attribute.of_same(opening)) continue;
        if (attribute.lost_at == 0 && !Claims::is_held(name.substr(prefix.size()))) {
            attribute.lost_at = now;
            ::fsetxattr(file, name.c_str(), &attribute, sizeof attribute, XATTR_REPLACE);
        }
        if (attribute.lost_at != 0 && attribute.lost_at < now - kept_seconds) ::fremovexattr(file, name.c_str());
    }
}

}  // namespace

// Each attribute is one way's, so processes need no lock.
std::int64_t Writers::enter(int file, std::int64_t which, const Way& way, const Opening& opening) {
    if (way == Way{}) return 0;
    const std::lock_guard lock(mutex_);
    const std::string name = std::string(prefix) + digits_of(way);
    Attribute mine{0, opening};
    if (!read(file, name, mine)) {
        mark_lost(file, opening);
        ::fsetxattr(file, name.c_str(), &mine, sizeof mine, XATTR_CREATE);
    }
    if (mine.lost_at == 0) ++open_[which];
    return mine.lost_at;
}

void Writers::leave(int file, std::int64_t which, const Way& way) {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(which);
    if (found == open_.end() || --found->second > 0) return;
    open_.erase(found);
    ::fremovexattr(file, (std::string(prefix) + digits_of(way)).c_str());
}

}  // namespace kumihimo::iod::process
