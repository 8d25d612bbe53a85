// kumihimo-simulate: answers questions, a line of JSON for each line of JSON, until its input ends. `kumihimo simulate` asks
// them (simulator/suite/engine.py); docs/explanation/simulator.md tells what they mean.
//   {"ask": "run", "machine": PATH, "operation": "Bcast", "algorithm": "tree3", "shape": "8x6x8", "nodes": "4x2x4", "bytes":
//   1048576}
// More keys of run: set {constant: "0.8 us"}, times {constant: 0.5}, rings ["x"] (axes that are rings here), calls, root
// "first" or "turn", sharing "reservation" or "flows", links (how many of the busiest), start "window", "barrier" or "loop",
// shorten "automatic", "always" or "never", sampled_messages (of an exchange, at most), skew {"uniform_us" or
// "exponential_us"}, noise {"length_us", "interval_us"}, seed, path (the critical path), pairs (what each pair of ranks sent),
// slices (of time, with links' loads). And links_times {name: factor} of links with another rate, failed_nodes and failed_links
// [name], background {"flows": [[from, to, "2 GB/s"]], "draws": [[how many, "2 GB/s", seed]]} (what other jobs send), mapping
// (whose place each rank takes), blocks (of v forms: bytes of each).
//   {"ask": "place", "machine": PATH, "shape": "8x6x8", "nodes": "4x2x4"}: the node of each rank, and the length of segments
//   {"ask": "show", "machine": PATH}, {"ask": "list"}, {"ask": "rates"}: of copies and reductions, on this processor
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.hpp"
#include "base/format.hpp"
#include "simulator/changes.hpp"
#include "simulator/least.hpp"
#include "simulator/run.hpp"

namespace {

using namespace kumihimo::simulator;
using kumihimo::base::Error;
using nlohmann::json;

volatile std::sig_atomic_t interrupted = 0;

std::vector<int> extents(const std::string& text) {
    std::vector<int> found;
    for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
        const std::size_t end = std::min(text.find('x', begin), text.size());
        const std::string part = text.substr(begin, end - begin);
        if (part.empty() || part.size() > 7 || part.find_first_not_of("0123456789") != std::string::npos ||
            std::stoi(part) == 0)
            throw Error("'" + text + "' is no shape: numbers with x between them, as 8x6x8");
        found.push_back(std::stoi(part));
        begin = end + 1;
    }
    return found;
}

json constants(const Machine& machine) {
    json list = json::array();
    for (const auto& [name, one] : machine.constants)
        list.push_back({{"name", name}, {"value", one.value}, {"unit", one.unit}, {"kind", one.kind}, {"source", one.source}});
    for (const auto& [name, otherwise] : left_out(machine))
        list.push_back({{"name", name}, {"value", "-"}, {"unit", "1"}, {"kind", "left out"}, {"source", otherwise}});
    return list;
}

const char* choice_of(const Machine& machine) {
    switch (machine.interface_choice) {
        case InterfaceChoice::first_link:
            return "first link";
        case InterfaceChoice::channel:
            return "channel";
        case InterfaceChoice::least_busy:
            break;
    }
    return "least busy";
}

json sizes(const Machine& machine) {
    json list = json::array();
    for (const OfSize& one : machine.messages)
        list.push_back({{"bytes", one.bytes},
                        {"send_us", one.send / 1e6},
                        {"receive_us", one.receive / 1e6},
                        {"latency_us", one.latency / 1e6},
                        {"rewrite_us", one.rewrite / 1e6},
                        {"fresh_us", one.fresh / 1e6}});
    return list;
}

json show(const Machine& machine) {
    json axes = json::array();
    for (const Axis& axis : machine.axes) axes.push_back({{"name", axis.name}, {"extent", axis.extent}, {"ring", axis.ring}});
    return {{"name", machine.name},
            {"explanation", machine.explanation},
            {"network", machine.network},
            {"axes", axes},
            {"routing", machine.routing},
            {"placement", machine.placement},
            {"failures", machine.detours ? "detour" : "refusal"},
            {"interface_choice", choice_of(machine)},
            {"messages_to_one_node", machine.in_turn ? "in turn" : "together"},
            {"constants", constants(machine)},
            {"messages", sizes(machine)},
            {"messages_source", machine.messages_source}};
}

