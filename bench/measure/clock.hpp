// One clock for all ranks: each rank's own, and how far it is from that of rank 0. Calls that are to begin together need it.
#pragma once

#include <mpi.h>

namespace kumihimo::bench {

double local_us();  // since an arbitrary moment, by a clock that is never set back

class CommonClock {
public:
    explicit CommonClock(MPI_Comm comm) : comm_(comm) { synchronise(); }

    void synchronise();  // collective; clocks drift by some 10 us in a second
    double now_us() const { return local_us() + offset_us_; }

private:
    void answer(int child) const;
    void ask(int parent);

    MPI_Comm comm_;
    double offset_us_ = 0;  // of rank 0's clock before mine
};

}  // namespace kumihimo::bench
