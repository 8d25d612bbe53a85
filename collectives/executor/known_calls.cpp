#include "collectives/executor/known_calls.hpp"

#include "collectives/executor/settings.hpp"

namespace kumihimo::collectives {

namespace {

constexpr std::size_t most_steps = 32;

std::size_t place_of(const Arguments& arguments) {
    const std::size_t size = static_cast<std::size_t>(arguments.count);
    return (static_cast<std::size_t>(arguments.operation) + static_cast<std::size_t>(arguments.root) + size + size / 16) % 16;
}

// Whether these were all; few enough to be kept.
bool list(Steps schedule, std::vector<Step>& steps) {
    steps.clear();
    const Step* step = schedule.next();
    for (; step != nullptr && steps.size() < most_steps; step = schedule.next()) steps.push_back(*step);
    return step == nullptr;
}

}  // namespace

const KnownCall* KnownCalls::find(const Arguments& arguments) const {
    const KnownCall& call = calls_[place_of(arguments)];
    const bool known = call.valid && call.arguments == arguments && call.rules == settings().replacements;
    return known ? &call : nullptr;
}

void KnownCalls::remember(const Arguments& arguments, const Algorithm* algorithm, const Call& call, const Operands& operands) {
    KnownCall& known = calls_[place_of(arguments)];
    known.arguments = arguments;
    known.rules = settings().replacements;
    known.algorithm = algorithm;
    known.operands = operands;
    known.valid = algorithm == nullptr || list(schedule(*algorithm, call), known.steps);
}

}  // namespace kumihimo::collectives
