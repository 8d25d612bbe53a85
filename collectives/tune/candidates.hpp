// What the tuner measures: one operation on one size, by the MPI library or by an algorithm of ours.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "collectives/algorithms.hpp"

namespace kumihimo::collectives::tune {

class Trial {
public:
    // bytes: of the vector or of a block, a multiple of a double's.
    Trial(Operation operation, Bytes bytes, MPI_Comm comm, const Torus& torus, const Placement& placement);

    // null (native) first, then the algorithms that can be used.
    const std::vector<const Algorithm*>& candidates() const { return candidates_; }
    // Seconds that the slowest rank took; equal on all ranks.
    double measure(const Algorithm* candidate);

private:
    void run(bool by_rules);

    Call call_;
    MPI_Comm comm_;
    std::vector<const Algorithm*> candidates_{nullptr};
    std::vector<std::byte> send_, receive_;
};

}  // namespace kumihimo::collectives::tune
