// What the tuner measures: one operation on one size, by the MPI library or by an algorithm of ours.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "collectives/algorithms.hpp"

namespace kumihimo::collectives::tune {

class Trial {
public:
    // bytes: of the vector or of a block, a multiple of a double's. Messages and work space are taken from here too.
    Trial(Operation operation, Bytes bytes, MPI_Comm comm, const Torus& torus, Bytes segment_bytes, Bytes work_limit);
    ~Trial();
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    // null (native) first, then the algorithms that can be used.
    const std::vector<const Algorithm*>& candidates() const { return candidates_; }
    // Seconds that the slowest rank took; equal on all ranks.
    double measure(const Algorithm* candidate);

private:
    void native();
    void ours(const Algorithm& algorithm);

    Call call_;
    MPI_Comm comm_, messages_ = MPI_COMM_NULL;
    std::vector<const Algorithm*> candidates_{nullptr};
    std::vector<std::byte> send_, receive_, work_;
};

}  // namespace kumihimo::collectives::tune
