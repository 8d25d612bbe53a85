// Which files are served, and by which engine. A prefix of the name (kumihimo:, direct:, ...) says so first, then the MPI_Info
// hint kumihimo_io, then the rules of KUMIHIMO_IO. Pure: names of engines, rules and hint are given.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mpiio/engine/pattern.hpp"

namespace kumihimo::mpiio {

// Which engine serves a file, and the file's name without prefix.
struct Choice {
    std::string engine;
    std::string path;
};

struct Rule {
    Pattern pattern;
    bool whole_path;     // the pattern has a /: it is for the absolute path, else for the name in its directory
    std::string engine;  // or "off"
};

struct Refusal {
    int error_class;
    std::string text;  // what is wrong and what is known
};

// KUMIHIMO_IO: PATTERN=ENGINE, separated by commas; the first that matches counts. Empty parts are nothing, and an ENGINE alone
// is for all files. ENGINE is one of `engines`, kumihimo (the usual one), or off or mpi: the file stays with the MPI library.
std::variant<std::vector<Rule>, Refusal> parse_rules(std::string_view text, const std::vector<std::string>& engines);

// What happens to a file: untouched (none), served, or refused.
struct Untouched {
    bool chosen = false;  // by a rule or a hint, not because there is none for the file
};
using Verdict = std::variant<Untouched, Choice, Refusal>;

struct Selection {
    std::vector<std::string> engines;  // known names; the first is the usual one
    std::variant<std::vector<Rule>, Refusal> rules;

    Verdict of(std::string_view name, const std::optional<std::string>& hint) const;
    std::string path(std::string_view name) const;         // without any prefix
    std::string native_name(std::string_view name) const;  // for the MPI library: without an engine's prefix

private:
    Verdict by_rules(const std::string& path) const;
    bool known(std::string_view engine) const;
    std::optional<std::string> own_prefix(std::string_view name) const;
    std::string_view by_last_prefix(std::string_view name) const;
    Choice serve(const std::string& engine, std::string path) const;
    Verdict by_hint(const std::string& engine, const std::string& path) const;
};

// The name without a prefix that tells ROMIO or OMPIO a file system (ufs:, nfs:, ...).
std::string_view without_file_system(std::string_view name);

}  // namespace kumihimo::mpiio
