// Each block collects the sum on its way around the ring and ends at its owner: messages go to neighbours only. Needs an
// operation that commutes.
#include <algorithm>

#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps reduce_scatter_ring(Call call) {
    const auto own = [&](int behind) { return call.send_blocks.in(call.input(), call.ahead(-behind)); };
    Bytes largest = 0;
    for (int rank = 0; rank < (call.varying ? call.ranks : 1); ++rank) largest = std::max(largest, call.send_blocks.size(rank));
    Span sum = own(1);
    After ready;
    StepIndex sent = -1, last = -1;
    for (int i = 2; i <= call.ranks; ++i) {
        const Span place{Buffer::work, largest * (i % 2), own(i).bytes};
        After free;
        if (i > 3) free.add(sent);  // the message before the one that leaves now came from here
        const StepIndex got = co_yield receive(call.ahead(-1), place, free);
        sent = co_yield send(call.ahead(1), sum, ready);
        ready = last = co_yield reduce(own(i), place, got);
        sum = place;
    }
    const Span result{Buffer::receive, 0, sum.bytes};
    if (sum != result) co_yield copy(sum, result, Interval{0, last});
}

}  // namespace kumihimo::collectives
