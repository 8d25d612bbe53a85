// Settings and hints of the engine catwalk.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/settings.hpp"
#include "mpiio/engine/catwalk/hints.hpp"

namespace kumihimo::mpiio::catwalk {
namespace {

TEST(CatwalkHints, ComeBackAsTheyWere) {
    const Hints given = {{"kumihimo_catwalk_method", "journal"},
                         {"kumihimo_catwalk_topology", "tree"},
                         {"kumihimo_catwalk_direct_from", "1000000"},
                         {"kumihimo_catwalk_merge", "false"},
                         {"kumihimo_catwalk_durable", "false"},
                         {"kumihimo_catwalk_incomplete", "accept"},
                         {"kumihimo_catwalk_servers", "3"},
                         {"kumihimo_catwalk_data_max", "4096"},
                         {"kumihimo_catwalk_sort_buffer", "2097152"},
                         {"kumihimo_catwalk_stripe", "8192"},
                         {"kumihimo_catwalk_ring", "65536"},
                         {"kumihimo_catwalk_hosts", "4"},
                         {"kumihimo_catwalk_journal", "/scratch/a=b"},
                         {"file_perm", "640"}};
    Parameters parameters;
    apply_hints(given, parameters);
    EXPECT_EQ(as_hints(parameters), given);
    const iod::Options options = options_of(parameters);
    EXPECT_EQ(options.method, iod::Method::journal);
    EXPECT_EQ(options.topology, iod::Topology::tree);
    EXPECT_FALSE(options.merge);
    EXPECT_FALSE(options.durable);
    EXPECT_TRUE(options.accept_incomplete);
    EXPECT_EQ(options.largest_record, 4096u);
    EXPECT_EQ(options.sort_buffer, 2097152u);
    EXPECT_EQ(options.stripe, 8192u);
    EXPECT_EQ(options.journal_directory, "/scratch/a=b");
}

TEST(CatwalkHints, ThatMakeNoSenseAreIgnored) {
    const Parameters untouched;
    Parameters parameters;
    for (const auto& [name, value] : as_hints(untouched))
        for (const char* const text : {"", "nonsense", "-1", "1e3", "99999999999999999999", "3x"})
            apply_hints({{name, text}}, parameters);
    EXPECT_EQ(as_hints(parameters), as_hints(untouched));
    apply_hints({{"kumihimo_catwalk_ring", "2M"}, {"kumihimo_catwalk_method", "sort"}}, parameters);
    EXPECT_EQ(parameters.ring, 2 << 20);
    EXPECT_EQ(options_of(parameters).method, iod::Method::sort);
}

TEST(CatwalkHints, SettingsAreDefaults) {
    setenv("KUMIHIMO_CATWALK_TOPOLOGY", "star", 1);
    setenv("KUMIHIMO_CATWALK_SORT_BUFFER", "16M", 1);
    EXPECT_EQ(options_of(default_parameters()).topology, iod::Topology::star);
    EXPECT_EQ(default_parameters().sort_buffer, 16 << 20);
    setenv("KUMIHIMO_CATWALK_TOPOLOGY", "circle", 1);
    EXPECT_EQ(options_of(default_parameters()).topology, iod::Topology::ring) << "counts as not given; opening a file tells it";
    setenv("KUMIHIMO_CATWALK_MERGE", "off", 1);
    EXPECT_FALSE(options_of(default_parameters()).merge);
    unsetenv("KUMIHIMO_CATWALK_MERGE");
    unsetenv("KUMIHIMO_CATWALK_TOPOLOGY");
    unsetenv("KUMIHIMO_CATWALK_SORT_BUFFER");
    EXPECT_EQ(as_hints(default_parameters()), as_hints(Parameters{})) << "two places with defaults";
}

// What the table of settings allows counts: a value that only the hint's bounds forbid would be dropped without a word.
TEST(CatwalkHints, BoundsAreThoseOfTheSettings) {
    for (const base::Setting& setting : base::settings()) {
        const std::string name = setting.name;
        const bool number = setting.values.kind == base::Values::number || setting.values.kind == base::Values::bytes;
        if (!number || !name.starts_with("KUMIHIMO_CATWALK_")) continue;
        std::string hint = name;
        std::ranges::transform(hint, hint.begin(), [](unsigned char letter) { return std::tolower(letter); });
        for (const long long bound : {setting.values.least, setting.values.most}) {
            setenv(setting.name, std::to_string(bound).c_str(), 1);
            EXPECT_EQ(as_hints(default_parameters()).at(hint), std::to_string(bound)) << name;
        }
        unsetenv(setting.name);
    }
}

}  // namespace
}  // namespace kumihimo::mpiio::catwalk
