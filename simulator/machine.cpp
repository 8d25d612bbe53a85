#include "simulator/machine.hpp"

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/spelling.hpp"

namespace kumihimo::simulator {

namespace {

struct Known {
    Quantity quantity;
    bool may_be_zero;
};

// Every constant that a file must give; the last ones only for their kind of network.
const std::map<std::string, Known> common = {
    {"link_rate", {Quantity::rate, false}},       {"hop_latency", {Quantity::time, true}},
    {"message_latency", {Quantity::time, true}},  {"packet", {Quantity::size, false}},
    {"packet_header", {Quantity::size, true}},    {"interfaces", {Quantity::count, false}},
    {"interface_gap", {Quantity::time, true}},    {"node_rate", {Quantity::rate, false}},
    {"message_overhead", {Quantity::time, true}}, {"eager_limit", {Quantity::size, true}},
    {"copy_rate", {Quantity::rate, false}},       {"copy_overhead", {Quantity::time, true}},
    {"reduction_rate", {Quantity::rate, false}},  {"reduction_overhead", {Quantity::time, true}},
    {"segment", {Quantity::size, false}},         {"work_space", {Quantity::size, false}},
};
const std::map<std::string, std::map<std::string, Known>> special = {
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
const std::map<Quantity, std::map<std::string, double>> units = {
    {Quantity::rate, {{"B/s", 1}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"MiB/s", 1 << 20}, {"GiB/s", 1 << 30}}},
    {Quantity::time, {{"s", second}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"ps", 1}}},
    {Quantity::size, {{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}},
    {Quantity::count, {{"1", 1}}},
};
const std::vector<std::string> kinds = {"published", "paper", "measured", "fitted", "assumed"};

std::string joined(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, ", "));
}

template <typename Map>
std::vector<std::string> names(const Map& map) {
    std::vector<std::string> found;
    for (const auto& [name, value] : map) found.push_back(name);
    return found;
}

std::string meant(const std::string& word, const std::vector<std::string>& candidates) {
    const std::string found = base::nearest(word, candidates);
    return found.empty() ? "there are: " + joined(candidates) : "did you mean '" + found + "'?";
}

// Reads one file; its errors say where.
class Reader {
public:
    explicit Reader(const std::string& path) : path_(path) {
        std::ifstream file(path);
        if (!file) throw base::Error("cannot read the machine " + path, "kumihimo simulate list names those that come with it");
        std::stringstream text;
        text << file.rdbuf();
        text_ = text.str();
    }

