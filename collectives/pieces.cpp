#include "collectives/pieces.hpp"

#include <algorithm>
#include <vector>

namespace kumihimo::collectives {

namespace {

// Bytes [first, last) of the vector that a part has.
struct Part {
    Bytes first, last;
    Part(const Call& call, int parts, int i)
        : first(cut(call.bytes, call.element_bytes, parts, i)), last(cut(call.bytes, call.element_bytes, parts, i + 1)) {}
    Bytes bytes() const { return last - first; }
};

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
    std::vector<Interval> last_use(static_cast<std::size_t>(std::max(pieces.slots, 1)));
    StepIndex index = 0;
    for (StepIndex number = 0; number < StepIndex{pieces.count} * algorithm.parts; ++number) {
        const int channel = static_cast<int>(number % algorithm.parts);
        const Part part(call, algorithm.parts, channel);
        const Bytes first = part.first + number / algorithm.parts * pieces.piece_bytes;
        if (first >= part.last) continue;
        const StepIndex slot = pieces.slots > 0 ? number % pieces.slots : 0, base = index;
        Call piece = call;
        piece.channel = channel;
        piece.offset += first;
        piece.bytes = std::min(pieces.piece_bytes, part.last - first);
        piece.work_offset = slot * pieces.slot_bytes;
        Steps steps = algorithm.steps(piece);
        const std::size_t place = static_cast<std::size_t>(slot);
        while (const Step* const step = steps.next()) {
            const Step whole = placed(*step, base, last_use[place]);
            index = 1 + (co_yield whole);
        }
        if (pieces.slots > 0) last_use[place] = {base, index - 1};
    }
}

}  // namespace kumihimo::collectives
