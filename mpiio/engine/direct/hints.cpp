#include "mpiio/engine/direct/hints.hpp"

#include "base/settings.hpp"
#include "mpiio/engine/hints.hpp"

namespace kumihimo::mpiio::direct {

namespace {

constexpr Index largest_buffer = Index{1} << 30;  // a message's count is an int
constexpr const char* ways[] = {"automatic", "enable", "disable"};
constexpr const char* strategies[] = {"automatic", "independent", "deferred", "two_phase"};
constexpr HintKind buffer = {4096, largest_buffer}, way = {0, 0, ways};

constexpr Hint<Parameters> hints[] = {
    hint<&Parameters::collective_buffer_bytes>("cb_buffer_size", buffer),
    hint<&Parameters::aggregators>("cb_nodes", {1, 1 << 20}),
    hint<&Parameters::read_buffer_bytes>("ind_rd_buffer_size", buffer),
    hint<&Parameters::write_buffer_bytes>("ind_wr_buffer_size", buffer),
    hint<&Parameters::log_bytes>("kumihimo_write_behind", {0, largest_buffer}, "KUMIHIMO_IO_WRITE_BEHIND"),
    hint<&Parameters::small_bytes>("kumihimo_small_write", {1, largest_buffer}),
    hint<&Parameters::collective_write>("romio_cb_write", way),
    hint<&Parameters::collective_read>("romio_cb_read", way),
    hint<&Parameters::sieve_read>("romio_ds_read", way),
    hint<&Parameters::collective>("kumihimo_collective", {0, 0, strategies}, "KUMIHIMO_IO_COLLECTIVE"),
};
constexpr std::span<const Hint<Parameters>> table = hints;

constexpr const char* behind = "kumihimo_write_behind";

bool turns_off(const std::string& text) {
    return text == "off" || text == "disable";
}

}  // namespace

Parameters default_parameters() {
    Parameters parameters;
    apply_settings(table, parameters);
    if (turns_off(base::setting("KUMIHIMO_IO_WRITE_BEHIND"))) parameters.log_bytes = 0;
    parameters.behind_asked = base::setting_is_set("KUMIHIMO_IO_WRITE_BEHIND");
    return parameters;
}

void apply(const Hints& hints, Parameters& parameters) {
    apply_hints(table, hints, parameters);
    const auto found = hints.find(behind);
    if (found != hints.end() && turns_off(found->second)) parameters.log_bytes = 0;
    parameters.behind_asked |= found != hints.end() || hints.contains("kumihimo_small_write");
}

Hints as_hints(const Parameters& parameters) {
    Hints hints = mpiio::as_hints(table, parameters);
    hints["romio_ds_write"] = "disable";  // writing through gaps would undo what others write there
    return hints;
}

}  // namespace kumihimo::mpiio::direct
