#include "simulator/machine.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/spelling.hpp"
#include "base/toml.hpp"

namespace kumihimo::simulator {

namespace {

struct Known {
    Quantity quantity;
    bool may_be_zero;
};
using AllKnown = std::map<std::string, Known>;

// Every constant that a file must give; then those that only one kind of network has.
const AllKnown common = {
    {"link_rate", {Quantity::rate, false}},       {"hop_latency", {Quantity::time, true}},
    {"message_latency", {Quantity::time, true}},  {"packet", {Quantity::size, false}},
    {"packet_header", {Quantity::size, true}},    {"interfaces", {Quantity::count, false}},
    {"interface_gap", {Quantity::time, true}},    {"node_rate", {Quantity::rate, false}},
    {"message_overhead", {Quantity::time, true}}, {"eager_limit", {Quantity::size, true}},
    {"copy_rate", {Quantity::rate, false}},       {"copy_overhead", {Quantity::time, true}},
    {"reduction_rate", {Quantity::rate, false}},  {"reduction_overhead", {Quantity::time, true}},
    {"segment", {Quantity::size, false}},         {"work_space", {Quantity::size, false}},
};
const std::map<std::string, AllKnown> special = {
    {"torus", {}},
    {"fat-tree",
     {{"radix", {Quantity::count, false}}, {"levels", {Quantity::count, false}}, {"taper", {Quantity::count, false}}}},
    {"dragonfly",
     {{"routers_of_group", {Quantity::count, false}},
      {"nodes_of_router", {Quantity::count, false}},
      {"global_links_of_router", {Quantity::count, false}},
      {"global_rate", {Quantity::rate, false}},
      {"global_latency", {Quantity::time, true}}}},
};
// Constants that a file may leave out: they are as another one then, or a number.
struct Optional {
    Known known;
    std::string as;
    double number;
    std::string words;
};
const std::map<std::string, Optional> optional = {
    {"send_overhead", {{Quantity::time, true}, "message_overhead", 0, "as message_overhead"}},
    {"receive_overhead", {{Quantity::time, true}, "message_overhead", 0, "as message_overhead"}},
    {"interface_setup", {{Quantity::time, true}, "", 0, "then 0 us"}},
    {"look_ahead", {{Quantity::count, false}, "", 0, "as many steps as the algorithm asks for"}},
    {"parallel_links", {{Quantity::count, false}, "", 1, "then 1"}},
    {"ranks_of_node", {{Quantity::count, false}, "", 1, "then 1"}},
    {"shared_memory_rate", {{Quantity::rate, false}, "copy_rate", 0, "as copy_rate, each message by itself"}},
    {"shared_memory_latency", {{Quantity::time, true}, "", 0, "then 0 us"}},
    {"barrier_interface", {{Quantity::time, true}, "", 0, "there is none"}},
};
const std::map<Quantity, std::map<std::string, double>> units = {
    {Quantity::rate, {{"B/s", 1}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"MiB/s", 1 << 20}, {"GiB/s", 1 << 30}}},
    {Quantity::time, {{"s", second}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"ps", 1}}},
    {Quantity::size, {{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}},
    {Quantity::count, {{"1", 1}}},
};
const std::vector<std::string> kinds = {"published", "paper", "measured", "fitted", "assumed"};
// In Constant::number's units. Wider ones mean nothing, and times would not fit into picoseconds.
struct Limits {
    double least, most;
    const char* words;
};
const std::map<Quantity, Limits> limits = {
    {Quantity::rate, {1e6, 1e18, "1 MB/s to 1e9 GB/s"}},
    {Quantity::time, {0, 1e12, "at most 1 s"}},
    {Quantity::size, {0, 1LL << 50, "at most 1048576 GiB"}},
    {Quantity::count, {0, 1e6, "at most 1000000"}},
};
constexpr double most_of_size = 1e9;  // bytes or microseconds
// What is wrong with a number; empty: nothing.
std::string wrong(double number, const Known& what) {
    if (!std::isfinite(number) || number < 0 || (number == 0 && !what.may_be_zero))
        return fmt::format("it must be {}finite", what.may_be_zero ? "zero or more, and " : "more than zero, and ");
    const Limits& limit = limits.at(what.quantity);
    if (number < limit.least || number > limit.most) return fmt::format("it must be {}", limit.words);
    const bool whole = what.quantity == Quantity::count || what.quantity == Quantity::size;
    return whole && number != std::floor(number) ? "it must be a whole number" : "";
}
const std::map<std::string, InterfaceChoice> interface_choices = {{"least busy", InterfaceChoice::least_busy},
                                                                  {"first link", InterfaceChoice::first_link},
                                                                  {"channel", InterfaceChoice::channel}};

std::string joined(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, ", "));
}

