// The ways in which each engine can write, as hints: what the parameterised tests go through.
#include "contract.hpp"

namespace kumihimo::mpiio {

namespace {

std::vector<Hints> of_direct() {
    return {{},
            {{"kumihimo_collective", "independent"}},
            {{"kumihimo_collective", "two_phase"}},
            {{"kumihimo_collective", "two_phase"}, {"cb_buffer_size", "4096"}, {"cb_nodes", "2"}},
            {{"kumihimo_collective", "deferred"}},
            {{"kumihimo_collective", "deferred"}, {"romio_cb_write", "enable"}, {"cb_buffer_size", "4096"}, {"cb_nodes", "2"}},
            {{"kumihimo_write_behind", "off"}},
            {{"kumihimo_small_write", "700"}},
            {{"kumihimo_collective", "deferred"}, {"kumihimo_write_behind", "5000"}},
            {{"romio_ds_read", "disable"}, {"ind_rd_buffer_size", "4096"}},
            {{"romio_ds_read", "enable"}, {"ind_rd_buffer_size", "4096"}, {"kumihimo_write_behind", "1000"}}};
}

// Small records, rings, buffers and stripes, so that the few bytes of a test split, overflow and meet several servers.
Hints catwalk(const char* method, bool merge, const char* topology, int nodes, int servers) {
    return {{"kumihimo_catwalk_method", method},
            {"kumihimo_catwalk_merge", merge ? "true" : "false"},
            {"kumihimo_catwalk_topology", topology},
            {"kumihimo_catwalk_hosts", std::to_string(nodes)},
            {"kumihimo_catwalk_servers", std::to_string(servers)},
            {"kumihimo_catwalk_data_max", "512"},
            {"kumihimo_catwalk_ring", "16k"},
            {"kumihimo_catwalk_durable", "false"},  // many syncs; the default is the first way
            {"kumihimo_catwalk_sort_buffer", "2M"},
            {"kumihimo_catwalk_stripe", "4k"}};
}

// The ranks of node 0 write what is not short past the I/O process.
Hints past_it(int nodes) {
    Hints hints = catwalk("automatic", true, "ring", nodes, 1);
    hints["kumihimo_catwalk_direct_from"] = "40";
    return hints;
}

std::vector<Hints> all_of_catwalk() {
    std::vector<Hints> all{past_it(1), past_it(2)};
    for (const char* const method : {"automatic", "immediate", "journal", "sort"})
        for (const bool merge : {false, true})
            for (const char* const topology : {"ring", "tree", "star"})
                for (const int nodes : {1, 2, 3, 4})
                    for (int servers = 1; servers <= std::min(nodes, 3); ++servers)
                        all.push_back(catwalk(method, merge, topology, nodes, servers));
    return all;
}

std::vector<Hints> of_catwalk() {
    if (long_form()) return all_of_catwalk();
    return {{},
            catwalk("sort", true, "ring", 3, 1),
            catwalk("sort", false, "tree", 4, 2),
            catwalk("journal", true, "star", 4, 3),
            catwalk("immediate", true, "ring", 2, 1),
            past_it(2)};
}

std::vector<Hints> of_stampi() {
    return {{}, {{"io_processes", "2"}}, {{"io_processes", "1000"}, {"kumihimo_stampi_window", "1M"}}};
}

std::vector<Hints> of_spread() {
    return {{}, {{"kumihimo_write_behind", "off"}}};
}

}  // namespace

std::vector<Hints> ways() {
    if (engine_is("stampi+meta")) return of_spread();
    if (engine_is("stampi")) return of_stampi();
    return engine_is("catwalk") ? of_catwalk() : of_direct();
}

std::string name_of(const testing::TestParamInfo<Hints>& info) {
    std::string name;
    for (const auto& [hint, value] : info.param) name += hint.substr(hint.rfind('_') + 1) + "_" + value + "_";
    return std::to_string(info.index) + "_" + (name.empty() ? "default" : name);
}

}  // namespace kumihimo::mpiio
