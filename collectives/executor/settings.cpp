#include "collectives/executor/settings.hpp"

#include <fstream>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/family.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"
#include "collectives/built_in_rules.hpp"

namespace kumihimo::collectives {

namespace {

std::string table_text(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw base::Error("the file cannot be read", "Name a file that all nodes can read, or auto, or none.");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

bool is_file(const std::string& table) {
    return table != "auto" && table != "none" && !table.empty();
}

Settings read_settings() {
    const std::string table = base::setting("KUMIHIMO_COLL_TABLE"), tune = base::setting("KUMIHIMO_COLL_TUNE");
    const std::string rules = (is_file(table) ? table_text(table) : "") + "\n" + tune;
    const auto with_built_in = [&](Processors processors) {
        return Selection((table == "auto" ? built_in_rules(base::family_name(), processors) : "") + "\n" + rules);
    };
    const std::string shape = base::setting("KUMIHIMO_COLL_SHAPE");
    return {Selection(rules),
            with_built_in(Processors::own),
            with_built_in(Processors::shared),
            shape.empty() ? Torus() : Torus::parse(shape),
            base::setting_number("KUMIHIMO_COLL_SEGMENT"),
            base::setting_number("KUMIHIMO_COLL_WORK"),
            static_cast<std::size_t>(base::setting_number("KUMIHIMO_COLL_AHEAD")),
            {}};
}

std::string all_complaints() {
    const std::string own = base::complaints(base::collectives, base::Concerns::rank, {});
    const std::string of_job = base::complaints(base::collectives, base::Concerns::job, text_checks());
    return own.empty() || of_job.empty() ? own + of_job : own + "\n  " + of_job;
}

Settings& changeable() {
    static Settings* const settings = [] {
        std::string complaint = all_complaints();
        return complaint.empty() ? new Settings(read_settings()) : new Settings{{}, {}, {}, {}, 1, 0, 0, std::move(complaint)};
    }();
    return *settings;
}

}  // namespace

const Settings& settings() {
    return changeable();
}

std::span<const base::TextCheck> text_checks() {
    static const base::TextCheck checks[] = {
        {"KUMIHIMO_COLL_TUNE", base::complaint_of([](const std::string& rules) { Selection{rules}; })},
        {"KUMIHIMO_COLL_TABLE", base::complaint_of([](const std::string& table) {
             if (is_file(table)) Selection{table_text(table)};
         })},
        {"KUMIHIMO_COLL_SHAPE", base::complaint_of([](const std::string& shape) { (void)Torus::parse(shape); })},
    };
    return checks;
}

void replace_rules(const std::string& rules) {
    Settings& settings = changeable();
    settings.rules = settings.with_built_in = settings.with_built_in_shared = Selection(rules);
    settings.replacements += 1;
}

}  // namespace kumihimo::collectives
