// Dissemination along the first axis of a torus, then the second, then the third: about as many rounds as over all ranks, but
// no signal leaves its line of nodes.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps barrier_axes(Call call) {
    After round;
    for (int axis = 0; axis < most_axes; ++axis)
        for (int distance = 1; distance < call.torus.extents[axis]; distance *= 2) {
            const StepIndex sent = co_yield send(call.torus.neighbour(call.rank, axis, distance), {}, round);
            const StepIndex got = co_yield receive(call.torus.neighbour(call.rank, axis, -distance), {}, round);
            round = Interval{sent, got};
        }
}

}  // namespace kumihimo::collectives
