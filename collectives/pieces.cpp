#include "collectives/pieces.hpp"

#include <algorithm>
#include <vector>

namespace kumihimo::collectives {

// Bytes [first, last) of the vector that a part has. (This and what
// follows lie in a coroutine, whose frame has a name for the linker.)
struct Part {
    Bytes first, last;
    Part(const Call& call, int parts, int i)
        : first(cut(call.bytes, call.element_bytes, parts, i)), last(cut(call.bytes, call.element_bytes, parts, i + 1)) {}
    Bytes bytes() const { return last - first; }
};

// Where a piece's steps lie in the whole: so far behind, in the schedule, in the vector and in work space. The first ones wait
// until the work space is free.
struct Place {
    StepIndex base;
    Interval last_use;
    Bytes offset = 0, work_offset = 0;

    Step of(Step step) const {
        for (Interval& interval : step.after.intervals)
            if (!interval.empty()) interval = {interval.first + base, interval.last + base};
        if (step.after.empty()) step.after.add(last_use);
        for (Span* const span : {&step.from, &step.to}) span->offset += span->buffer == Buffer::work ? work_offset : offset;
        return step;
    }
};

// The steps of a part's first piece. Pieces as long take the same, further on: so the algorithm is asked once, whose answers
// would be a fifth of a simulation's time. Not kept where they are many.
class FirstPiece {
public:
    Bytes offset = 0, work_offset = 0;

    void add(const Step& step) {
        if (steps_.size() == most) steps_.clear(), too_many_ = true;
        if (!too_many_) steps_.push_back(step);
    }
    const std::vector<Step>& steps() const { return steps_; }  // none: they are not known

private:
    static constexpr std::size_t most = 16;

    bool too_many_ = false;
    std::vector<Step> steps_;
};

namespace {

Bytes longest_part(const Call& call, int parts) {
    Bytes longest = 0;
    for (int i = 0; i < parts; ++i) longest = std::max(longest, Part(call, parts, i).bytes());
    return longest;
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
    std::vector<Part> parts;
    for (int i = 0; i < algorithm.parts; ++i) parts.emplace_back(call, algorithm.parts, i);
    std::vector<FirstPiece> first_pieces(parts.size());
    Uses uses(algorithm.parts, pieces.slots);
    StepIndex index = 0, number = 0;
    for (int i = 0; i < pieces.count; ++i)
        for (int channel = 0; channel < algorithm.parts; ++channel, ++number) {
            const Part& part = parts[static_cast<std::size_t>(channel)];
            FirstPiece& first = first_pieces[static_cast<std::size_t>(channel)];
            Call piece = call;
            piece.channel = channel;
            piece.offset = call.offset + part.first + i * pieces.piece_bytes;
            piece.bytes = std::min(pieces.piece_bytes, call.offset + part.last - piece.offset);
            piece.work_offset = (pieces.slots > 0 ? number % pieces.slots : 0) * pieces.slot_bytes;
            if (piece.bytes <= 0) continue;
            Place place{index, uses.of_slot(number)};
            if (i > 0 && piece.bytes == pieces.piece_bytes && !first.steps().empty()) {
                place.offset = piece.offset - first.offset;
                place.work_offset = piece.work_offset - first.work_offset;
                for (const Step& step : first.steps()) {
                    const Step whole = place.of(step);
                    index = 1 + (co_yield whole);
                }
            } else {
                if (i == 0) first.offset = piece.offset, first.work_offset = piece.work_offset;
                Steps steps = algorithm.steps(piece);
                while (const Step* const step = steps.next()) {
                    if (i == 0 && pieces.count > 2) first.add(*step);
                    const Step whole = place.of(*step);
                    index = 1 + (co_yield whole);
                }
            }
            uses.add(number, {place.base, index - 1});
        }
}

}  // namespace kumihimo::collectives