template <typename Map>
std::vector<std::string> names(const Map& map) {
    std::vector<std::string> found;
    for (const auto& [name, value] : map) found.push_back(name);
    return found;
}

AllKnown known_of(const std::string& network) {
    AllKnown known = common;
    known.insert(special.at(network).begin(), special.at(network).end());
    for (const auto& [name, one] : optional) known.emplace(name, one.known);
    return known;
}

std::string meant(const std::string& word, const std::vector<std::string>& candidates) {
    const std::string found = base::nearest(word, candidates);
    return found.empty() ? "there are: " + joined(candidates) : "did you mean '" + found + "'?";
}

// Reads one file; its errors say where.
class Reader {
public:
    Reader(std::string text, std::string path) : path_(std::move(path)), text_(std::move(text)) {}

    Machine machine() {
        toml::table table;
        try {
            table = base::parse_toml(text_, path_);
        } catch (const toml::parse_error& error) {
            fail(std::string(error.description()), error.source());
        }
        Machine found;
        only(table, {"name", "explanation", "network", "constants", "messages"});
        found.name = word(table, "name");
        found.explanation = word(table, "explanation");
        network(section(table, "network"), found);
        constants(section(table, "constants"), found);
        if (table.contains("messages")) messages(section(table, "messages"), found);
        return found;
    }

private:
    void network(const toml::table& table, Machine& found) {
        std::vector<std::string> keys{"kind", "placement", "failures", "interface_choice", "messages_to_one_node"};
        found.network = one_of(table, "kind", names(special));
        if (found.network != "fat-tree") keys.emplace_back("routing");
        if (found.network == "torus") keys.emplace_back("axes");
        only(table, keys);
        found.placement = one_of(table, "placement", {"cycles", "order"});
        found.detours = table.contains("failures") && one_of(table, "failures", {"detour", "refusal"}) == "detour";
        if (table.contains("interface_choice"))
            found.interface_choice = interface_choices.at(one_of(table, "interface_choice", names(interface_choices)));
        found.in_turn = table.contains("messages_to_one_node") &&
                        one_of(table, "messages_to_one_node", {"in turn", "together"}) == "in turn";
        if (found.network == "torus") axes(table, found);
        if (found.network == "dragonfly") found.routing = one_of(table, "routing", {"minimal", "valiant"});
        if (found.placement == "cycles" && found.axes.size() != 6)
            fail("ranks are placed along cycles on a torus of six axes; take placement = \"order\"", place(table, "placement"));
    }

    void axes(const toml::table& table, Machine& found) {
        const toml::array* const list = table["axes"].as_array();
        if (list == nullptr || list->empty() || list->size() > 8)
            fail("a torus has axes: a list of 1 to 8", place(table, "axes"));
        std::string all;
        for (const toml::node& node : *list) {
            const toml::table* const axis = node.as_table();
            if (axis == nullptr) fail("an axis is a table: {name = \"x\", ring = true}", node.source());
            only(*axis, {"name", "extent", "ring"});
            const std::string name = word(*axis, "name");
            if (name.size() != 1 || name[0] < 'a' || name[0] > 'z' || all.find(name) != std::string::npos)
                fail("an axis has a small letter of its own as name", place(*axis, "name"));
            all += name;
            const auto extent = value_or<std::int64_t>(*axis, "extent", 0, "a whole number");
            if (extent < 0 || extent > 1'000'000)
                fail("an axis has 1 to 1000000 nodes; leave its extent out where the job decides", place(*axis, "extent"));
            found.axes.push_back({name, static_cast<int>(extent), value_or(*axis, "ring", true, "true or false")});
        }
        found.routing = word(table, "routing");
        std::string sorted = found.routing;
        std::sort(sorted.begin(), sorted.end());
        std::sort(all.begin(), all.end());
        if (sorted != all) fail("routing names each axis once, in the order of a message's way", place(table, "routing"));
    }

