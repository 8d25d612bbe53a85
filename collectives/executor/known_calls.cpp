#include "collectives/executor/known_calls.hpp"

#include <algorithm>
#include <utility>

#include "collectives/executor/settings.hpp"

namespace kumihimo::collectives {

namespace {

constexpr std::size_t most_steps = 32;

std::size_t set_of(const Arguments& arguments) {
    const std::size_t size = static_cast<std::size_t>(arguments.count);
    return static_cast<std::size_t>(arguments.operation) + static_cast<std::size_t>(arguments.root) + size + size / 16;
}

// Whether these were all; few enough to be kept.
bool list(Steps schedule, std::vector<Step>& steps) {
    const Step* step = schedule.next();
    for (; step != nullptr && steps.size() < most_steps; step = schedule.next()) steps.push_back(*step);
    return step == nullptr;
}

}  // namespace

const KnownCall* KnownCalls::find(const Arguments& arguments) const {
    for (const KnownCall& call : sets_[set_of(arguments) % sets].calls)
        if (call.valid && call.arguments == arguments && call.rules == settings().replacements) return &call;
    return nullptr;
}

void KnownCalls::remember(const Arguments& arguments, const Algorithm* algorithm, const Call& call, const Operands& operands,
                          const Sizes& sizes) {
    std::vector<Step> steps;
    if (algorithm != nullptr && !list(schedule(*algorithm, call), steps)) return;
    Set& set = sets_[set_of(arguments) % sets];
    const auto same = std::find_if(set.calls.begin(), set.calls.end(),
                                   [&](const KnownCall& known) { return known.valid && known.arguments == arguments; });
    KnownCall& place = same != set.calls.end() ? *same : set.calls[set.next++ % places];
    place = {arguments, settings().replacements, true, algorithm, operands, std::move(steps), sizes};
}

}  // namespace kumihimo::collectives
