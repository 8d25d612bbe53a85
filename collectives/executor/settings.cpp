#include "collectives/executor/settings.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>

#include "base/error.hpp"
#include "base/family.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"
#include "collectives/one_node.hpp"

namespace kumihimo::collectives {

namespace {

std::string table_text(const std::string& path) {
    std::ifstream file(path);
    if (!file)
        throw base::Error(fmt::format("KUMIHIMO_COLL_TABLE={} cannot be read", path),
                          "Name a file that all nodes can read, or auto, or none.");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Settings read_settings() {
    const std::string table = base::setting("KUMIHIMO_COLL_TABLE"), tune = base::setting("KUMIHIMO_COLL_TUNE");
    const bool from_file = table != "auto" && table != "none" && !table.empty();
    const std::string rules = (from_file ? table_text(table) : "") + "\n" + tune;
    const std::string known = table == "auto" ? one_node_rules(base::family_name()) : "";
    const std::string shape = base::setting("KUMIHIMO_COLL_SHAPE");
    Settings settings{Selection(rules),
                      Selection(known + "\n" + rules),
                      shape.empty() ? Torus() : Torus::parse(shape),
                      base::setting_number("KUMIHIMO_COLL_SEGMENT"),
                      base::setting_number("KUMIHIMO_COLL_WORK"),
                      static_cast<std::size_t>(base::setting_number("KUMIHIMO_COLL_AHEAD")),
                      0};
    settings.segment_bytes = std::max(settings.segment_bytes, Bytes{1});
    settings.fingerprint = std::hash<std::string>()(fmt::format("{}|{}|{}|{}|{}|{}|{}", known, rules, shape,
                                                                settings.segment_bytes, settings.work_limit,
                                                                settings.look_ahead, base::setting("KUMIHIMO_COLL_ONE_COPY")));
    return settings;
}

Settings& changeable() {
    static Settings* const settings = [] {
        try {
            return new Settings(read_settings());
        } catch (const base::Error& error) {
            std::fprintf(stderr, "kumihimo: error: %s\n  %s\n  Collective operations stay with the MPI library.\n",
                         error.what(), error.advice().c_str());
            return new Settings{{}, {}, {}, 1, 0, 0, 0};
        }
    }();
    return *settings;
}

}  // namespace

const Settings& settings() {
    return changeable();
}

void replace_rules(const std::string& rules) {
    Settings& settings = changeable();
    settings.rules = settings.rules_one_node = Selection(rules);
    settings.fingerprint = std::hash<std::string>()(rules);
}

}  // namespace kumihimo::collectives
