#include "iod/errands/said.hpp"

#include <cstdio>

#include "base/format.hpp"

namespace kumihimo::iod::errands {

Said::Said(const char* event) : line_(fmt::format("{{\"event\": \"{}\"", event)) {}

Said::~Said() {
    line_ += "}\n";
    std::fputs(line_.c_str(), stdout);
    std::fflush(stdout);
}

Said& Said::text(const char* key, const std::string& value) {
    line_ += fmt::format(", \"{}\": {}", key, base::json_string(value));
    return *this;
}

Said& Said::number(const char* key, std::int64_t value) {
    line_ += fmt::format(", \"{}\": {}", key, value);
    return *this;
}

Said& Said::number(const char* key, std::uint64_t value) {
    line_ += fmt::format(", \"{}\": {}", key, value);
    return *this;
}

Said& Said::real(const char* key, double value) {
    line_ += fmt::format(", \"{}\": {:.9g}", key, value);
    return *this;
}

Said& Said::truth(const char* key, bool value) {
    line_ += fmt::format(", \"{}\": {}", key, value);
    return *this;
}

Said& Said::list(const char* key, const std::vector<std::string>& values) {
    std::vector<std::string> quoted;
    for (const std::string& value : values) quoted.push_back(base::json_string(value));
    line_ += fmt::format(", \"{}\": [{}]", key, fmt::join(quoted, ", "));
    return *this;
}

Said& Said::facts(const FileFacts& facts) {
    constexpr const char* kinds[] = {"file", "directory", "link", "other"};
    return text("name", facts.name)
        .text("kind", kinds[static_cast<std::size_t>(facts.kind)])
        .number("bytes", facts.bytes)
        .number("modified", facts.modified)
        .number("permissions", std::int64_t{facts.permissions});
}

std::string digest_text(std::int64_t digest) {
    return fmt::format("{:016x}", static_cast<std::uint64_t>(digest));
}

}  // namespace kumihimo::iod::errands
