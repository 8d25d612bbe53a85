// Waiting for other nodes through shared memory without starving MPI: a peer may be blocked in a message that makes
// progress only inside this node's MPI calls, so a wait that lasts looks in on MPI from time to time.
#pragma once

#include <mpi.h>

#include "base/wait.hpp"

namespace kumihimo::globalview {

inline void drive_messages() {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
}

template <typename Ready>
void wait_until(Ready&& ready) {
    // A neighbour in step answers within a microsecond. Measured: a pause instruction between these polls doubles the time of a
    // small exchange.
    constexpr int bare_polls = 1000;
    if (!base::processors_are_shared())
        for (int polls = 0; polls < bare_polls; ++polls)
            if (ready()) return;
    constexpr unsigned polls_between_looks = 128;
    base::Waiting waiting;
    for (unsigned polls = 1; !ready(); ++polls) {
        waiting.step();
        if (polls % polls_between_looks == 0) drive_messages();
    }
}

}  // namespace kumihimo::globalview