    void constants(const toml::table& table, Machine& found) {
        const AllKnown known = known_of(found.network);
        only(table, names(known));
        for (const auto& [name, what] : known) {
            if (optional.contains(name) && !table.contains(name)) continue;
            const toml::table* const one = table[name].as_table();
            if (one == nullptr) fail("the constant '" + name + "' is missing: value, unit, kind, source", place(table, name));
            only(*one, {"value", "unit", "kind", "source"});
            const auto value = (*one)["value"].value<double>();
            if (!value) fail("'" + name + "' has no number as value", place(*one, "value"));
            Constant constant{fmt::format("{:g}", *value), word(*one, "unit"), one_of(*one, "kind", kinds),
                              word(*one, "source"), 0};
            constant.number = number(name, what, *value, constant.unit, *one);
            found.constants[name] = constant;
        }
        try {
            found.check();
        } catch (const base::Error& error) {
            fail(error.what(), place(table, "packet_header"));
        }
    }

    void messages(const toml::table& table, Machine& found) {
        only(table, {"kind", "source", "sizes"});
        one_of(table, "kind", kinds);
        found.messages_source = word(table, "source");
        const toml::array* const list = table["sizes"].as_array();
        if (list == nullptr || list->size() < 2) fail("messages have a list of two sizes or more", place(table, "sizes"));
        for (const toml::node& node : *list) {
            const toml::table* const one = node.as_table();
            if (one == nullptr)
                fail("a size is a table: {bytes = 8, send_us = 0.1, receive_us = 0.2, latency_us = 0.3}", node.source());
            only(*one, {"bytes", "send_us", "receive_us", "latency_us", "rewrite_us", "fresh_us", "copy_us", "reduction_us"});
            const auto value = [&](const char* name, bool needed = true) {
                if (!needed && !one->contains(name)) return 0.0;
                const auto given = (*one)[name].value<double>();
                if (!given || !std::isfinite(*given) || *given < 0 || *given > most_of_size)
                    fail(std::string("'") + name + "' is missing, or no number from 0 to 1e9", place(*one, name));
                return *given;
            };
            found.messages.push_back({.bytes = value("bytes"),
                                      .send = 1e6 * value("send_us"),
                                      .receive = 1e6 * value("receive_us"),
                                      .latency = 1e6 * value("latency_us"),
                                      .rewrite = 1e6 * value("rewrite_us", false),
                                      .fresh = 1e6 * value("fresh_us", false),
                                      .copy = 1e6 * value("copy_us", false),
                                      .reduction = 1e6 * value("reduction_us", false)});
            if (found.messages.size() > 1 && found.messages.back().bytes <= (found.messages.end() - 2)->bytes)
                fail("sizes of messages ascend", one->source());
        }
    }

    double number(const std::string& name, const Known& what, double value, const std::string& unit, const toml::table& one) {
        const auto& allowed = units.at(what.quantity);
        if (!allowed.contains(unit))
            fail("'" + name + "' is not in '" + unit + "': " + joined(names(allowed)), place(one, "unit"));
        const double number = value * allowed.at(unit);
        if (const std::string mistake = wrong(number, what); !mistake.empty())
            fail(fmt::format("'{}' is {}: {}", name, value, mistake), place(one, "value"));
        return number;
    }

