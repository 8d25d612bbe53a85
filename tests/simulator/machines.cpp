// Files of machines that somebody has damaged, and machines whose constants are drawn.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "base/error.hpp"
#include "tests/simulator/simple.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::simulator {
namespace {

using support::Random;

// ---- What a file says besides what it must ----

std::string shipped(const std::string& name) {
    std::ifstream file(KUMIHIMO_MACHINES "/" + name + ".toml");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string mistake_in(const std::string& text) {
    try {
        machine_of_text(text, "mine.toml");
    } catch (const base::Error& error) {
        return error.what();
    }
    return "";
}

std::string replaced(std::string text, const std::string& old, const std::string& with) {
    const std::size_t place = text.find(old);
    if (place == std::string::npos) throw std::logic_error(old);
    return text.replace(place, old.size(), with);
}

TEST(Files, MayLeaveConstantsOut) {
    const Machine without = machine_of_text(shipped("torus"), "torus.toml");
    EXPECT_EQ(without.time("send_overhead"), without.time("message_overhead"));
    EXPECT_EQ(without.count("ranks_of_node"), 1);
    EXPECT_FALSE(without.gives("barrier_interface"));
    const Machine with = machine_of_text(
        replaced(
            shipped("torus"), "[constants]",
            "interface_choice = \"channel\"\nmessages_to_one_node = \"in turn\"\n[constants]\nreceive_overhead = {value = 0.2, unit = \"us\", kind = "
            "\"assumed\", source = \"test\"}"),
        "torus.toml");
    EXPECT_EQ(with.time("receive_overhead"), 200 * ns);
    EXPECT_EQ(with.time("send_overhead"), 500 * ns);
    EXPECT_EQ(with.interface_choice, InterfaceChoice::channel);
    EXPECT_TRUE(with.in_turn && !without.in_turn);
}

TEST(Files, TellWhatCannotBe) {
    const std::string torus = shipped("torus");
    const auto told = [&](const std::string& old, const std::string& with) { return mistake_in(replaced(torus, old, with)); };
    const auto says = [&](const std::string& old, const std::string& with, const std::string& words) {
        EXPECT_NE(told(old, with).find(words), std::string::npos) << told(old, with);
    };
    says("packet_header = {value = 51", "packet_header = {value = 512",
         "mine.toml:22:17: a 'packet' has no room for bytes beside its 'packet_header'\n  packet_header = {value = 512, ");
    says("[network]", "[+network]", ":2: the head of a table must begin with a key\n  [+network]\n   ^");
    says("[network]", "[network]\n\xe3\x81\x82 = 1", "saw '\xe3\x81\x82'");
    says("interfaces = {value = 10", "interfaces = {value = 1.5", "'interfaces' is 1.5: it must be a whole number");
    says("interfaces = {value = 10", "interfaces = {value = 1e300", "it must be at most 1000000");
    says("message_latency = {value = 0.6", "message_latency = {value = 1e300", "it must be at most 1 s");
    says("link_rate = {value = 2", "link_rate = {value = 1e-300", "it must be 1 MB/s to 1e9 GB/s");
    says("segment = {value = 16", "segment = {value = 1e-5", "it must be a whole number");
    says("{name = \"b\"", "{name = \"a\"", "an axis has a small letter of its own as name");
    says("ring = true", "ring = \"yes\"", "'ring' is true or false");
    says("extent = 2", "extent = 2.0", "'extent' is a whole number");
    says("\"order\"", "\"cycles\"", "ranks are placed along cycles on a torus of six axes");
    says("\"order\"", "\"order\"\ninterface_choice = \"chanel\"", "did you mean 'channel'?");
    says("\"order\"", "\"order\"\nmessages_to_one_node = \"in tern\"", "did you mean 'in turn'?");
    EXPECT_NE(
        mistake_in(replaced(shipped("fat-tree"), "placement =", "routing = \"x\"\nplacement =")).find("unknown key 'routing'"),
        std::string::npos);
}

// ---- Damaged files ----

// Words, quoted texts, and signs.
std::vector<std::string> tokens_of(const std::string& text) {
    std::vector<std::string> tokens;
    const auto of_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || std::string("_+-.").find(c) != std::string::npos;
    };
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i + 1;
        if (text[i] == '"')
            end = std::min(text.find('"', i + 1), text.size() - 1) + 1;
        else if (of_word(text[i]))
            while (end < text.size() && of_word(text[end])) ++end;
        tokens.push_back(text.substr(i, end - i));
        i = end;
    }
    return tokens;
}

