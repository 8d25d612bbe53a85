// What the parts of an open file share. One rank's; made by opening.cpp, used by write_behind.cpp and collective.cpp.
#pragma once

#include "mpiio/engine/direct/buffer.hpp"
#include "mpiio/engine/direct/hints.hpp"
#include "mpiio/engine/direct/independent.hpp"
#include "mpiio/engine/direct/log.hpp"
#include "mpiio/engine/direct/model.hpp"
#include "mpiio/engine/direct/posix.hpp"
#include "mpiio/engine/direct/same_file.hpp"
#include "mpiio/engine/direct/shared.hpp"

namespace kumihimo::mpiio::direct {

struct State {
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    MPI_Comm comm = MPI_COMM_NULL;
    Team* team = nullptr;
    int rank = 0, ranks = 1;
    int processors = 1;  // of rank 0's machine: the same number on all ranks
    int amode = 0;
    bool atomic = false;
    Parameters parameters;
    const FileSystem* system = nullptr;
    Meter meter;
    PosixFile file{meter};
    SharedPointer shared{meter};
    WriteLog log{0};
    std::optional<Failure> kept;  // of a write that was deferred: the next collective call that agrees tells it
    std::optional<Failure> lost;  // of bytes that the program took for written: every sync tells it, and close
    Buffer buffer;
    SameFile same_file;

    ~State();
    void lose(const Failure& why);  // bytes that the program took for written; the first reason stays
    // Gives an empty log the size that the parameters say, in the team's memory if it fits there.
    void size_log();
    // Whether all ranks of the team can read what is in the log: where it lies, and the list of its places.
    bool log_in_shared_memory() const;
    sets::Blocks* list_of(int rank) const;
    std::optional<Failure> agree(const std::optional<Failure>& mine) { return team->agree(mine); }  // collective

    Cost write_cost() const { return meter.writes.fit(system->write); }
    Cost read_cost() const { return meter.reads.fit(system->read); }
    bool may_write_behind() const { return !atomic && (amode & MPI_MODE_SEQUENTIAL) == 0 && parameters.log_bytes > 0; }
    Index small_bytes() const;  // a write below this may be deferred: its copy costs less than an operation
    Tuning write_tuning() const { return {parameters.write_buffer_bytes}; }
    Tuning read_tuning() const;  // reads through gaps that cost less than an operation
};

}  // namespace kumihimo::mpiio::direct