json list() {
    json found = json::array();
    for (const Listed& one : programs())
        found.push_back({{"operation", one.operation}, {"algorithm", one.algorithm}, {"explanation", one.explanation}});
    return {{"programs", found}};
}

json microseconds(Time time) {
    return static_cast<double>(time) / 1e6;
}

json bound(Time time, const std::string& where) {
    return {{"time_us", microseconds(time)}, {"where", where}};
}

json busiest(const Answer& answer, const Network& network, std::size_t count) {
    std::vector<int> order(answer.link_bytes.size());
    std::iota(order.begin(), order.end(), 0);
    const auto more = [&](int a, int b) {
        const Bytes x = answer.link_bytes[static_cast<std::size_t>(a)], y = answer.link_bytes[static_cast<std::size_t>(b)];
        return x != y ? x > y : a < b;
    };
    count = std::min(count, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(), more);
    json found = json::array();
    for (std::size_t i = 0; i < count && answer.link_bytes[static_cast<std::size_t>(order[i])] > 0; ++i)
        found.push_back({{"link", network.link_name(order[i])},
                         {"number", order[i]},
                         {"bytes", answer.link_bytes[static_cast<std::size_t>(order[i])]},
                         {"busy_us", microseconds(answer.link_busy[static_cast<std::size_t>(order[i])])}});
    return found;
}

json pairs(const Answer& answer) {
    json found = json::array();
    for (const auto& [ranks, pair] : answer.pairs)
        found.push_back(
            {ranks.first, ranks.second, pair.messages, pair.bytes, microseconds(pair.under_way), microseconds(pair.alone)});
    return found;
}

// Rank i takes the place that the machine would give to rank mapping[i].
std::vector<int> mapped(const std::vector<int>& places, const std::vector<int>& mapping) {
    if (mapping.empty()) return places;
    std::vector<int> sorted = mapping;
    std::sort(sorted.begin(), sorted.end());
    bool permutes = sorted.size() == places.size();
    for (std::size_t i = 0; permutes && i < sorted.size(); ++i) permutes = sorted[i] == static_cast<int>(i);
    if (!permutes)
        throw Error(fmt::format("the mapping is none of {} ranks", places.size()), "it names each rank from 0 on once");
    std::vector<int> nodes;
    for (const int rank : mapping) nodes.push_back(places[static_cast<std::size_t>(rank)]);
    return nodes;
}

// ---- What if? ----

// Each of two nodes, drawn.
std::vector<Flow> drawn(const Network& network, int count, double rate, std::uint64_t seed) {
    if (count < 1 || count > 1'000'000 || network.nodes() < 2)
        throw Error("flows are drawn between two nodes or more: 1 to 1000000");
    Random random(seed, 0);
    const auto node = [&](int nodes) { return static_cast<int>(random.uniform() * nodes); };
    std::vector<Flow> flows;
    for (int i = 0; i < count; ++i) {
        const int from = node(network.nodes()), to = node(network.nodes() - 1);
        flows.push_back({from, to + (to >= from), rate});
    }
    return flows;
}

std::unique_ptr<Network> changed(std::unique_ptr<Network> network, const Machine& machine, const Failures& failures,
                                 const json& asked) {
    network = with_rates(with_failures(std::move(network), machine, failures),
                         asked.value("links_times", std::map<std::string, double>{}));
    const json background = asked.value("background", json::object());
    const auto rate = [](const std::string& text) { return number_of(text, Quantity::rate, "--background"); };
    std::vector<Flow> flows;
    for (const json& one : background.value("flows", json::array()))
        flows.push_back({node_named(*network, one.at(0)), node_named(*network, one.at(1)), rate(one.at(2))});
    for (const json& one : background.value("draws", json::array()))
        for (const Flow& flow : drawn(*network, one.at(0), rate(one.at(1)), one.at(2))) flows.push_back(flow);
    return with_background(std::move(network), flows);
}