const std::vector<std::string> nasty = {"0",
                                        "-1",
                                        "1e308",
                                        "-1e308",
                                        "1e-308",
                                        "nan",
                                        "inf",
                                        "-inf",
                                        "9223372036854775807",
                                        "1.5",
                                        "true",
                                        "false",
                                        "\"\"",
                                        "\"text\"",
                                        "[]",
                                        "{}",
                                        "[[1], [2]]",
                                        "1979-05-27",
                                        "{a = 1}",
                                        "0x7f",
                                        "1000000",
                                        "999999",
                                        "\"us\"",
                                        "\"GiB/s\"",
                                        "\"1\"",
                                        "\"\\u0000\"",
                                        "99999999999999999999",
                                        "\"torus\"",
                                        "\"cycles\"",
                                        "\"valiant\"",
                                        "\n",
                                        "=",
                                        "#",
                                        "value",
                                        "[network]",
                                        "[constants]",
                                        "name",
                                        "kind",
                                        "\xff",
                                        "\t",
                                        "\"\"\"",
                                        "'",
                                        "ranks_of_node = {value = 3, unit = \"1\", kind = \"assumed\", source = \"s\"}"};

// Deletes, duplicates, replaces, moves, nests.
std::string damaged(std::vector<std::string> tokens, Random& random) {
    const auto any = [&] { return static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(tokens.size()) - 1)); };
    const auto at = [&](std::size_t i) { return tokens.begin() + static_cast<std::ptrdiff_t>(i); };
    for (std::int64_t changes = random.between(1, 3); changes > 0 && tokens.size() > 2; --changes) {
        const std::size_t i = any(), j = std::min(tokens.size(), i + static_cast<std::size_t>(random.between(1, 40)));
        const std::vector<std::string> some(at(i), at(j));
        switch (random.between(0, 6)) {
            case 0:
                tokens.erase(at(i));
                break;
            case 1:
                tokens.erase(at(i), at(j));
                break;
            case 2:
                tokens.insert(at(any()), some.begin(), some.end());
                break;
            case 3:
                tokens[i] = nasty[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(nasty.size()) - 1))];
                break;
            case 4:
                std::swap(tokens[i], tokens[any()]);
                break;
            case 5: {
                const bool table = random.one_of(2);
                tokens.insert(at(j), table ? "}" : "]");
                tokens.insert(at(i), table ? "{a = " : "[");
                break;
            }
            case 6:
                if (random.one_of(8)) tokens.resize(i + 1);
                break;
        }
    }
    std::string text;
    for (const std::string& token : tokens) text += token;
    return text;
}

// A small run on what can still be read. Throws base::Error.
void use(const Machine& machine) {
    std::vector<int> extents;
    for (const Axis& axis : machine.axes)
        if (axis.extent == 0) extents.push_back(2);
    const auto network = make_network(machine, 8, machine.network == "torus" ? extents : std::vector<int>());
    if (machine["interfaces"] * network->nodes() + machine["parallel_links"] * network->links() > 1e6) return;
    const int ranks = machine.network == "torus" ? network->nodes() : 8;
    if (ranks > 400) return;
    const std::vector<int> nodes = network->Network::place({ranks});
    run(machine, *network, nodes, Program("Allreduce", "ring", call_of(machine, std::to_string(ranks)), 4000, false),
        Question());
}

// "mine.toml:LINE:COLUMN: words", the line, and a caret under its column.
bool tells_line_and_column(const std::string& told) {
    int line = 0, column = 0, end = 0;
    if (std::sscanf(told.c_str(), "mine.toml:%d:%d: %n", &line, &column, &end) < 2 || line < 1 || column < 1) return false;
    const std::size_t first = told.find('\n'), second = told.find('\n', first + 1), caret = told.size() - 1;
    return end > 0 && static_cast<std::size_t>(end) < first && second < caret && told[caret] == '^' &&
           told.find_first_not_of(' ', second + 1) == caret && caret - second == static_cast<std::size_t>(column) + 2;
}

