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
          start_(file.reports() ? MPI_Wtime() : 0) {}

    // What the call returns. `status` may be MPI_STATUS_IGNORE.
    int complete(const Outcome& outcome, MPI_Status* status) const {
        set_status(status, file_, transfer_, outcome.moved);
        count(outcome);
        return file_.finish(function_, outcome.failure, collective_);
    }

private:
    void count(const Outcome& outcome) const {
        Calls& calls = file_.calls;
        const bool reading = transfer_.direction == Direction::read;
        Index& kind =
            collective_ ? (reading ? calls.collective_reads : calls.collective_writes) : (reading ? calls.reads : calls.writes);
        kind += 1;
        (reading ? calls.bytes_read : calls.bytes_written) += outcome.moved;
        calls.failures += outcome.failure ? 1 : 0;
        if (file_.reports()) calls.seconds += MPI_Wtime() - start_;
    }
    File& file_;
    const char* function_;
    const Transfer& transfer_;
    bool collective_;
    std::lock_guard<std::recursive_mutex> lock_;
    double start_;
};

}  // namespace kumihimo::mpiio