// A failed node takes its rank with it, and a collective operation needs all of them.
void check_alive(const Program& program, const Network& network, const std::vector<int>& nodes, const std::string& operation) {
    for (int rank = 0; rank < program.ranks(); ++rank)
        if (const int node = nodes[static_cast<std::size_t>(rank)]; network.failed(node) && program.takes_part(rank))
            throw Error(fmt::format("rank {} of {} lies on {}, which failed", rank, operation, network.node_name(node)),
                        "a job gets other nodes then; --fail-link leaves the node in it");
}

double of_network(const Machine& machine, const Network& network) {
    const double link = 16 + 8 * machine["parallel_links"], node = 72 + 8 * machine["interfaces"];
    return link * network.links() + node * network.nodes();
}

// What takes too long or too much memory is refused before it begins. Events and channels take a seventh of what ranks do.
void check_limits(const json& asked, const Program& program, const Machine& machine, const Network& network) {
    if (!asked.contains("memory") && !asked.contains("most_messages")) return;
    const Program::Estimate estimate = program.estimate();
    const double memory = asked.value("memory", 0.0), all = 1.15 * estimate.bytes + of_network(machine, network);
    const auto mebibytes = [](double bytes) { return static_cast<std::int64_t>(std::ceil(bytes / (1 << 20))); };
    if (memory > 0 && all > memory)
        throw Error(
            fmt::format("the simulation takes about {} MiB of memory, more than {} MiB", mebibytes(all), mebibytes(memory)),
            fmt::format("about {} of its {} ranks fit; larger segments or less work space take less, --memory gives it more",
                        static_cast<std::int64_t>(program.ranks() * memory / all), program.ranks()));
    if (asked.contains("most_messages") && estimate.messages > asked["most_messages"].get<double>())
        throw Error(fmt::format("about {:.0f} million messages are too many", estimate.messages / 1e6));
}

constexpr const char* kinds_of_steps[] = {"prepares", "message", "takes", "reduces", "copies", "leaves", "works"};

json path(const Answer& answer) {
    json list = json::array();
    for (const PathStep& step : answer.path)
        list.push_back({kinds_of_steps[static_cast<int>(step.kind)], step.rank, step.peer, step.bytes, microseconds(step.begin),
                        microseconds(step.end), microseconds(step.waits)});
    return list;
}

// Of each link in turn a hexadecimal digit for each slice in use: 0 idle, f busy all the time.
json timeline(const Answer& answer, const Network& network, Time end) {
    const Timeline& timeline = answer.timeline;
    const int used = std::min<int>(timeline.slices(), static_cast<int>((end + timeline.length() - 1) / timeline.length()));
    std::string loads;
    loads.reserve(static_cast<std::size_t>(network.links()) * static_cast<std::size_t>(used));
    for (int link = 0; link < network.links(); ++link)
        for (int slice = 0; slice < used; ++slice) {
            const int level = static_cast<int>(std::ceil(15 * timeline.share(link, slice) - 1e-6));
            loads += "0123456789abcdef"[std::clamp(level, 0, 15)];
        }
    return {{"slices", used}, {"slice_us", microseconds(timeline.length())}, {"loads", loads}};
}

template <typename Value>
Value one_of(const json& asked, const char* key, const std::map<std::string, Value>& values, Value otherwise) {
    if (!asked.contains(key)) return otherwise;
    const std::string word = asked[key];
    const auto found = values.find(word);
    if (found == values.end()) throw Error(fmt::format("there is no {} '{}'", key, word));
    return found->second;
}

Time time_of(const json& asked, const char* key) {
    const double microseconds = asked.value(key, 0.0);
    if (!(microseconds >= 0) || !(microseconds < 1e9)) throw Error(fmt::format("{} cannot be {}", key, microseconds));
    return static_cast<Time>(microseconds * 1e6 + 0.5);
}