    Machine machine() {
        toml::table table;
        try {
            table = toml::parse(text_, path_);
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
        only(table, {"kind", "axes", "routing", "placement", "failures"});
        found.network = one_of(table, "kind", names(special));
        found.placement = one_of(table, "placement", {"cycles", "order"});
        found.detours = table.contains("failures") && one_of(table, "failures", {"detour", "refusal"}) == "detour";
        if (found.network == "torus") axes(table, found);
        if (found.network == "dragonfly") found.routing = one_of(table, "routing", {"minimal", "valiant"});
    }

    void axes(const toml::table& table, Machine& found) {
        const toml::array* const list = table["axes"].as_array();
        if (list == nullptr || list->empty() || list->size() > 8) fail("a torus has axes: a list of 1 to 8", table.source());
        for (const toml::node& node : *list) {
            const toml::table* const axis = node.as_table();
            if (axis == nullptr) fail("an axis is a table: {name = \"x\", ring = true}", node.source());
            only(*axis, {"name", "extent", "ring"});
            const auto extent = (*axis)["extent"].value_or<std::int64_t>(0);
            if (extent < 0 || extent > 1'000'000)
                fail("an axis has 1 or more nodes; leave its extent out where the job decides", axis->source());
            found.axes.push_back({word(*axis, "name"), static_cast<int>(extent), (*axis)["ring"].value_or(true)});
        }
        found.routing = word(table, "routing");
        std::string sorted = found.routing, all;
        for (const Axis& axis : found.axes) all += axis.name;
        std::sort(sorted.begin(), sorted.end());
        std::sort(all.begin(), all.end());
        if (sorted != all)
            fail("routing names each axis once, in the order of a message's way", table["routing"].node()->source());
    }

    void constants(const toml::table& table, Machine& found) {
        std::map<std::string, Known> known = common;
        known.insert(special.at(found.network).begin(), special.at(found.network).end());
        only(table, names(known));
        for (const auto& [name, what] : known) {
            const toml::table* const one = table[name].as_table();
            if (one == nullptr) fail("the constant '" + name + "' is missing: value, unit, kind, source", table.source());
            only(*one, {"value", "unit", "kind", "source"});
            const auto value = (*one)["value"].value<double>();
            if (!value) fail("'" + name + "' has no number as value", one->source());
            Constant constant{fmt::format("{:g}", *value), word(*one, "unit"), one_of(*one, "kind", kinds),
                              word(*one, "source"), 0};
            constant.number = number(name, what, *value, constant.unit, one);
            found.constants[name] = constant;
        }
    }

    void messages(const toml::table& table, Machine& found) {
        only(table, {"kind", "source", "sizes"});
        one_of(table, "kind", kinds);
        found.messages_source = word(table, "source");
        const toml::array* const list = table["sizes"].as_array();
        if (list == nullptr || list->size() < 2) fail("messages have a list of two sizes or more", table.source());
        for (const toml::node& node : *list) {
            const toml::table* const one = node.as_table();
            if (one == nullptr)
                fail("a size is a table: {bytes = 8, overhead_us = 0.2, busy_us = 0, latency_us = 0.3}", node.source());
            only(*one, {"bytes", "overhead_us", "busy_us", "latency_us"});
            const auto value = [&](const char* name) {
                const auto given = (*one)[name].value<double>();
                if (!given || !std::isfinite(*given) || *given < 0 || *given > 1e15)
                    fail(std::string("'") + name + "' is missing, or no number of zero or more", one->source());
                return *given;
            };
            found.messages.push_back(
                {value("bytes"), 1e6 * value("overhead_us"), 1e6 * value("busy_us"), 1e6 * value("latency_us")});
            if (found.messages.size() > 1 && found.messages.back().bytes <= (found.messages.end() - 2)->bytes)
                fail("sizes of messages ascend", one->source());
        }
    }

    double number(const std::string& name, const Known& what, double value, const std::string& unit, const toml::table* place) {
        const auto& allowed = units.at(what.quantity);
        if (!allowed.contains(unit))
            fail("'" + name + "' is not in '" + unit + "': " + joined(names(allowed)), place->source());
        if (!std::isfinite(value) || value < 0 || (value == 0 && !what.may_be_zero))
            fail(fmt::format("'{}' is {}: it must be {}finite", name, value,
                             what.may_be_zero ? "zero or more, and " : "more than zero, and "),
                 place->source());
        return value * allowed.at(unit);
    }

    const toml::table& section(const toml::table& table, const std::string& name) {
        const toml::table* const found = table[name].as_table();
        if (found == nullptr) fail("the section [" + name + "] is missing", table.source());
        return *found;
    }
    std::string word(const toml::table& table, const std::string& name) {
        const auto found = table[name].value<std::string>();
        if (!found || found->empty()) fail("'" + name + "' is missing, or no text", table.source());
        return *found;
    }
    std::string one_of(const toml::table& table, const std::string& name, const std::vector<std::string>& choices) {
        const std::string found = word(table, name);
        if (std::find(choices.begin(), choices.end(), found) == choices.end())
            fail("there is no " + name + " '" + found + "'; " + meant(found, choices), table[name].node()->source());
        return found;
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
        throw base::Error(
            fmt::format("{}:{}:{}: {}\n  {}\n  {:>{}}", path_, place.begin.line, column, what, line, "^", column));
    }

    std::string path_, text_;
};

}  // namespace

double Machine::operator[](const std::string& constant) const {
    return constants.at(constant).number;
}

OfSize Machine::message(Bytes bytes) const {
    if (messages.empty()) return {};
    const auto size = static_cast<double>(bytes);
    const auto above =
        std::find_if(messages.begin() + 1, messages.end() - 1, [&](const OfSize& one) { return one.bytes >= size; });
    const OfSize &low = *(above - 1), &high = *above;
    const double share = std::max(0.0, (size - low.bytes) / (high.bytes - low.bytes));
    const auto between = [&](double a, double b) { return std::max(0.0, a + share * (b - a)); };
    return {size, between(low.overhead, high.overhead), between(low.busy, high.busy), between(low.latency, high.latency)};
}

void Machine::set(const std::string& constant, const std::string& text) {
    const auto found = constants.find(constant);
    if (found == constants.end())
        throw base::Error("there is no constant '" + constant + "'; " + meant(constant, names(constants)));
    std::map<std::string, Known> known = common;
    known.insert(special.at(network).begin(), special.at(network).end());
    const Known what = known.at(constant);
    const double number = number_of(text, what.quantity, constant);
    if (number == 0 && !what.may_be_zero) throw base::Error("'" + constant + "' cannot be " + text);
    found->second = {text, "", "given", "--set", number};
}

double number_of(const std::string& text, Quantity quantity, const std::string& what) {
    std::istringstream words(text);
    double value = 0;
    std::string unit;
    const auto& allowed = units.at(quantity);
    if (!(words >> value) || !(words >> unit ? allowed.contains(unit) : quantity == Quantity::count))
        throw base::Error("'" + text + "' is no value of '" + what + "': a number and one of " + joined(names(allowed)));
    if (!std::isfinite(value) || value < 0) throw base::Error("'" + what + "' cannot be " + text);
    return value * (unit.empty() ? 1 : allowed.at(unit));
}

Machine read_machine(const std::string& path) {
    return Reader(path).machine();
}

}  // namespace kumihimo::simulator
