// What a program did with one file on this rank, call by call, so that it can be done again by another library.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace kumihimo::mpiio::advise {

// How a call finds its place in the file.
enum class Place { offset, pointer, shared, ordered };

struct DataCall {
    bool writes;
    bool collective;
    Place place;
    MPI_Offset offset;   // in etypes of the view, of Place::offset
    std::int64_t bytes;  // of this rank
};

// One call that can be done again.
struct Step {
    enum class Kind { data, view, seek, sync } kind;
    DataCall data;
    std::size_t view;   // which of the trace's views
    MPI_Offset offset;  // of seek
    int whence;
};

struct RecordedView {
    MPI_Offset displacement;
    MPI_Datatype etype, filetype;  // copies
};

struct CallTotals {
    std::int64_t reads = 0, writes = 0, bytes_read = 0, bytes_written = 0;
    double seconds = 0;  // in the MPI library: opening, data access, sync and close
};

// Keeps the first calls (a program's I/O repeats itself); all calls are counted.
class Trace {
public:
    Trace() = default;
    Trace(const Trace&) = delete;
    ~Trace();

    void add(const DataCall& call);
    void add_view(MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype);
    void add_seek(MPI_Offset offset, int whence);
    void add_sync();
    void add_seconds(double seconds) { totals_.seconds += seconds; }

    const CallTotals& totals() const { return totals_; }
    const std::vector<Step>& steps() const { return steps_; }
    const RecordedView& view(const Step& step) const { return views_[step.view]; }
    bool complete() const { return complete_; }
    std::int64_t collectives() const { return collectives_; }  // among the steps
    std::int64_t bytes() const { return bytes_; }              // of the steps
    std::int64_t largest() const { return largest_; }          // transfer among the steps, in bytes

private:
    void keep(const Step& step, bool collective, std::int64_t bytes);

    std::vector<Step> steps_;
    std::vector<RecordedView> views_;
    CallTotals totals_;
    bool complete_ = true;
    std::int64_t collectives_ = 0, bytes_ = 0, largest_ = 0;
};

}  // namespace kumihimo::mpiio::advise
