#include "mpiio/engine/settings.hpp"

#include "base/error.hpp"
#include "base/fault_plan.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"
#include "mpiio/engine/engine.hpp"
#include "mpiio/engine/faulty/engine.hpp"

namespace kumihimo::mpiio {

namespace {

std::vector<std::string> engine_names() {
    std::vector<std::string> names;
    for (const Engine& engine : engines()) names.emplace_back(engine.name);
    return names;
}

std::string complaint_about_rules(const std::string& text) {
    const auto rules = parse_rules(text, engine_names());
    const auto* const refusal = std::get_if<Refusal>(&rules);
    return refusal == nullptr ? "" : refusal->text;
}

void read_plan(const std::string& text) {
    const auto plan = base::fault_plan(text, faulty::fault_words);
    if (find_engine(plan.underlying) == nullptr)
        throw base::Error(fmt::format("there is no engine '{}'", plan.underlying), "`kumihimo info` lists them.");
}

}  // namespace

Selection selection_by_settings() {
    return {engine_names(), parse_rules(base::setting("KUMIHIMO_IO"), engine_names())};
}

std::span<const base::TextCheck> text_checks() {
    static const base::TextCheck checks[] = {
        {"KUMIHIMO_IO", complaint_about_rules},
        {"KUMIHIMO_FAULTY_IO", base::complaint_of(read_plan)},
    };
    return checks;
}

}  // namespace kumihimo::mpiio