TEST(Files, DamagedOnesAreRefusedWithLineAndColumn) {
    Random random;
    int refused = 0;
    const int rounds = support::long_form() ? 200'000 : support::rounds(1500);
    std::vector<std::vector<std::string>> files;
    for (const char* const name : {"torus", "fat-tree", "dragonfly", "k-computer"}) files.push_back(tokens_of(shipped(name)));
    for (int round = 0; round < rounds; ++round) {
        const std::string text = damaged(files[static_cast<std::size_t>(round) % files.size()], random);
        std::optional<Machine> machine;
        try {
            machine = machine_of_text(text, "mine.toml");
        } catch (const base::Error& error) {
            ++refused;
            ASSERT_TRUE(tells_line_and_column(error.what())) << error.what() << "\n" << text;
            continue;
        }
        try {
            use(*machine);
        } catch (const base::Error& error) {  // too many links, say
            ASSERT_STRNE(error.what(), "");
        }
    }
    EXPECT_GT(refused, rounds / 2);
    EXPECT_LT(refused, rounds);
}

// 8 and 1000 bytes lie in caches, 2000 no more: there a byte costs twice as much, also one of a piece of 1000 of them.
TEST(Messages, OfALongVectorCostWhatItCosts) {
    Machine machine = simple();
    machine.messages = {{.bytes = 8, .receive = 100, .copy = 10, .reduction = 50},
                        {.bytes = 1008, .receive = 1100, .copy = 510, .reduction = 1050},
                        {.bytes = 2008, .receive = 3100, .copy = 2010, .reduction = 4050}};
    const auto receive = [&](Bytes vector, Bytes piece) { return of_vector(machine, vector).message(piece).receive; };
    for (const Bytes piece : {8, 508, 1008}) EXPECT_EQ(receive(1008, piece), machine.message(piece).receive);
    EXPECT_NEAR(receive(2008, 1008), 1100 + 1000 * 1008 / 2008.0, 1e-6);
    for (const Bytes vector : {8, 508, 1508, 2008, 5000})
        EXPECT_NEAR(receive(vector, vector), machine.message(vector).receive, 1e-6) << vector;
    const Machine whole = of_vector(machine, 2008);
    EXPECT_EQ(whole["copy_overhead"], 10);
    EXPECT_NEAR(whole["copy_overhead"] + 2008 / whole["copy_rate"] * second, 2010, 1e-6);
    EXPECT_NEAR(whole["reduction_overhead"] + 1004 / whole["reduction_rate"] * second, 50 + 2000, 1e-6);
    EXPECT_EQ(of_vector(simple(), 2008)["copy_rate"], simple()["copy_rate"]);
}

// Above 1,008 bytes the library sends in another way, which takes 2000 more; a byte costs what it did, up to 4,008.
TEST(Messages, OfAnotherWayOfSendingAreNoSlowMemory) {
    Machine machine = simple();
    machine.messages = {{.bytes = 8, .receive = 100},
                        {.bytes = 1008, .receive = 1100},
                        {.bytes = 2008, .receive = 4100},
                        {.bytes = 4008, .receive = 6200},
                        {.bytes = 6008, .receive = 10300}};
    const auto receive = [&](Bytes vector, Bytes piece) { return of_vector(machine, vector).message(piece).receive; };
    for (const Bytes vector : {1008, 2008, 4008}) EXPECT_EQ(receive(vector, 1008), 1100) << vector;
    EXPECT_NEAR(receive(6008, 1008), 1100 + (10300 - 6200 - 1.05 * 2000) * 1008 / 6008.0, 1e-6);
}

// ---- Machines that are drawn ----

const char* const kinds[] = {"torus", "fat-tree", "dragonfly"};

