#include "mpiio/engine/catwalk/hints.hpp"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/format.hpp"
#include "base/settings.hpp"
#include "iod/protocol/limits.hpp"

namespace kumihimo::mpiio::catwalk {

namespace {

constexpr const char* methods[] = {"automatic", "immediate", "journal", "sort"};
constexpr const char* topologies[] = {"ring", "tree", "star"};
constexpr const char* switches[] = {"false", "true"};
constexpr const char* refusal[] = {"refuse", "accept"};
constexpr const char* journal_hint = "kumihimo_catwalk_journal";

// A number between bounds, or one of some names, which then is its place among them.
struct Parameter {
    const char* hint;
    const char* setting;  // null: none
    Index Parameters::*value;
    Index least, most;
    std::span<const char* const> names = {};
    int base = 10;
};
constexpr Index kibibyte = 1 << 10, gibibyte = 1 << 30;
constexpr Parameter table[] = {
    {"kumihimo_catwalk_method", "KUMIHIMO_CATWALK_METHOD", &Parameters::method, 0, 3, methods},
    {"kumihimo_catwalk_topology", "KUMIHIMO_CATWALK_TOPOLOGY", &Parameters::topology, 0, 2, topologies},
    {"kumihimo_catwalk_merge", "KUMIHIMO_CATWALK_MERGE", &Parameters::merge, 0, 1, switches},
    {"kumihimo_catwalk_durable", "KUMIHIMO_CATWALK_DURABLE", &Parameters::durable, 0, 1, switches},
    {"kumihimo_catwalk_incomplete", nullptr, &Parameters::accept_incomplete, 0, 1, refusal},
    {"kumihimo_catwalk_servers", "KUMIHIMO_CATWALK_SERVERS", &Parameters::servers, 1, iod::limit::servers},
    {"kumihimo_catwalk_data_max", "KUMIHIMO_CATWALK_DATA_MAX", &Parameters::largest_record, 512, iod::limit::record_bytes},
    {"kumihimo_catwalk_sort_buffer", "KUMIHIMO_CATWALK_SORT_BUFFER", &Parameters::sort_buffer, 2048 * kibibyte,
     iod::limit::sort_buffer_bytes},
    {"kumihimo_catwalk_stripe", "KUMIHIMO_CATWALK_STRIPE", &Parameters::stripe, 4 * kibibyte, iod::limit::stripe_bytes},
    {"kumihimo_catwalk_ring", "KUMIHIMO_CATWALK_RING", &Parameters::ring, 16 * kibibyte, gibibyte},
    {"kumihimo_catwalk_direct_from", "KUMIHIMO_CATWALK_DIRECT_FROM", &Parameters::direct_from, 1, Index{1} << 62},
    {"kumihimo_catwalk_hosts", "KUMIHIMO_CATWALK_HOSTS", &Parameters::nodes_of_machine, 1, 1 << 20},
    {"file_perm", nullptr, &Parameters::permissions, 0, 0777, {}, 8},  // MPI 3.1, 13.2.8: octal
};

std::optional<Index> octal_in(const std::string& text) {
    Index number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number, 8);
    return error == std::errc{} && rest == end ? std::optional(number) : std::nullopt;
}

std::optional<Index> value_in(const std::string& text, const Parameter& parameter) {
    if (parameter.base == 8) return octal_in(text);
    if (parameter.names.empty()) return base::number_in(text);
    const auto found = std::find(parameter.names.begin(), parameter.names.end(), text);
    return found == parameter.names.end() ? std::nullopt : std::optional<Index>(found - parameter.names.begin());
}

bool read(const std::string& text, const Parameter& parameter, Parameters& parameters) {
    const auto value = value_in(text, parameter);
    if (!value || *value < parameter.least || *value > parameter.most) return false;
    parameters.*parameter.value = *value;
    return true;
}

std::string text_of(const Parameter& parameter, Index value) {
    if (!parameter.names.empty()) return parameter.names[static_cast<std::size_t>(value)];
    return parameter.base == 8 ? fmt::format("{:o}", value) : std::to_string(value);
}

// As a hint would say it.
std::string text_of_setting(const Parameter& parameter) {
    if (parameter.names.data() == switches) return base::setting_flag(parameter.setting) ? "true" : "false";
    return base::setting(parameter.setting);
}

}  // namespace

Parameters default_parameters() {
    Parameters parameters;
    for (const Parameter& parameter : table)
        if (parameter.setting != nullptr) read(text_of_setting(parameter), parameter, parameters);
    parameters.journal_directory = base::setting("KUMIHIMO_CATWALK_JOURNAL");
    return parameters;
}

void apply_hints(const Hints& hints, Parameters& parameters) {
    for (const Parameter& parameter : table)
        if (const auto found = hints.find(parameter.hint); found != hints.end()) read(found->second, parameter, parameters);
    if (const auto found = hints.find(journal_hint); found != hints.end()) parameters.journal_directory = found->second;
}

Hints as_hints(const Parameters& parameters) {
    Hints hints;
    for (const Parameter& parameter : table) hints[parameter.hint] = text_of(parameter, parameters.*parameter.value);
    if (!parameters.journal_directory.empty()) hints[journal_hint] = parameters.journal_directory;
    return hints;
}

iod::Options options_of(const Parameters& parameters) {
    iod::Options options;
    options.method = static_cast<iod::Method>(parameters.method);
    options.topology = static_cast<iod::Topology>(parameters.topology);
    options.merge = parameters.merge != 0;
    options.largest_record = static_cast<std::uint32_t>(parameters.largest_record);
    options.sort_buffer = static_cast<std::uint64_t>(parameters.sort_buffer);
    options.stripe = static_cast<std::uint64_t>(parameters.stripe);
    options.durable = parameters.durable != 0;
    options.accept_incomplete = parameters.accept_incomplete != 0;
    options.journal_directory = parameters.journal_directory;
    return options;
}

}  // namespace kumihimo::mpiio::catwalk
