#include "collectives/selection.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "base/error.hpp"
#include "base/format.hpp"

namespace kumihimo::collectives {

namespace {

base::Error wrong(const std::string& word, const std::string& why, const std::string& advice) {
    return base::Error(fmt::format("rule '{}' of KUMIHIMO_COLL_TUNE or KUMIHIMO_COLL_TABLE: {}", word, why), advice);
}

std::string form() {
    return "Write OPERATION:FIRST-LAST:RANKS-RANKS:@ALGORITHM, for instance bcast:64k-inf:@tree3; sizes and ranks may be left "
           "out, a shape like 8x6x8 stand for the ranks.";
}

std::optional<Operation> operation_of(const std::string& name) {
    for (int i = 0; i < operations; ++i)
        if (name == name_of(static_cast<Operation>(i))) return static_cast<Operation>(i);
    return std::nullopt;
}

std::string names_of(Operation operation) {
    std::string names = "native";
    for (const Algorithm& algorithm : algorithms())
        if (algorithm.operation == operation) names += std::string(", ") + algorithm.name;
    return names;
}

// "64k"; "inf" is the largest.
std::optional<Bytes> number(const std::string& text, Bytes largest) {
    if (text == "inf") return largest;
    char* rest = nullptr;
    const long long value = std::strtoll(text.c_str(), &rest, 10);
    const std::string suffix = rest;
    const int shift = suffix.empty() ? 0 : suffix == "k" ? 10 : suffix == "M" ? 20 : suffix == "G" ? 30 : -1;
    if (rest == text.c_str() || shift < 0 || value < 0 || value > largest >> shift) return std::nullopt;
    return value << shift;
}

struct Limits {
    Bytes least, most;
};

std::optional<Limits> limits(const std::string& text, Bytes largest) {
    const std::size_t dash = text.find('-');
    if (dash == std::string::npos) return std::nullopt;
    const auto least = number(text.substr(0, dash), largest), most = number(text.substr(dash + 1), largest);
    if (!least || !most || *least > *most) return std::nullopt;
    return Limits{*least, *most};
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    return parts;
}

// "4-16" or "8x6x8"
void read_ranks(const std::string& word, const std::string& part, Rule& rule) {
    if (part.find('x') != std::string::npos) {
        rule.shape = Torus::parse(part);
        return;
    }
    const std::size_t slash = part.find('/');
    const auto ranks = limits(part.substr(0, slash), Rule::any_ranks);
    if (!ranks)
        throw wrong(word, "its numbers of ranks are not FIRST-LAST", "Write for instance 4-16 or 128-inf, or a shape: 8x6x8.");
    rule.least_ranks = static_cast<int>(ranks->least);
    rule.most_ranks = static_cast<int>(ranks->most);
    if (slash == std::string::npos) return;
    const std::string text = part.substr(slash + 1);
    const auto hosts = limits(text.find('-') == std::string::npos ? text + "-" + text : text, Rule::any_ranks);
    if (!hosts)
        throw wrong(word, "its numbers of hosts are not a number or FIRST-LAST", "Write for instance 4-16/2 or 4-16/2-inf.");
    rule.least_hosts = static_cast<int>(hosts->least);
    rule.most_hosts = static_cast<int>(hosts->most);
}

// "@tree3=200"
void read_algorithm(const std::string& word, std::string part, Rule& rule) {
    if (const std::size_t equals = part.find('='); equals != std::string::npos) {
        const auto score = number(part.substr(equals + 1), 1'000'000);
        if (!score) throw wrong(word, "its score is not a number", "Write @algorithm=200; native has 100.");
        rule.score = static_cast<int>(*score);
        part.resize(equals);
    }
    if (part.empty() || part[0] != '@') throw wrong(word, "it names no @algorithm", form());
    if (part == "@native") return;
    rule.algorithm = find_algorithm(rule.operation, part.c_str() + 1);
    if (rule.algorithm == nullptr)
        throw wrong(word, "there is no such algorithm of this operation", "There are: " + names_of(rule.operation) + ".");
}

bool is_for(const Rule& rule, int ranks, int hosts, const Torus& torus) {
    if (rule.shape) return *rule.shape == torus;
    return ranks >= rule.least_ranks && ranks <= rule.most_ranks && hosts >= rule.least_hosts && hosts <= rule.most_hosts;
}

// Without any knowledge each rank is on a host of its own.
int hosts_of(const Call& call) {
    return call.placement == nullptr ? call.ranks : call.placement->hosts();
}

}  // namespace

Bytes size_in_rules(Operation operation, Bytes bytes, int ranks) {
    return operation == Operation::reduce_scatter ? bytes * ranks : bytes;
}

std::string text(const Rule& rule) {
    const auto limit = [](Bytes value, Bytes any) { return value == any ? std::string("inf") : std::to_string(value); };
    std::string result = name_of(rule.operation);
    result += ":" + std::to_string(rule.least_bytes) + "-" + limit(rule.most_bytes, Rule::any);
    std::string ranks = std::to_string(rule.least_ranks) + "-" + limit(rule.most_ranks, Rule::any_ranks);
    if (rule.least_hosts > 1 || rule.most_hosts != Rule::any_ranks)
        ranks += "/" + std::to_string(rule.least_hosts) + "-" + limit(rule.most_hosts, Rule::any_ranks);
    result += ":" + (rule.shape ? rule.shape->text() : ranks);
    return result + ":@" + (rule.algorithm == nullptr ? "native" : rule.algorithm->name) + "=" + std::to_string(rule.score);
}

Selection::Selection(const std::string& rules) {
    for (std::string line : split(rules, '\n')) {
        line = line.substr(0, line.find('#'));
        for (char& letter : line)
            if (letter == ',' || letter == '\t' || letter == '\r') letter = ' ';
        for (const std::string& word : split(line, ' '))
            if (!word.empty()) add(word);
    }
}

void Selection::add(const std::string& word) {
    const std::vector<std::string> parts = split(word, ':');
    const auto operation = operation_of(parts[0]);
    if (!operation) throw wrong(word, "there is no such operation", form());
    if (parts.size() < 2 || parts.size() > 4) throw wrong(word, "it has no two to four parts", form());
    Rule rule{*operation};
    if (parts.size() > 2) {
        const auto bytes = limits(parts[1], Rule::any);
        if (!bytes) throw wrong(word, "its sizes are not FIRST-LAST", "Write bytes with k, M or G, or inf: 0-64k, 64k-inf.");
        rule.least_bytes = bytes->least;
        rule.most_bytes = bytes->most;
    }
    if (parts.size() > 3) read_ranks(word, parts[2], rule);
    read_algorithm(word, parts.back(), rule);
    has_[static_cast<int>(*operation)] |= rule.algorithm != nullptr;
    rules_.push_back(rule);
}

bool Selection::concern(int ranks, int hosts, const Torus& torus) const {
    return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) { return is_for(rule, ranks, hosts, torus); });
}

const Algorithm* Selection::choose(const Call& call, std::optional<Bytes> size) const {
    const Algorithm* best = nullptr;
    int score = native_score;
    for (const Rule& rule : rules_) {
        const bool sizes = size ? *size >= rule.least_bytes && *size <= rule.most_bytes
                                : rule.least_bytes == 0 && rule.most_bytes == Rule::any;
        if (rule.operation != call.operation || !is_for(rule, call.ranks, hosts_of(call), call.torus)) continue;
        if (!sizes || rule.score < score) continue;
        if (rule.algorithm != nullptr && !usable(*rule.algorithm, call)) continue;
        best = rule.algorithm;
        score = rule.score;
    }
    return best;
}

}  // namespace kumihimo::collectives