Machine drawn(const std::string& kind, Random& random, bool only_rates) {
    Machine machine = simple(kind);
    const auto set = [&](const char* name, std::int64_t low, std::int64_t high, double unit) {
        machine.constants[name].number = static_cast<double>(random.between(low, high)) * unit;
    };
    for (Axis& axis : machine.axes) axis.ring = random.one_of(2);
    if (kind == "dragonfly" && random.one_of(2)) machine.routing = "valiant";
    machine.interface_choice = static_cast<InterfaceChoice>(random.between(0, 2));
    machine.in_turn = random.one_of(2);
    // A byte takes an even number of picoseconds, so that half of them is exact.
    const auto rate = [&](const char* name) {
        machine.constants[name].number = second / (2.0 * static_cast<double>(random.between(100, 5000)));
    };
    for (const char* const name : {"link_rate", "global_rate", "node_rate", "copy_rate", "reduction_rate"}) rate(name);
    if (random.one_of(2)) rate("shared_memory_rate");
    machine.constants["global_links_of_router"].number = 3;
    set("interfaces", 1, 6, 1), set("parallel_links", 1, 3, 1), set("segment", 1, 8, 512);
    set("packet", 100, 3000, 1), set("packet_header", 0, 99, 1);
    for (const char* const time : {"hop_latency", "message_latency", "message_overhead", "interface_gap", "copy_overhead",
                                   "reduction_overhead", "global_latency"})
        set(time, 0, only_rates ? 0 : 2000, ns);
    for (const char* const time : {"send_overhead", "receive_overhead", "interface_setup", "shared_memory_latency"})
        if (!only_rates && random.one_of(2)) set(time, 0, 2000, ns);
    if (!only_rates && random.one_of(2)) set("eager_limit", 0, 5000, 1);
    return machine;
}

struct Drawn {
    std::string shape;
    int ranks_of_node;
    Listed what;
    Bytes bytes;
};

Answer answer(const Machine& machine, const Drawn& one, const std::string& sharing, Least& any) {
    const Call call_without = call_of(machine, one.shape);
    std::vector<int> axes = extents(call_without.torus), of_nodes = axes;
    of_nodes[0] /= one.ranks_of_node;
    const auto network = make_network(machine, call_without.ranks / one.ranks_of_node,
                                      machine.network == "torus" ? of_nodes : std::vector<int>());
    const std::vector<int> nodes = place_ranks(*network, axes, one.ranks_of_node);
    const collectives::Placement placement(nodes);
    Call call = call_without;
    if (one.ranks_of_node > 1) call.placement = &placement;
    const Program program(one.what.operation, one.what.algorithm, call, one.bytes, false);
    any = least(machine, *network, nodes, program);
    Question question;
    question.sharing = sharing;
    return run(machine, *network, nodes, program, question);
}

Drawn drawn_call(Random& random) {
    static const std::vector<Listed> all = programs();
    static const char* const shapes[] = {"8", "12", "4x3", "6x2", "4x2x3", "2x3x2", "6x3x2"};
    return {shapes[random.between(0, 6)], static_cast<int>(random.between(1, 2)),
            all[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(all.size()) - 1))],
            random.between(0, 1) * random.between(0, 20000) + random.between(0, 50)};
}

TEST(DrawnMachines, TakeNoLessThanTheirBounds) {
    Random random;
    int runs = 0;
    for (int round = 0; round < support::rounds(600); ++round) {
        const Machine machine = drawn(kinds[round % 3], random, false);
        const Drawn one = drawn_call(random);
        for (const char* const sharing : {"reservation", "flows"}) try {
                Least any;
                const Answer found = answer(machine, one, sharing, any);
                const std::string name = one.what.operation + " " + one.what.algorithm + " " + one.shape + " " + sharing +
                                         " on a " + machine.network + ", " + std::to_string(one.bytes) + " bytes, round " +
                                         std::to_string(round);
                const Bounds& bounds = found.bounds;
                ++runs;
                // Flows end on whole picoseconds, and so may pieces of one that lies on a bound.
                const Time allowed = sharing == std::string("flows") ? found.messages : 0;
                const std::pair<const char*, Time> least[] = {{"link", bounds.link},
                                                              {"node", bounds.node},
                                                              {"processor", bounds.processor},
                                                              {"chain", bounds.chain},
                                                              {"any way", any.time}};
                for (const auto& [which, bound] : least)
                    ASSERT_GE(found.time + allowed, bound) << which << " " << any.where << " of " << name;
            } catch (const base::Error& error) {
                ASSERT_NE(std::string(error.what()).find("does not suit"), std::string::npos) << error.what();
            }
    }
    EXPECT_GT(runs, support::rounds(600) / 2);
}