    const toml::table& section(const toml::table& table, const std::string& name) {
        const toml::table* const found = table[name].as_table();
        if (found == nullptr) fail("the section [" + name + "] is missing", place(table, name));
        return *found;
    }
    std::string word(const toml::table& table, const std::string& name) {
        const auto found = table[name].value<std::string>();
        if (!found || found->empty()) fail("'" + name + "' is missing, or no text", place(table, name));
        return *found;
    }
    template <typename Value>
    Value value_or(const toml::table& table, const std::string& name, Value otherwise, const char* what) {
        if (!table.contains(name)) return otherwise;
        const auto found = table[name].value_exact<Value>();
        if (!found) fail("'" + name + "' is " + what, place(table, name));
        return *found;
    }
    std::string one_of(const toml::table& table, const std::string& name, const std::vector<std::string>& choices) {
        const std::string found = word(table, name);
        if (std::find(choices.begin(), choices.end(), found) == choices.end())
            fail("there is no " + name + " '" + found + "'; " + meant(found, choices), place(table, name));
        return found;
    }
    // Where a value is; where its table is, if there is none.
    static toml::source_region place(const toml::table& table, const std::string& name) {
        const toml::node* const node = table.get(name);
        return node == nullptr ? table.source() : node->source();
    }
    void only(const toml::table& table, const std::vector<std::string>& known) {
        for (const auto& [key, node] : table)
            if (const std::string name(key.str()); std::find(known.begin(), known.end(), name) == known.end())
                fail("unknown key '" + name + "'; " + meant(name, known), key.source());
    }

    // kumihimo: PATH:LINE:COLUMN: what, and the line with a caret below the place.
    [[noreturn]] void fail(const std::string& what, const toml::source_region& place) const {
        std::istringstream lines(text_);
        std::string line;
        for (toml::source_index i = 0; i < place.begin.line; ++i) std::getline(lines, line);
        const std::size_t column = place.begin.column;
        const std::string told = fmt::format("{}\n  {}\n  {:>{}}", printable(what), printable(line), "^", column);
        throw base::Error(fmt::format("{}:{}:{}: {}", path_, place.begin.line, column, told));
    }
    static std::string printable(std::string words) {
        std::ranges::replace_if(
            words, [](unsigned char one) { return one < ' ' || one == 0x7f; }, '?');
        return words;
    }

    std::string path_, text_;
};

}  // namespace

double Machine::operator[](const std::string& constant) const {
    if (const auto found = constants.find(constant); found != constants.end()) return found->second.number;
    const Optional& one = optional.at(constant);
    return one.as.empty() ? one.number : (*this)[one.as];
}

void Machine::check() const {
    if ((*this)["packet_header"] >= (*this)["packet"])
        throw base::Error("a 'packet' has no room for bytes beside its 'packet_header'");
}

namespace {

// A copy or a reduction of any piece: what the shortest takes, and the rate of the whole.
void set_local(Machine& machine, const char* overhead, const char* rate, double shortest, double whole, Bytes bytes) {
    if (whole <= 0) return;
    machine.constants[overhead].number = std::min(shortest, whole / 2);
    machine.constants[rate].number = static_cast<double>(bytes) / (whole - std::min(shortest, whole / 2)) * second;
}

}  // namespace

Machine of_vector(Machine machine, Bytes bytes) {
    constexpr double about = 0.25;
    std::vector<OfSize>& all = machine.messages;
    if (all.empty() || bytes <= 0) return machine;
    const OfSize whole = machine.message(bytes), shortest = all.front();
    set_local(machine, "copy_overhead", "copy_rate", shortest.copy, whole.copy, bytes);
    set_local(machine, "reduction_overhead", "reduction_rate", shortest.reduction, whole.reduction, bytes);
    // Up to the last size where a byte more costs about the least, all is still in caches. Between them lie sizes from which a
    // library sends in another way.
    const auto a_byte = [&](std::size_t i, double OfSize::*part) {
        return (all[i].*part - all[i - 1].*part) / (all[i].bytes - all[i - 1].bytes);
    };
    const auto all_parts = [&](std::size_t i) {
        return a_byte(i, &OfSize::send) + a_byte(i, &OfSize::receive) + a_byte(i, &OfSize::latency);
    };
    double least = all_parts(1);
    for (std::size_t i = 2; i < all.size(); ++i) least = std::min(least, all_parts(i));
    std::size_t warm = all.size() - 1;
    while (all_parts(warm) > least + about * std::abs(least)) --warm;
    if (whole.bytes <= all[warm].bytes) return machine;
    const auto here = std::find_if(all.begin(), all.end(), [&](const OfSize& one) { return one.bytes >= whole.bytes; });
    if (here == all.end() || here->bytes > whole.bytes) all.insert(here, whole);
    for (double OfSize::*const part : {&OfSize::send, &OfSize::receive, &OfSize::latency, &OfSize::rewrite, &OfSize::fresh}) {
        const double more = whole.*part - all[warm].*part - a_byte(warm, part) * (whole.bytes - all[warm].bytes);
        for (std::size_t i = 0; i <= warm; ++i) all[i].*part += std::max(0.0, more) * all[i].bytes / whole.bytes;
    }
    return machine;
}

