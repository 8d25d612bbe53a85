// For the bisection of a torus. In every round all ranks send to the rank at the same displacement along the axes, so all links
// of an axis and direction carry the same number of blocks: no link is worse off than the bisection demands. Each displacement
// is followed by its opposite, which uses the links of the other direction; and displacements come in an order in which any run
// of rounds mixes axes and distances as the whole does: in 64 of them no link of that torus has more than 1.3 times its share.
// Where the ranks' torus lies folded in a larger one, 128 are as even. So many are under way at a time
// (Call::rounds_in_flight): a message that waits for its link then leaves no others idle, and ranks do not drift apart.
#include <utility>

#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

namespace {

int greatest_common_divisor(int a, int b) {
    return b == 0 ? a : greatest_common_divisor(b, a % b);
}

// A displacement whose multiples (as numbers) are all displacements, and mix the places on all axes: on each axis it is near a
// power of the inverse of the golden ratio's generalization to that many axes (the root of x^(k+1) = x + 1), the evenest there
// is; as a number it shares no factor with that of the ranks.
int mixing_step(const Torus& torus) {
    constexpr double ratios[] = {1, 1.6180339887498949, 1.3247179572447460, 1.2207440846057596};
    const double ratio = 1 / ratios[torus.axes()];
    double part = 1;
    int step = 0, unit = 1;
    for (const int extent : torus.extents) {
        if (extent > 1) part *= ratio;
        step += static_cast<int>(extent * part) % extent * unit;
        unit *= extent;
    }
    while (step < 1 || greatest_common_divisor(step, unit) != 1) ++step;
    return step;
}

Coordinates negative(const Torus& torus, Coordinates at) {
    for (int axis = 0; axis < most_axes; ++axis) at[axis] = at[axis] == 0 ? 0 : torus.extents[axis] - at[axis];
    return at;
}

// Both within the torus.
int sum(const Torus& torus, const Coordinates& a, const Coordinates& b) {
    Coordinates at{};
    for (int axis = 0; axis < most_axes; ++axis) {
        at[axis] = a[axis] + b[axis];
        if (at[axis] >= torus.extents[axis]) at[axis] -= torus.extents[axis];
    }
    return torus.rank(at);
}

}  // namespace

Steps alltoall_torus(Call call) {
    const int step = mixing_step(call.torus);
    const Coordinates here = call.torus.coordinates(call.rank);
    StepIndex round = 0;
    co_yield copy(call.send_blocks.in(Buffer::send, call.rank), call.receive_blocks.in(Buffer::receive, call.rank));
    for (std::int64_t i = 1, next = step % call.ranks; i < call.ranks; ++i, next = (next + step) % call.ranks) {
        Coordinates there = call.torus.coordinates(static_cast<int>(next)), back = negative(call.torus, there);
        const int number = static_cast<int>(next), opposite = call.torus.rank(back);
        if (number > opposite) continue;  // done together with its opposite
        for (int turn = 0; turn < (number == opposite ? 1 : 2); ++turn, std::swap(there, back)) {
            After before;
            if (const StepIndex earlier = round - call.rounds_in_flight; earlier >= 0)
                before = Interval{1 + 2 * earlier, 2 + 2 * earlier};
            const int from = sum(call.torus, here, back), to = sum(call.torus, here, there);
            co_yield receive(from, call.receive_blocks.in(Buffer::receive, from), before);
            co_yield send(to, call.send_blocks.in(Buffer::send, to), before);
            ++round;
        }
    }
}

}  // namespace kumihimo::collectives
