#include "collectives/pieces.hpp"

#include <algorithm>
#include <vector>

namespace kumihimo::collectives {

// Bytes [first, last) of the vector that a part has. (This and Uses lie in a coroutine, whose frame has a name for the linker.)
struct Part {
    Bytes first, last;
    Part(const Call& call, int parts, int i)
        : first(cut(call.bytes, call.element_bytes, parts, i)), last(cut(call.bytes, call.element_bytes, parts, i + 1)) {}
    Bytes bytes() const { return last - first; }
};

namespace {

Bytes longest_part(const Call& call, int parts) {
    Bytes longest = 0;
    for (int i = 0; i < parts; ++i) longest = std::max(longest, Part(call, parts, i).bytes());
    return longest;
}

// A piece's step as one of the whole. Its first steps wait until the work space is free.
Step placed(Step step, StepIndex base, Interval last_use) {
    for (Interval& interval : step.after.intervals)
        if (!interval.empty()) interval = {interval.first + base, interval.last + base};
    if (step.after.empty()) step.after.add(last_use);
    return step;
}

}  // namespace

// Which piece used a slot of work space last. With much work space there are thousands of slots, and a simulator holds as many
// schedules: so where slots are many, pieces are counted instead. All of a part but its last one take the same number of steps.
// The longest part has at most one piece more than the shortest one, so whatever lies three pieces of each part before another
// is no last one.
class Uses {
public:
    Uses(int parts, int slots) : parts_(parts), slots_(slots), first_(at(parts)), recent_(at(slots <= 3 * parts ? slots : 0)) {}

    Interval of_slot(StepIndex number) const {
        const StepIndex user = number - slots_;
        if (slots_ == 0 || user < 0) return {};
        if (!recent_.empty()) return recent_[at(user % slots_)];
        const Interval& first = first_[at(user % parts_)];
        const StepIndex later = user / parts_ * (first_.back().last + 1);
        return {first.first + later, first.last + later};
    }
    void add(StepIndex number, Interval steps) {
        if (number < parts_) first_[at(number)] = steps;
        if (!recent_.empty()) recent_[at(number % slots_)] = steps;
    }

private:
    static std::size_t at(StepIndex number) { return static_cast<std::size_t>(number); }

    StepIndex parts_;
    int slots_;
    std::vector<Interval> first_;   // steps of the first piece of each part
    std::vector<Interval> recent_;  // of the last piece of each slot, where slots are few
};

Bytes pieces_under_way(const Call& call, int parts) {
    return 2 + (parts > 1 ? call.torus.way() : 0);
}

Pieces divide(const Algorithm& algorithm, const Call& call) {
    const Bytes longest = longest_part(call, algorithm.parts);
    if (longest == 0) return {};
    Bytes piece = algorithm.pipelined ? std::clamp(call.segment_bytes, Bytes{1}, longest) : longest;
    if (algorithm.work_vectors > 0) piece = std::min(piece, call.work_limit / algorithm.work_vectors);
    piece = std::max(piece / call.element_bytes, Bytes{1}) * call.element_bytes;
    Pieces pieces{piece, static_cast<int>((longest + piece - 1) / piece), 0, algorithm.work_vectors * piece};
    const Bytes all = Bytes{pieces.count} * algorithm.parts;
    if (pieces.slot_bytes > 0) pieces.slots = static_cast<int>(std::min(all, call.work_limit / pieces.slot_bytes));
    return pieces;
}

Steps in_pieces(const Algorithm& algorithm, Call call) {
    const Pieces pieces = divide(algorithm, call);
    Uses uses(algorithm.parts, pieces.slots);
    StepIndex index = 0;
    for (StepIndex number = 0; number < StepIndex{pieces.count} * algorithm.parts; ++number) {
        const int channel = static_cast<int>(number % algorithm.parts);
        const Part part(call, algorithm.parts, channel);
        const Bytes first = part.first + number / algorithm.parts * pieces.piece_bytes;
        if (first >= part.last) continue;
        const StepIndex base = index;
        Call piece = call;
        piece.channel = channel;
        piece.offset += first;
        piece.bytes = std::min(pieces.piece_bytes, part.last - first);
        piece.work_offset = (pieces.slots > 0 ? number % pieces.slots : 0) * pieces.slot_bytes;
        const Interval last_use = uses.of_slot(number);
        Steps steps = algorithm.steps(piece);
        while (const Step* const step = steps.next()) {
            const Step whole = placed(*step, base, last_use);
            index = 1 + (co_yield whole);
        }
        uses.add(number, {base, index - 1});
    }
}

}  // namespace kumihimo::collectives
