#include "base/one_sided.hpp"

#include <cstdlib>
#include <fstream>
#include <string_view>

#include "base/family.hpp"
#include "base/format.hpp"

namespace kumihimo::base {

namespace {

constexpr const char* variable = "OMPI_MCA_osc";
constexpr const char* system_file = KUMIHIMO_OPEN_MPI_PARAMETERS;

std::string choice;

std::string user_file() {
    const char* const home = std::getenv("HOME");
    return home == nullptr ? "" : std::string(home) + "/.openmpi/mca-params.conf";
}

std::string trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return "";
    return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

}  // namespace

std::optional<std::string> parameter_of(std::istream&& file, const std::string& name) {
    std::optional<std::string> value;
    for (std::string line; std::getline(file, line);) {
        const auto equals = line.find('=');
        if (equals != std::string::npos && trimmed(line.substr(0, equals)) == name) value = trimmed(line.substr(equals + 1));
    }
    return value;
}

std::optional<std::string> without(const std::string& exclusion, const std::string& component) {
    if (!exclusion.starts_with('^')) return std::nullopt;
    std::string rest;
    bool found = false;
    for (std::size_t start = 1; start <= exclusion.size();) {
        const std::size_t end = std::min(exclusion.find(',', start), exclusion.size());
        const std::string one = trimmed(std::string_view(exclusion).substr(start, end - start));
        start = end + 1;
        if (one == component)
            found = true;
        else if (!one.empty())
            rest += (rest.empty() ? "^" : ",") + one;
    }
    if (!found) return std::nullopt;
    return rest.empty() ? "^none" : rest;  // an empty list would be no list
}

void allow_one_sided() {
    if (std::string_view(family_name()) != "openmpi" || std::getenv(variable) != nullptr) return;
    if (parameter_of(std::ifstream(user_file()), "osc")) return;
    const auto excluded = parameter_of(std::ifstream(system_file), "osc");
    const auto allowed = excluded ? without(*excluded, "pt2pt") : std::nullopt;
    if (!allowed) return;
    setenv(variable, allowed->c_str(), 1);
    choice = fmt::format(
        "{} excludes Open MPI's osc/pt2pt, without which windows between machines need RDMA hardware: allowed by {}={}",
        system_file, variable, *allowed);
}

std::string one_sided_choice() {
    return choice;
}

std::string one_sided_advice() {
    if (std::string_view(family_name()) != "openmpi") return "";
    const char* const chosen = std::getenv(variable);
    return fmt::format(
        "Open MPI has no component for one-sided communication between these machines ({}={}).\n"
        "  {}={} allows the one that works on every network; `ompi_info --param osc all` lists them.",
        variable, chosen == nullptr ? "" : chosen, variable, "^ucx");
}

}  // namespace kumihimo::base
