#include "mpiio/engine/hints.hpp"

#include <algorithm>
#include <charconv>

#include "base/format.hpp"
#include "base/settings.hpp"

namespace kumihimo::mpiio {

namespace {

std::optional<Index> octal_in(const std::string& text) {
    Index number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number, 8);
    return error == std::errc{} && rest == end ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<Index> HintKind::value_in(const std::string& text) const {
    if (!names.empty()) {
        const auto found = std::find(names.begin(), names.end(), text);
        return found == names.end() ? std::nullopt : std::optional<Index>(found - names.begin());
    }
    const std::optional<Index> value = base == 8 ? octal_in(text) : std::optional<Index>(kumihimo::base::number_in(text));
    return value && *value >= least && *value <= most ? value : std::nullopt;
}

std::string HintKind::text_of(Index value) const {
    if (!names.empty()) return names[static_cast<std::size_t>(value)];
    return base == 8 ? fmt::format("{:o}", value) : std::to_string(value);
}

std::string text_of_setting(const char* setting, const HintKind& kind) {
    if (kind.names.data() == switch_names) return base::setting_flag(setting) ? "true" : "false";
    return base::setting(setting);
}

Index permissions_of(const Hints& hints) {
    const auto found = hints.find("file_perm");
    return found == hints.end() ? default_permissions : permissions_kind.value_in(found->second).value_or(default_permissions);
}

}  // namespace kumihimo::mpiio
