// How long a launch may take (--budget): each operation has its share of what is left, so that in little time every operation
// is measured in its smaller sizes, rather than some in all sizes and others not at all.
#pragma once

#include <mpi.h>

namespace kumihimo::bench {

class Budget {
public:
    // operations: that are to share the seconds; 0 seconds: as long as it takes.
    Budget(double seconds, int operations, MPI_Comm comm);

    void next_operation();  // its share begins
    bool is_spent() const;  // collective: whether the operation has used up its share, by rank 0's clock
    static constexpr const char* reason = "found no time left";  // why a size is left out then

private:
    double end_us_, share_end_us_ = 0;
    int operations_;
    bool limited_;
    MPI_Comm comm_;
};

}  // namespace kumihimo::bench
