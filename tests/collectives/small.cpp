// Every algorithm on every small number of ranks and every small torus and mesh, from every root, in all forms of the call; and
// random larger ones (KUMIHIMO_TEST_SEED repeats a run).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>

#include "collectives/trees.hpp"
#include "tests/collectives/cases.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::collectives::test {
namespace {

// All forms of the call on a network, from one root. Returns in how many the algorithm could be used.
int prove_forms(const Algorithm& algorithm, const Torus& torus, int root, std::initializer_list<Bytes> sizes,
                const std::vector<int>& hosts = {}, Bytes work_limit = 1 << 20) {
    int proved = 0;
    for (const Bytes bytes : sizes)
        for (const Bytes element : {1, 3})
            for (const bool varying : {false, true})
                for (const bool commutative : {true, false})
                    for (const bool in_place : {false, true}) {
                        Setting setting{algorithm.operation, torus, root, bytes, element, varying, commutative, in_place};
                        setting.seed = static_cast<unsigned>(root + bytes);
                        setting.hosts = hosts;
                        setting.work_limit = work_limit;
                        setting.bytes = bytes / element * element;
                        if (possible(setting)) proved += prove(algorithm, setting);
                    }
    return proved;
}

// Shapes with at least two axes, of tori, meshes and what is between.
std::vector<Torus> small_networks(int most_ranks) {
    std::vector<Torus> networks;
    for (int x = 1; x <= 5; ++x)
        for (int y = 1; y <= 5; ++y)
            for (int z = 1; z <= 3; ++z)
                for (int wraps = 0; wraps < 8; ++wraps) {
                    const Torus torus{{x, y, z}, {(wraps & 1) != 0, (wraps & 2) != 0, (wraps & 4) != 0}};
                    bool distinct = torus.axes() >= 2 && torus.ranks() <= most_ranks;
                    for (int axis = 0; axis < most_axes; ++axis)  // axes of one node either way: only once
                        distinct = distinct && (torus.extents[axis] > 1 || torus.wraps[axis]);
                    if (distinct) networks.push_back(torus);
                }
    return networks;
}

// Whether the schedule depends on the network's shape.
bool of_torus(const Algorithm& algorithm) {
    const std::string_view name = algorithm.name;
    return name == "axes" || name == "torus" || name.starts_with("tree") || name.starts_with("rings");
}

// Whether it asks which ranks share a host.
bool in_levels(const Algorithm& algorithm) {
    return std::string_view(algorithm.name).starts_with("hosts");
}

// Hosts of so many ranks each, one after the other or in turns.
std::vector<int> hosts_of(const std::vector<int>& sizes, bool in_turns) {
    std::vector<int> hosts, left = sizes;
    for (int round = 0; in_turns && round < *std::max_element(sizes.begin(), sizes.end()); ++round)
        for (std::size_t host = 0; host < sizes.size(); ++host)
            if (round < sizes[host]) hosts.push_back(static_cast<int>(host));
    for (std::size_t host = 0; !in_turns && host < sizes.size(); ++host)
        hosts.insert(hosts.end(), sizes[host], static_cast<int>(host));
    return hosts;
}

// Larger networks are proved without sanitizers only (MOST_RANKS: CMakeLists.txt).
bool within_reach(const Torus& torus) {
    return MOST_RANKS >= 17 || torus.ranks() <= 4 * MOST_RANKS;
}

class Schedules : public testing::TestWithParam<int> {
protected:
    const Algorithm& algorithm() const { return algorithms()[static_cast<std::size_t>(GetParam())]; }
};

// Of more than nine ranks the short form takes 12 and 13, and a power of two with what follows it: 16 and 17.
bool is_proved(int ranks) {
    return ranks <= 9 || support::long_form() || ranks % 4 < 2;
}

TEST_P(Schedules, AllSmallNumbersOfRanks) {
    for (int ranks = 1; ranks <= MOST_RANKS; ++ranks) {
        if (!is_proved(ranks)) continue;
        for (int root = 0; root < ranks; ++root) {
            prove_forms(algorithm(), Torus::line(ranks), root, {0, 1, 13});
            ASSERT_FALSE(HasFailure());
        }
    }
}

TEST_P(Schedules, AllSmallNetworks) {
    if (!of_torus(algorithm())) return;
    int proved = 0;
    for (const Torus& torus : small_networks(MOST_RANKS * 2 / 3))
        for (int root = 0; root < torus.ranks(); ++root) {
            proved += prove_forms(algorithm(), torus, root, {0, 7});
            ASSERT_FALSE(HasFailure());
        }
    for (const Torus& torus : {Torus{{3, 3, 3}}, Torus{{4, 3, 2}}, Torus{{5, 4, 3}}, Torus{{5, 4, 3}, {false, true, false}}})
        for (int root = 0; within_reach(torus) && root < torus.ranks(); root += 17) {
            proved += prove_forms(algorithm(), torus, root, {0, 30});
            ASSERT_FALSE(HasFailure());
        }
    EXPECT_GT(proved, 0);
}

// Hosts of one size and of several, whose ranks follow each other or are dealt out. With little work space some blocks that
// differ in size are too long to travel with others.
TEST_P(Schedules, AllSmallHosts) {
    if (!in_levels(algorithm())) return;
    int proved = 0;
    for (const std::vector<int>& sizes : std::vector<std::vector<int>>{
             {1, 1}, {2}, {2, 1}, {1, 2}, {2, 2}, {2, 1, 1}, {1, 3, 2}, {3, 3}, {2, 2, 2, 2}, {4, 4}, {5, 1, 3}, {3, 3, 3}})
        for (const bool in_turns : {false, true}) {
            const std::vector<int> hosts = hosts_of(sizes, in_turns);
            const int ranks = static_cast<int>(hosts.size());
            for (int root = 0; ranks <= MOST_RANKS && root < ranks; ++root) {
                int forms = prove_forms(algorithm(), Torus::line(ranks), root, {0, 1, 13}, hosts);
                for (const Bytes work : {Bytes{30}, Bytes{200}})
                    if (algorithm().asks_sizes) forms += prove_forms(algorithm(), Torus::line(ranks), root, {13}, hosts, work);
                ASSERT_FALSE(HasFailure());
                if (sizes.size() == 1 || ranks == static_cast<int>(sizes.size())) {
                    EXPECT_EQ(forms, 0);
                }
                proved += forms;
            }
        }
    EXPECT_GT(proved, 0);
}

// Long pipelines, little work space (down to what is needed at all), blocks longer and shorter than segments.
TEST_P(Schedules, Random) {
    std::mt19937 random(static_cast<unsigned>(support::seed_of_run()));
    const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
    int proved = 0;
    for (int round = 0; round < 9 * MOST_RANKS; ++round) {
        Setting setting;
        setting.operation = algorithm().operation;
        setting.torus.extents =
            below(4) == 0 ? Coordinates{1 + below(40), 1, 1} : Coordinates{1 + below(5), 1 + below(4), 1 + below(4)};
        for (bool& wraps : setting.torus.wraps) wraps = below(4) != 0;
        setting.root = below(static_cast<unsigned>(setting.torus.ranks()));
        setting.element_bytes = 1 + below(4);
        setting.bytes = setting.element_bytes * below(60);
        setting.varying = below(2) == 0;
        setting.commutative = below(3) != 0;
        setting.in_place = below(3) == 0;
        setting.segment_bytes = 1 + below(20);
        setting.work_limit = below(2) == 0 ? 8 + below(64) : 1 << 20;
        setting.seed = random();
        for (int rank = 0; in_levels(algorithm()) && rank < setting.torus.ranks(); ++rank) setting.hosts.push_back(below(4));
        if (!possible(setting) || !within_reach(setting.torus)) continue;
        proved += prove(algorithm(), setting);
        ASSERT_FALSE(HasFailure());
    }
    RecordProperty("proved", proved);
}

std::string schedule_name(const testing::TestParamInfo<int>& info) {
    const Algorithm& algorithm = algorithms()[static_cast<std::size_t>(info.param)];
    return std::string(name_of(algorithm.operation)) + "_" + algorithm.name;
}

INSTANTIATE_TEST_SUITE_P(All, Schedules, testing::Range(0, static_cast<int>(algorithms().size())), schedule_name);

}  // namespace
}  // namespace kumihimo::collectives::test
