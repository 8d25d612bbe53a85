// Binomial tree up to rank 0 and back: 2 (n - 1) messages, the fewest there can be.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps barrier_binomial(Call call) {
    StepIndex last = -1;
    int distance = 1;
    for (; distance < call.ranks && (call.rank & distance) == 0; distance *= 2)
        if (call.rank + distance < call.ranks) last = co_yield receive(call.rank + distance, {});
    if (call.rank != 0) {
        last = co_yield send(call.rank - distance, {}, Interval{0, last});
        last = co_yield receive(call.rank - distance, {}, last);
    }
    const After released = Interval{0, last};
    for (distance /= 2; distance > 0; distance /= 2)
        if (call.rank + distance < call.ranks) co_yield send(call.rank + distance, {}, released);
}

}  // namespace kumihimo::collectives