Question question_of(const json& asked) {
    Question question;
    question.calls = asked.value("calls", 1);
    if (question.calls < 1) throw Error("calls must be 1 or more");
    question.sharing = asked.value("sharing", question.sharing);
    question.start = one_of<Start>(
        asked, "start", {{"window", Start::window}, {"barrier", Start::barrier}, {"loop", Start::loop}}, Start::loop);
    question.shorten = one_of<Shorten>(
        asked, "shorten", {{"automatic", Shorten::automatic}, {"always", Shorten::always}, {"never", Shorten::never}},
        Shorten::automatic);
    question.sampled = asked.value("sampled_messages", question.sampled);
    if (question.sampled < 1) throw Error("sampled_messages must be 1 or more");
    const json skew = asked.value("skew", json::object()), noise = asked.value("noise", json::object());
    question.skew = {time_of(skew, "uniform_us"), time_of(skew, "exponential_us")};
    question.noise = {time_of(noise, "length_us"), time_of(noise, "interval_us")};
    if (question.noise.any() && question.noise.interval <= question.noise.length)
        throw Error("a processor gets nothing done whose interruptions are longer than the time between them");
    question.seed = asked.value("seed", std::uint64_t{1});
    question.path = asked.value("path", false);
    question.pairs = asked.value("pairs", false);
    question.slices = asked.value("slices", 0);
    if (question.slices < 0 || question.slices > 64 || question.slices % 2) throw Error("slices are an even number up to 64");
    question.interrupted = [] { return interrupted != 0; };
    return question;
}

std::vector<int> shape_of(const json& asked) {
    std::vector<int> shape = extents(asked.at("shape"));
    if (shape.empty() || shape.size() > 3) throw Error("a shape has one to three axes");
    return shape;
}

int ranks_of(const std::vector<int>& shape) {
    return checked_size(std::accumulate(shape.begin(), shape.end(), 1.0, std::multiplies<>()), "ranks");
}

// As its file says of such a vector, and with what the question changes.
Machine machine_of(const json& asked) {
    Machine machine = of_vector(read_machine(asked.at("machine")), asked.value("bytes", Bytes{0}));
    const std::map<std::string, std::string> set = asked.value("set", std::map<std::string, std::string>{});
    for (const auto& [name, value] : set) machine.set(name, value);
    const std::map<std::string, double> all_times = asked.value("times", std::map<std::string, double>{});
    for (const auto& [name, times] : all_times) machine.multiply(name, times);
    const std::vector<std::string> rings = asked.value("rings", std::vector<std::string>{});
    for (const std::string& name : rings) {
        const auto axis = std::ranges::find(machine.axes, name, &Axis::name);
        if (axis == machine.axes.end()) throw Error("there is no axis '" + name + "'", "--ring makes axes of a torus rings");
        axis->ring = true;
    }
    machine.check();
    return machine;
}

int nodes_for(int ranks, const Machine& machine) {
    const int each = machine.count("ranks_of_node");
    return (ranks + each - 1) / each;
}

json place(const json& asked) {
    const Machine machine = machine_of(asked);
    const std::vector<int> shape = shape_of(asked);
    const auto network = make_network(machine, nodes_for(ranks_of(shape), machine), extents(asked.value("nodes", "")));
    return {{"nodes", place_ranks(*network, shape, machine.count("ranks_of_node"))}, {"segment", machine.size("segment")}};
}

