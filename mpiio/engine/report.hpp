// KUMIHIMO_IO_REPORT: the proof that a file was served, and by what. One entry for each file of MPI-IO and of XMP-IO, when it
// is closed.
#pragma once

#include <mpi.h>

#include <string>

#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio {

// What the program asked of a file on this rank.
struct Calls {
    Index reads = 0, writes = 0, collective_reads = 0, collective_writes = 0;
    Index bytes_read = 0, bytes_written = 0;
    Index failures = 0;
    double seconds = 0;  // in these calls
};

// One call that moves data: timed from here on, and counted when it is complete.
class CountedCall {
public:
    CountedCall(Calls& calls, bool timed) : calls_(calls), start_(timed ? MPI_Wtime() : not_timed) {}
    void complete(bool writes, bool collective, Index bytes, bool failed) const;

private:
    static constexpr double not_timed = -1;
    Calls& calls_;
    double start_;
};

bool reporting();  // whether it is wanted, at this moment

// Writes where KUMIHIMO_IO_REPORT says: text for people on standard error, or a line of JSON appended to a file.
void write_report(const std::string& text, const std::string& json);

// Collective over comm; rank 0 writes. KUMIHIMO_IO_REPORT=1 or -: text on standard error; a file name: one line of JSON is
// appended:
// {"file", "engine", "ranks", "calls": {"read", "write", "read_all", "write_all"}, "bytes": {"read", "written"}, "failures",
//  "seconds", "file_system": {"reads", "writes", "others", "bytes_read", "bytes_written", "seconds"}, "exchanged_bytes",
//  "engine_counters": {...}}; sums over ranks, seconds of the slowest rank. process: what the text calls one: "rank", "node".
void report_file(MPI_Comm comm, const std::string& path, const char* engine, const Calls& calls, const EngineFile& file,
                 const char* process);

}  // namespace kumihimo::mpiio
