// The frame of a data access call: locks the file, times the call, counts it for the report, and ends it with status, error
// handler and code.
#pragma once

#include "mpiio/file/transfer.hpp"

namespace kumihimo::mpiio {

class Call {
public:
    Call(File& file, const char* function, const Transfer& transfer, bool collective)
        : file_(file),
          function_(function),
          transfer_(transfer),
          collective_(collective),
          lock_(file.mutex()),
          counted_(file.calls, file.reports()) {}

    // What the call returns. `status` may be MPI_STATUS_IGNORE.
    int complete(const Outcome& outcome, MPI_Status* status) const {
        set_status(status, file_, transfer_, outcome.moved);
        counted_.complete(transfer_.direction == Direction::write, collective_, outcome.moved, outcome.failure.has_value());
        return file_.finish(function_, outcome.failure, collective_);
    }

private:
    File& file_;
    const char* function_;
    const Transfer& transfer_;
    bool collective_;
    std::lock_guard<std::recursive_mutex> lock_;
    const CountedCall counted_;
};

}  // namespace kumihimo::mpiio