json run(const json& asked) {
    const Machine machine = machine_of(asked);
    const std::vector<int> shape = shape_of(asked);
    const int ranks = ranks_of(shape), of_node = machine.count("ranks_of_node");
    const Failures failures{asked.value("failed_nodes", std::vector<std::string>{}),
                            asked.value("failed_links", std::vector<std::string>{})};
    const int needed = nodes_for(ranks, machine) + static_cast<int>(failures.nodes.size());
    const std::unique_ptr<Network> network =
        changed(make_network(machine, needed, extents(asked.value("nodes", ""))), machine, failures, asked);
    const std::vector<int> nodes = mapped(place_ranks(*network, shape, of_node), asked.value("mapping", std::vector<int>{}));
    const kumihimo::collectives::Placement placement(nodes);

    kumihimo::collectives::Call call;
    for (std::size_t i = 0; i < shape.size(); ++i) call.torus.extents[i] = shape[i];
    call.ranks = ranks;
    call.segment_bytes = machine.size("segment");
    call.work_limit = machine.size("work_space");
    call.element_bytes = asked.value("element", 4);
    if (of_node > 1) call.placement = &placement;
    Program program(asked.at("operation"), asked.value("algorithm", ""), call, asked.at("bytes"),
                    asked.value("root", "first") == "turn", asked.value("blocks", std::vector<Bytes>{}));
    const std::size_t ahead = asked.value("ahead", std::size_t{0});
    program.set_ahead(ahead > 0 ? ahead : static_cast<std::size_t>(machine["look_ahead"]));
    if (program.of_interfaces() && !machine.gives("barrier_interface"))
        throw Error("Barrier by interfaces does not suit this call",
                    machine.name + " has no barrier interface: --set barrier_interface='0.3 us' gives it one");
    check_alive(program, *network, nodes, asked.at("operation"));
    check_limits(asked, program, machine, *network);
    const Question question = question_of(asked);
    const Answer answer = run(machine, *network, nodes, program, question);
    const Bounds& bounds = answer.bounds;
    const Least any = least(machine, *network, nodes, program);
    json told = {{"time_us", microseconds(answer.time)},
                 {"fastest_us", microseconds(answer.fastest)},
                 {"simulated", answer.simulated},
                 {"interval_us", microseconds(answer.interval)},
                 {"messages", answer.messages},
                 {"steps", answer.steps},
                 {"bounds",
                  {{"link", bound(bounds.link, bounds.link > 0 ? network->link_name(bounds.busiest_link) : "")},
                   {"node", bound(bounds.node, network->node_name(bounds.busiest_node))},
                   {"processor", bound(bounds.processor, std::to_string(bounds.busiest_processor))}}},
                 {"any", bound(any.time, any.where)},
                 {"links", busiest(answer, *network, asked.value("links", std::size_t{0}))}};
    if (answer.simulated == 1 && question.start != Start::barrier)
        told["bounds"]["chain"] = bound(bounds.chain, fmt::format("to rank {}", bounds.end_of_chain));
    if (asked.value("path", false)) told["path"] = path(answer);
    if (question.pairs) told["pairs"] = pairs(answer);
    if (asked.value("slices", 0) > 0)
        told["timeline"] = timeline(answer, *network, answer.time * question.calls * program.rounds());
    return told;
}

// The median of some rounds, in GB/s.
template <typename Work>
double rate_of(std::size_t bytes, Work&& work) {
    constexpr int rounds = 51;
    std::array<double, rounds> seconds{};
    for (double& one : seconds) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        one = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    std::nth_element(seconds.begin(), seconds.begin() + rounds / 2, seconds.end());
    return static_cast<double>(bytes) / seconds[rounds / 2] / 1e9;
}

json rates() {
    // More than the caches of one processor hold, since another one wrote what a message brings.
    constexpr std::size_t bytes = 1 << 20, floats = bytes / sizeof(float), turns = 4;
    std::vector<float> from(turns * floats, 1), to(turns * floats, 1);
    std::size_t turn = 0;
    volatile float seen = 0;
    const double copies = rate_of(bytes, [&] {
        turn = (turn + 1) % turns;
        std::memcpy(to.data() + turn * floats, from.data() + turn * floats, bytes);
        seen = to[turn * floats];
    });
    const double reductions = rate_of(bytes, [&] {
        turn = (turn + 1) % turns;
        for (std::size_t i = turn * floats; i < (turn + 1) * floats; ++i) to[i] += from[i];
        seen = to[turn * floats];
    });
    return {{"copy_gb_s", copies}, {"reduction_gb_s", reductions}};
}

json answer(const std::string& line) {
    try {
        const json asked = json::parse(line);
        const std::string what = asked.at("ask");
        if (what == "list") return list();
        if (what == "rates") return rates();
        if (what == "show") return show(read_machine(asked.at("machine")));
        if (what == "place") return place(asked);
        if (what == "run") return run(asked);
        return {{"error", "nobody asks '" + what + "'"}};
    } catch (const Error& error) {
        return {{"error", error.what()}, {"advice", error.advice()}};
    } catch (const json::exception& error) {
        return {{"error", std::string("the question is no JSON that is understood: ") + error.what()}};
    } catch (const std::bad_alloc&) {
        return {{"error", "out of memory"}, {"advice", "fewer ranks, larger segments or less work space take less"}};
    }
}

}  // namespace

int main() {
    std::signal(SIGINT, [](int) { interrupted = 1; });
    for (std::string line; std::getline(std::cin, line);) std::cout << answer(line) << std::endl;
    return 0;
}
