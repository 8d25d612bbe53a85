#include "collectives/phases.hpp"

#include <algorithm>

namespace kumihimo::collectives {

namespace {

int index_of(const std::vector<int>& members, int rank) {
    return static_cast<int>(std::find(members.begin(), members.end(), rank) - members.begin());
}

// A phase's step as one of the whole, whose earlier steps end before `begin`.
Step placed(Step step, const Phase& phase, StepIndex begin, int channel) {
    for (Interval& interval : step.after.intervals)
        if (!interval.empty()) interval = {interval.first + begin, interval.last + begin};
    if (step.after.empty()) step.after.add({0, begin - 1});
    if (step.peer >= 0) step.peer = phase.members[static_cast<std::size_t>(step.peer)];
    step.channel += channel;
    for (Span* const span : {&step.from, &step.to}) {
        const Span& begin_of_buffer = phase.where[static_cast<std::size_t>(span->buffer)];
        *span = {begin_of_buffer.buffer, begin_of_buffer.offset + span->offset, span->bytes};
    }
    return step;
}

}  // namespace

Call call_among(const Call& whole, const std::vector<int>& members, int root) {
    Call call = whole;
    call.ranks = static_cast<int>(members.size());
    call.rank = index_of(members, whole.rank);
    call.root = index_of(members, root);
    call.torus = Torus::line(call.ranks);
    call.placement = nullptr;
    call.channel = 0;
    return call;
}

Steps in_phases(std::vector<Phase> phases, int channel) {
    StepIndex end = 0;
    for (const Phase& phase : phases) {
        const StepIndex begin = end;
        Steps steps = phase.steps(phase.call);
        while (const Step* const step = steps.next()) {
            const Step whole = placed(*step, phase, begin, channel);
            end = 1 + (co_yield whole);
        }
    }
}

}  // namespace kumihimo::collectives
