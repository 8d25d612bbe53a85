#include "mpiio/engine/selection.hpp"

#include <mpi.h>

#include <algorithm>
#include <filesystem>

#include "base/format.hpp"

namespace kumihimo::mpiio {

namespace {

constexpr std::string_view usual = "kumihimo";
constexpr std::string_view off = "off", library = "mpi";  // one thing

// What ROMIO's manual and MPICH's ad_fstype list.
constexpr std::string_view file_systems[] = {"ufs",       "nfs",     "xfs",    "pvfs", "pvfs2",      "orangefs",
                                             "panfs",     "lustre",  "gpfs",   "daos", "ime",        "quobyte",
                                             "quobytefs", "gridftp", "zoidfs", "bgl",  "bglockless", "testfs"};

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

// The part before the first colon; empty if there is none.
std::string_view prefix_of(std::string_view name) {
    const std::size_t colon = name.find(':');
    return colon == std::string_view::npos ? std::string_view() : name.substr(0, colon);
}

std::string names_of(const std::vector<std::string>& engines) {
    return fmt::format("{}, {} (the usual one) and {} or {} (the MPI library)", fmt::join(engines, ", "), usual, off, library);
}

Refusal malformed(std::string_view part, const std::string& why, const std::vector<std::string>& engines) {
    return {MPI_ERR_ARG,
            fmt::format(
                "KUMIHIMO_IO: {} in '{}'. Write PATTERN=ENGINE, separated by commas, as in '*.nc=kumihimo,/scratch/**=off'; "
                "engines are {}",
                why, part, names_of(engines))};
}

bool leaves(std::string_view engine) {
    return engine == off || engine == library;
}

bool known_engine(std::string_view engine, const std::vector<std::string>& engines) {
    return engine == usual || leaves(engine) || std::find(engines.begin(), engines.end(), engine) != engines.end();
}

std::variant<Rule, Refusal> parse_rule(std::string_view part, const std::vector<std::string>& engines) {
    const std::size_t equals = part.rfind('=');
    if (known_engine(part, engines)) return Rule{*Pattern::parse("*"), false, std::string(part)};
    if (equals == std::string_view::npos) return malformed(part, "no =", engines);
    const std::string_view text = trimmed(part.substr(0, equals)), engine = trimmed(part.substr(equals + 1));
    if (text.empty()) return malformed(part, "no pattern", engines);
    if (!known_engine(engine, engines)) return malformed(part, fmt::format("unknown engine '{}'", engine), engines);
    const bool path = text.find('/') != std::string_view::npos;
    const auto pattern = Pattern::parse(path && text.front() != '/' ? "**/" + std::string(text) : text);
    if (!pattern) return malformed(part, "a [ without ]", engines);
    return Rule{*pattern, path, std::string(engine)};
}

}  // namespace

std::variant<std::vector<Rule>, Refusal> parse_rules(std::string_view text, const std::vector<std::string>& engines) {
    std::vector<Rule> rules;
    while (!text.empty()) {
        const std::string_view part = trimmed(text.substr(0, text.find(',')));
        text.remove_prefix(std::min(text.size(), text.find(',') == std::string_view::npos ? text.size() : text.find(',') + 1));
        if (part.empty()) continue;
        auto rule = parse_rule(part, engines);
        if (auto* const refusal = std::get_if<Refusal>(&rule)) return *refusal;
        rules.push_back(std::get<Rule>(std::move(rule)));
    }
    return rules;
}

std::string_view without_file_system(std::string_view name) {
    const std::string_view prefix = prefix_of(name);
    const bool known = std::find(std::begin(file_systems), std::end(file_systems), prefix) != std::end(file_systems);
    return known ? name.substr(prefix.size() + 1) : name;
}

bool Selection::known(std::string_view engine) const {
    return known_engine(engine, engines);
}

std::optional<std::string> Selection::own_prefix(std::string_view name) const {
    const std::string_view prefix = prefix_of(name);
    if (prefix.empty() || leaves(prefix) || !known(prefix)) return std::nullopt;
    return std::string(prefix);
}

Choice Selection::serve(const std::string& engine, std::string path) const {
    return {engine == usual ? engines.front() : engine, std::move(path)};
}

Verdict Selection::by_rules(const std::string& path) const {
    if (auto* const refusal = std::get_if<Refusal>(&rules)) return *refusal;
    const auto& known_rules = std::get<std::vector<Rule>>(rules);
    if (known_rules.empty()) return {};
    std::error_code ignored;  // without a current directory the name itself is matched
    const auto absolute = std::filesystem::absolute(path, ignored).lexically_normal();
    for (const Rule& rule : known_rules) {
        if (!rule.pattern.matches(rule.whole_path ? absolute.native() : absolute.filename().native())) continue;
        if (leaves(rule.engine)) return Untouched{true};
        return serve(rule.engine, path);
    }
    return {};
}

Verdict Selection::by_hint(const std::string& engine, const std::string& path) const {
    if (leaves(engine)) return Untouched{true};
    if (known(engine)) return serve(engine, path);
    return Refusal{MPI_ERR_INFO_VALUE, fmt::format("hint kumihimo_io: unknown engine '{}' for '{}'; engines are {}", engine,
                                                   path, names_of(engines))};
}

// kumihimo: in front of another prefix, which says by which engine.
std::string_view Selection::by_last_prefix(std::string_view name) const {
    if (prefix_of(name) != usual) return name;
    const std::string_view rest = name.substr(usual.size() + 1);
    return own_prefix(rest) ? rest : name;
}

std::string Selection::path(std::string_view name) const {
    name = by_last_prefix(name);
    const auto prefix = own_prefix(name);
    return std::string(prefix ? name.substr(prefix->size() + 1) : without_file_system(name));
}

std::string Selection::native_name(std::string_view name) const {
    name = by_last_prefix(name);
    return own_prefix(name) ? path(name) : std::string(name);
}

Verdict Selection::of(std::string_view name, const std::optional<std::string>& hint) const {
    name = by_last_prefix(name);
    const auto prefix = own_prefix(name);
    const std::string path = this->path(name);
    if (prefix && prefix != usual) return serve(*prefix, path);
    const Verdict verdict = hint ? by_hint(*hint, path) : by_rules(path);
    const bool untouched = std::holds_alternative<Untouched>(verdict);
    return prefix && untouched ? Verdict(serve(*prefix, path)) : verdict;  // kumihimo: leaves open by which engine
}

}  // namespace kumihimo::mpiio