TEST(DrawnMachines, TakeHalfTheTimeAtTwiceTheRate) {
    Random random;
    int runs = 0;
    for (int round = 0; round < support::rounds(400); ++round) {
        const Machine machine = drawn(kinds[round % 3], random, true);
        Machine fast = machine;
        for (auto& [name, constant] : fast.constants)
            if (name.ends_with("_rate")) constant.number *= 2;
        const Drawn one = drawn_call(random);
        Least any;
        try {
            const Answer slow = answer(machine, one, "reservation", any), twice = answer(fast, one, "reservation", any);
            ASSERT_EQ(slow.time / 2, twice.time)
                << one.what.operation << " " << one.what.algorithm << " " << one.shape << " round " << round;
            ++runs;
        } catch (const base::Error&) {  // does not suit
        }
    }
    EXPECT_GT(runs, support::rounds(400) / 4);
}

// ---- Valiant's routing ----

TEST(Valiant, GoesByAThirdGroupAndSpreadsWhatGoesToOne) {
    Machine machine = simple("dragonfly");
    machine.constants["global_links_of_router"].number = 3;
    const auto minimal = make_network(machine, 60, {});
    machine.routing = "valiant";
    const auto valiant = make_network(machine, 60, {});
    constexpr int of_group = 6;
    const auto groups_of = [&](const Network& network, int from, int to) {
        std::vector<int> path, groups;
        network.route(from, to, path);
        int here = from;
        for (const int link : path) {
            EXPECT_EQ(network.ends(link).first, here);
            here = network.ends(link).second;
            const int group = here < network.nodes() ? here / of_group : (here - network.nodes()) / 3;
            if (groups.empty() || groups.back() != group) groups.push_back(group);
        }
        EXPECT_EQ(here, to);
        return groups;
    };
    // All of one group to another one: minimal routing has one link for them.
    std::map<int, int> between;
    for (int from = 0; from < of_group; ++from)
        for (int to = 4 * of_group; to < 5 * of_group; ++to) {
            EXPECT_EQ(groups_of(*minimal, from, to), (std::vector<int>{0, 4}));
            const std::vector<int> groups = groups_of(*valiant, from, to);
            ASSERT_EQ(groups.size(), 3U);
            EXPECT_EQ(groups.front(), 0);
            EXPECT_EQ(groups.back(), 4);
            EXPECT_EQ(groups, groups_of(*valiant, from, to));  // always the same
            ++between[groups[1]];
        }
    EXPECT_GE(between.size(), 6U);  // of eight others
    for (const auto& [group, messages] : between) EXPECT_LE(messages, 12) << group;
    // Inside a group nobody leaves it.
    EXPECT_EQ(groups_of(*valiant, 0, 5), (std::vector<int>{0}));
}

// ---- What the constants mean that files may leave out ----

Time time_of(const Machine& machine, const char* operation, const char* algorithm, const char* shape, Bytes bytes) {
    return simulator::answer(machine, operation, algorithm, shape, bytes).time;
}

TEST(Constants, OfEachSideOfAMessage) {
    Machine machine = simple();
    machine.constants["send_overhead"].number = 300 * ns, machine.constants["receive_overhead"].number = 70 * ns;
    EXPECT_EQ(time_of(machine, "PingPong", "", "4", 5000), one_message(5000) - 2000 * ns + 370 * ns);
    machine.constants["interface_setup"].number = 45 * ns;
    EXPECT_EQ(time_of(machine, "PingPong", "", "4", 5000), one_message(5000) - 2000 * ns + 415 * ns);
}

