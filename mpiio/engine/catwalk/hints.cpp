#include "mpiio/engine/catwalk/hints.hpp"

#include "base/settings.hpp"
#include "iod/protocol/limits.hpp"
#include "mpiio/engine/hints.hpp"

namespace kumihimo::mpiio::catwalk {

namespace {

constexpr const char* methods[] = {"automatic", "immediate", "journal", "sort"};
constexpr const char* topologies[] = {"ring", "tree", "star"};
constexpr const char* refusal[] = {"refuse", "accept"};
constexpr const char* journal_hint = "kumihimo_catwalk_journal";

constexpr Index kibibyte = 1 << 10, gibibyte = 1 << 30;

constexpr Hint<Parameters> hints[] = {
    hint<&Parameters::method>("kumihimo_catwalk_method", {0, 3, methods}, "KUMIHIMO_CATWALK_METHOD"),
    hint<&Parameters::topology>("kumihimo_catwalk_topology", {0, 2, topologies}, "KUMIHIMO_CATWALK_TOPOLOGY"),
    hint<&Parameters::merge>("kumihimo_catwalk_merge", {0, 1, switch_names}, "KUMIHIMO_CATWALK_MERGE"),
    hint<&Parameters::durable>("kumihimo_catwalk_durable", {0, 1, switch_names}, "KUMIHIMO_CATWALK_DURABLE"),
    hint<&Parameters::accept_incomplete>("kumihimo_catwalk_incomplete", {0, 1, refusal}),
    hint<&Parameters::servers>("kumihimo_catwalk_servers", {1, iod::limit::servers}, "KUMIHIMO_CATWALK_SERVERS"),
    hint<&Parameters::largest_record>("kumihimo_catwalk_data_max", {512, iod::limit::record_bytes},
                                      "KUMIHIMO_CATWALK_DATA_MAX"),
    hint<&Parameters::sort_buffer>("kumihimo_catwalk_sort_buffer", {2048 * kibibyte, iod::limit::sort_buffer_bytes},
                                   "KUMIHIMO_CATWALK_SORT_BUFFER"),
    hint<&Parameters::stripe>("kumihimo_catwalk_stripe", {4 * kibibyte, iod::limit::stripe_bytes}, "KUMIHIMO_CATWALK_STRIPE"),
    hint<&Parameters::ring>("kumihimo_catwalk_ring", {16 * kibibyte, gibibyte}, "KUMIHIMO_CATWALK_RING"),
    hint<&Parameters::direct_from>("kumihimo_catwalk_direct_from", {1, Index{1} << 62}, "KUMIHIMO_CATWALK_DIRECT_FROM"),
    hint<&Parameters::groups_of_machine>("kumihimo_catwalk_hosts", {1, 1 << 20}, "KUMIHIMO_CATWALK_HOSTS"),
    hint<&Parameters::permissions>("file_perm", permissions_kind),
};
constexpr std::span<const Hint<Parameters>> table = hints;

}  // namespace

Parameters default_parameters() {
    Parameters parameters;
    apply_settings(table, parameters);
    parameters.journal_directory = base::setting("KUMIHIMO_CATWALK_JOURNAL");
    return parameters;
}

void apply_hints(const Hints& hints, Parameters& parameters) {
    mpiio::apply_hints(table, hints, parameters);
    if (const auto found = hints.find(journal_hint); found != hints.end()) parameters.journal_directory = found->second;
}

Hints as_hints(const Parameters& parameters) {
    Hints hints = mpiio::as_hints(table, parameters);
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
