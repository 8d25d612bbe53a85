#include "mpiio/engine/direct/hints.hpp"

#include <algorithm>
#include <string>

#include "base/settings.hpp"

namespace kumihimo::mpiio::direct {

namespace {

struct NumberHint {
    const char* name;
    Index Parameters::*value;
    Index least, most;
};
constexpr Index largest_buffer = Index{1} << 30;  // a message's count is an int
constexpr NumberHint numbers[] = {
    {"cb_buffer_size", &Parameters::collective_buffer_bytes, 4096, largest_buffer},
    {"cb_nodes", &Parameters::aggregators, 1, 1 << 20},
    {"ind_rd_buffer_size", &Parameters::read_buffer_bytes, 4096, largest_buffer},
    {"ind_wr_buffer_size", &Parameters::write_buffer_bytes, 4096, largest_buffer},
    {"kumihimo_write_behind", &Parameters::log_bytes, 0, largest_buffer},
    {"kumihimo_small_write", &Parameters::small_bytes, 1, largest_buffer},
};

struct SwitchHint {
    const char* name;
    Switch Parameters::*value;
};
constexpr SwitchHint switches[] = {
    {"romio_cb_write", &Parameters::collective_write},
    {"romio_cb_read", &Parameters::collective_read},
    {"romio_ds_read", &Parameters::sieve_read},
};
constexpr const char* switch_names[] = {"automatic", "enable", "disable"};
constexpr const char* strategy_names[] = {"automatic", "independent", "deferred", "two_phase"};

template <typename Value, std::size_t Count>
void choose(const std::string& text, const char* const (&names)[Count], Value& value) {
    const auto found = std::find(std::begin(names), std::end(names), text);
    if (found != std::end(names)) value = static_cast<Value>(found - std::begin(names));
}

void read_number(const std::string& text, const NumberHint& hint, Parameters& parameters) {
    const auto number = base::number_in(text);
    if (number && *number >= hint.least && *number <= hint.most) parameters.*hint.value = *number;
}

}  // namespace

Parameters default_parameters() {
    Parameters parameters;
    apply({{"kumihimo_write_behind", base::setting("KUMIHIMO_IO_WRITE_BEHIND")},
           {"kumihimo_collective", base::setting("KUMIHIMO_IO_COLLECTIVE")}},
          parameters);
    parameters.behind_asked = base::setting_is_set("KUMIHIMO_IO_WRITE_BEHIND");
    return parameters;
}

void apply(const Hints& hints, Parameters& parameters) {
    const auto text = [&](const char* name) {
        const auto found = hints.find(name);
        return found == hints.end() ? std::string() : found->second;
    };
    parameters.behind_asked |= hints.contains("kumihimo_write_behind") || hints.contains("kumihimo_small_write");
    for (const NumberHint& hint : numbers) read_number(text(hint.name), hint, parameters);
    for (const SwitchHint& hint : switches) choose(text(hint.name), switch_names, parameters.*hint.value);
    choose(text("kumihimo_collective"), strategy_names, parameters.collective);
    if (text("kumihimo_write_behind") == "off" || text("kumihimo_write_behind") == "disable") parameters.log_bytes = 0;
}

Hints as_hints(const Parameters& parameters) {
    Hints hints;
    for (const NumberHint& hint : numbers) hints[hint.name] = std::to_string(parameters.*hint.value);
    for (const SwitchHint& hint : switches) hints[hint.name] = switch_names[static_cast<int>(parameters.*hint.value)];
    hints["romio_ds_write"] = "disable";  // writing through gaps would undo what others write there
    hints["kumihimo_collective"] = strategy_names[static_cast<int>(parameters.collective)];
    return hints;
}

}  // namespace kumihimo::mpiio::direct
