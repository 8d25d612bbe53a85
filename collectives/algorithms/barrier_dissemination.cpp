// Dissemination: in ceiling(log2 n) rounds every rank signals one at twice the distance and is signalled.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps barrier_dissemination(Call call) {
    After round;
    for (int distance = 1; distance < call.ranks; distance *= 2) {
        const StepIndex sent = co_yield send(call.ahead(distance), {}, round);
        const StepIndex got = co_yield receive(call.ahead(-distance), {}, round);
        round = Interval{sent, got};
    }
}

}  // namespace kumihimo::collectives
