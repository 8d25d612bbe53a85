// KUMIHIMO_IO_ADVISE: files that Kumihimo would serve stay with the MPI library, and their calls are noted. Called by the entry
// points; costs them one load where no file is observed.
#pragma once

#include <mpi.h>

#include <atomic>
#include <string>

#include "mpiio/advise/trace.hpp"
#include "mpiio/file/operations.hpp"

namespace kumihimo::mpiio::advise {

bool wanted();  // the setting

inline std::atomic<int> observed_files = 0;
inline bool observing() {
    return observed_files.load(std::memory_order_relaxed) != 0;
}

// Collective, after a file was opened by the MPI library in `seconds`.
void begin(MPI_Comm comm, const Choice& choice, int amode, MPI_File file, double seconds);
// Collective, when it is closed: `close` closes it; then the advice is given.
template <typename Close>
int end(MPI_File* file, Close&& close);

// The trace of an observed file, or none: another file, or a call inside another one (tools that call PMPI_x by name).
class Observation {
public:
    explicit Observation(MPI_File file);
    ~Observation();
    Observation(const Observation&) = delete;
    Trace* trace() const { return trace_; }

private:
    Trace* trace_;
    double start_ = 0;
};

// Calls `next` and notes what was done if it succeeded.
template <typename Note, typename NextCall>
int observed(MPI_File file, Note&& note, NextCall&& next) {
    const Observation observation(file);
    const int code = next();
    if (observation.trace() != nullptr && code == MPI_SUCCESS) note(*observation.trace());
    return code;
}

template <typename NextCall>
int observed_data(MPI_File file, bool writes, bool collective, Place place, MPI_Offset offset, MPI_Count count,
                  MPI_Datatype type, NextCall&& next) {
    const auto note = [&](Trace& trace) {
        MPI_Count bytes = 0;
        MPI_Type_size_x(type, &bytes);
        trace.add({writes, collective, place, offset, bytes * count});
    };
    return observed(file, note, next);
}

// Takes an observed file out of the table; none if it is another one.
struct Observed;
Observed* take(MPI_File file);
void conclude(Observed* taken, double seconds);

template <typename Close>
int end(MPI_File* file, Close&& close) {
    Observed* const taken = file == nullptr ? nullptr : take(*file);
    const double start = MPI_Wtime();
    const int code = close();
    if (taken != nullptr) conclude(taken, MPI_Wtime() - start);
    return code;
}

}  // namespace kumihimo::mpiio::advise