// Three messages of one rank, to as many neighbours: over links of their own, they wait for interfaces only.
TEST(Constants, OfInterfaces) {
    Machine machine = simple();
    machine.constants["message_overhead"].number = 0;
    const auto time = [&](double interfaces, InterfaceChoice choice) {
        machine.constants["interfaces"].number = interfaces, machine.interface_choice = choice;
        return (time_of(machine, "Stencil", "", "3x3x3", 100'000) - 110 * ns) / ns / 100'000;
    };
    EXPECT_EQ(time(6, InterfaceChoice::least_busy), 1);
    EXPECT_EQ(time(6, InterfaceChoice::first_link), 1);
    EXPECT_EQ(time(6, InterfaceChoice::channel), 1);
    EXPECT_EQ(time(4, InterfaceChoice::least_busy), 2);
    // Links 0 and 4, and 1 and 5, share an interface.
    EXPECT_EQ(time(4, InterfaceChoice::first_link), 2);
    EXPECT_EQ(time(1, InterfaceChoice::channel), 6);
}

// Six messages of one rank by one interface, each alone on its link by then.
TEST(Constants, GapsBetweenMessagesOfAnInterface) {
    Machine machine = simple();
    machine.constants["message_overhead"].number = 0;
    machine.constants["interfaces"].number = 1;
    for (const char* const sharing : {"reservation", "flows"}) {
        const auto time = [&](Time gap) {
            machine.constants["interface_gap"].number = static_cast<double>(gap);
            return simulator::answer(machine, "Stencil", "", "3x3x3", 100'000, 1, false, sharing).time - 110 * ns;
        };
        EXPECT_EQ(time(150'000 * ns), (5 * 150'000 + 100'000) * ns) << sharing;
        EXPECT_EQ(time(0), 600'000 * ns) << sharing;
    }
}

// Ranks on these nodes.
Time time_on(const Machine& machine, const std::vector<int>& nodes, const char* operation, Bytes bytes) {
    const Call call = call_of(machine, std::to_string(nodes.size()));
    const auto network = make_network(machine, 12, {});
    return run(machine, *network, nodes, Program(operation, "", call, bytes, false), Question()).time;
}

TEST(Constants, OfLinksBetweenGroupsOfADragonfly) {
    Machine machine = simple("dragonfly");
    EXPECT_EQ(time_on(machine, {0, 6}, "PingPong", 10'000), one_message(10'000, 2) + 30 * ns);
    machine.constants["global_latency"].number = 70 * ns, machine.constants["global_rate"].number = 0.5e9;
    EXPECT_EQ(time_on(machine, {0, 6}, "PingPong", 10'000), one_message(20'000, 2) + 70 * ns);
    EXPECT_EQ(time_on(machine, {0, 1}, "PingPong", 10'000), one_message(10'000, 2));
}

// Switches of two nodes each, from each of which a message goes to each node of the other switch.
TEST(Constants, TaperLeavesOutLinksAbove) {
    Machine machine = simple("fat-tree");
    machine.constants["radix"].number = 4, machine.constants["levels"].number = 4;
    EXPECT_EQ(time_on(machine, {0, 2, 1, 3}, "Sendrecv", 10'000), one_message(10'000, 4));
    machine.constants["taper"].number = 2;
    EXPECT_EQ(time_on(machine, {0, 2, 1, 3}, "Sendrecv", 10'000), one_message(20'000, 4));
    EXPECT_EQ(time_on(machine, {0, 1}, "PingPong", 10'000), one_message(10'000, 2));
}

// Rank 1 copies 10,000 bytes first. The message has come long before.
collectives::Steps receives_late(Call call) {
    const collectives::Span sent{collectives::Buffer::work, 0, 1000}, copied{collectives::Buffer::work, 0, 10'000};
    if (call.rank == 0)
        co_yield collectives::send(1, sent);
    else
        co_yield collectives::receive(0, sent, co_yield collectives::copy(copied, copied));
}

TEST(Constants, EarlyMessagesAreCopiedOnceMore) {
    Machine machine = simple();
    machine.constants["copy_rate"].number = 1e9, machine.constants["copy_overhead"].number = 50 * ns;
    const Call call = call_of(machine, "2");
    const auto network = network_of(machine, call);
    const auto time = [&] { return run(machine, *network, {0, 1}, Program(receives_late, call), Question()).time; };
    EXPECT_EQ(time(), (10'050 + 1050 + 1000) * ns);
    // A long one only leaves when its receive is there.
    machine.constants["eager_limit"].number = 999;
    EXPECT_EQ(time(), (10'050 + 110 + 1000 + 110 + 1000) * ns);
}

TEST(Constants, ParallelLinksCarryAsMuchEach) {
    Machine machine = simple();
    for (Axis& axis : machine.axes) axis.ring = false;
    machine.constants["message_overhead"].number = 0;
    const auto gather = [&](const char* sharing) {
        return simulator::answer(machine, "Gather", "linear", "3", 100'000, 1, false, sharing).time;
    };
    const Time alone = time_of(machine, "PingPong", "", "2", 100'000);
    EXPECT_EQ(gather("reservation"), 200'000 * ns + 110 * ns);  // 2's bytes go over 1's link, and first
    machine.constants["parallel_links"].number = 2;
    EXPECT_EQ(time_of(machine, "PingPong", "", "2", 100'000), alone);
    EXPECT_EQ(gather("reservation"), 100'000 * ns + 120 * ns);
    EXPECT_NEAR(static_cast<double>(gather("flows")), 100'000 * ns + 120 * ns, 1000);
}

Answer on_shared_nodes(const Machine& machine, const char* operation, const char* algorithm, int ranks, int each, Bytes bytes) {
    Least any;
    return answer(machine, {std::to_string(ranks), each, {operation, algorithm, ""}, bytes}, "reservation", any);
}

TEST(Constants, RanksOfANodeShareItsMemory) {
    Machine machine = simple("fat-tree");
    machine.constants["copy_rate"].number = 2e9;
    machine.constants["shared_memory_latency"].number = 40 * ns;
    // Ranks 0 and 1 lie on one node.
    EXPECT_EQ(on_shared_nodes(machine, "PingPong", "", 4, 2, 10'000).time, 2000 * ns + 40 * ns + 5'000 * ns);
    machine.constants["shared_memory_rate"].number = 1e9;
    EXPECT_EQ(on_shared_nodes(machine, "PingPong", "", 4, 2, 10'000).time, 2000 * ns + 40 * ns + 10'000 * ns);
    // Both at once take the memory in turns.
    EXPECT_EQ(on_shared_nodes(machine, "PingPing", "", 4, 2, 10'000).time, 2000 * ns + 40 * ns + 20'000 * ns);
}

TEST(Constants, AlgorithmsInTwoLevelsRunOnSharedNodes) {
    Machine machine = simple("fat-tree");
    machine.constants["shared_memory_rate"].number = 20e9;
    int runs = 0;
    for (const Listed& what : programs()) {
        const bool varying = what.algorithm.ends_with("varying");
        if (!what.algorithm.starts_with("hosts") || varying != what.operation.ends_with("v")) continue;
        EXPECT_THROW(on_shared_nodes(machine, what.operation.c_str(), what.algorithm.c_str(), 16, 1, 512), base::Error);
        EXPECT_GT(on_shared_nodes(machine, what.operation.c_str(), what.algorithm.c_str(), 16, 4, 512).time, 0);
        ++runs;
    }
    EXPECT_GE(runs, 15);
    // A message of each host instead of one of each rank: where an interface takes long to set one up, that is what counts.
    machine.constants["interface_setup"].number = 100'000 * ns, machine.constants["interfaces"].number = 1;
    EXPECT_LT(on_shared_nodes(machine, "Alltoall", "hosts", 32, 4, 64).time,
              on_shared_nodes(machine, "Alltoall", "pairwise", 32, 4, 64).time / 10);
}

// The processor twice, and for each round a signal.
TEST(Constants, BarrierInterfacesPassSignalsOn) {
    Machine machine = simple();
    machine.constants["hop_latency"].number = 0;
    machine.constants["barrier_interface"].number = 300 * ns;
    EXPECT_EQ(time_of(machine, "Barrier", "interfaces", "2x2x2", 0), 2000 * ns + 3 * 300 * ns);
    EXPECT_EQ(time_of(machine, "Barrier", "interfaces", "1", 0), 2000 * ns);
}

// ---- What pairs of ranks send ----

TEST(Pairs, AreThoseOfTheSchedulesAndTellWhoWaits) {
    Machine machine = simple();
    for (Axis& axis : machine.axes) axis.ring = false;
    machine.constants["message_overhead"].number = 0;
    const Call call = call_of(machine, "3");
    const auto network = network_of(machine, call);
    for (const char* const sharing : {"reservation", "flows"}) {
        Question question;
        question.pairs = true, question.calls = 2, question.start = Start::barrier, question.sharing = sharing;
        const Program program("Gather", "linear", call, 10'000, false);
        const Answer found = run(machine, *network, network->place({3, 1, 1}), program, question);
        ASSERT_EQ(found.pairs.size(), 2U) << sharing;  // without the barrier's
        Time waits = 0;
        for (const int from : {1, 2}) {
            const Pair& pair = found.pairs.at({from, 0});
            EXPECT_EQ(pair.messages, 2);
            EXPECT_EQ(pair.bytes, 20'000);
            EXPECT_EQ(pair.alone, 2 * (100 + from * 10 + 10'000) * ns);
            waits += pair.under_way - pair.alone;
        }
        EXPECT_GT(waits, 2 * 9'000 * ns) << sharing;  // they share a link
    }
}

}  // namespace
}  // namespace kumihimo::simulator