Machine of_interfaces(Machine machine) {
    const auto set = [&](const char* name, double number) { machine.constants[name].number = number; };
    set("copy_overhead", machine["message_overhead"]);
    set("message_latency", machine["barrier_interface"]);
    for (const char* const nothing : {"send_overhead", "receive_overhead", "interface_setup"}) set(nothing, 0);
    machine.messages.clear();
    return machine;
}

std::vector<LeftOut> left_out(const Machine& machine) {
    std::vector<LeftOut> found;
    for (const auto& [name, one] : optional)
        if (!machine.gives(name)) found.push_back({name, one.words});
    return found;
}

OfSize Machine::message(Bytes bytes) const {
    if (messages.empty()) return {};
    const auto size = static_cast<double>(bytes);
    const auto above =
        std::find_if(messages.begin() + 1, messages.end() - 1, [&](const OfSize& one) { return one.bytes >= size; });
    const OfSize &low = *(above - 1), &high = *above;
    const double share = std::max(0.0, (size - low.bytes) / (high.bytes - low.bytes));
    const auto between = [&](double a, double b) {
        return std::clamp(a + share * (b - a), 0.0, limits.at(Quantity::time).most);
    };
    return {size,
            between(low.send, high.send),
            between(low.receive, high.receive),
            between(low.latency, high.latency),
            between(low.rewrite, high.rewrite),
            between(low.fresh, high.fresh),
            between(low.copy, high.copy),
            between(low.reduction, high.reduction)};
}

void Machine::set(const std::string& constant, const std::string& text) {
    const AllKnown known = known_of(network);
    const auto what = known.find(constant);
    if (what == known.end()) throw base::Error("there is no constant '" + constant + "'; " + meant(constant, names(known)));
    const double number = number_of(text, what->second.quantity, constant);
    if (const std::string mistake = wrong(number, what->second); !mistake.empty())
        throw base::Error("'" + constant + "' cannot be " + text + ": " + mistake);
    constants[constant] = {text, "", "given", "--set", number};
}

void Machine::multiply(const std::string& constant, double times) {
    const AllKnown known = known_of(network);
    const auto what = known.find(constant);
    if (what == known.end()) throw base::Error("there is no constant '" + constant + "'; " + meant(constant, names(known)));
    const double number = (*this)[constant] * times;
    if (const std::string mistake = wrong(number, what->second); !mistake.empty())
        throw base::Error(fmt::format("'{}' cannot be {} times as much: {}", constant, times, mistake));
    constants[constant] = {fmt::format("{:g} times", times), "", "given", "--sensitivity", number};
}

double number_of(const std::string& text, Quantity quantity, const std::string& what) {
    std::istringstream words(text);
    double value = 0;
    std::string unit, more;
    const auto& allowed = units.at(quantity);
    if (!(words >> value) || !(words >> unit ? allowed.contains(unit) : quantity == Quantity::count) || words >> more)
        throw base::Error("'" + text + "' is no value of '" + what + "': a number and one of " + joined(names(allowed)));
    if (!std::isfinite(value) || value < 0) throw base::Error("'" + what + "' cannot be " + text);
    return value * (unit.empty() ? 1 : allowed.at(unit));
}

Machine read_machine(const std::string& path) {
    std::ifstream file(path);
    if (!file || std::filesystem::is_directory(path))
        throw base::Error("cannot read the machine " + path, "kumihimo simulate list names those that come with it");
    std::stringstream text;
    text << file.rdbuf();
    return machine_of_text(text.str(), path);
}

Machine machine_of_text(const std::string& text, const std::string& path) {
    return Reader(text, path).machine();
}

}  // namespace kumihimo::simulator
