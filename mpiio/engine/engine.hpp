// What an engine is: the way a file's bytes are stored and fetched. One folder each (direct, faulty, ...), listed in
// registry.cpp. The file layer (mpiio/file) knows MPI-IO - views, pointers, datatypes, handles - and turns each call into an
// Access; an engine knows files and never sees a datatype.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/agreement.hpp"
#include "mpiio/engine/access.hpp"

namespace kumihimo::mpiio {

using base::Failure;  // .code is an MPI error class (MPI_ERR_IO, MPI_ERR_NO_SPACE, ...)

using Hints = std::map<std::string, std::string>;  // as in MPI_Info

struct OpenRequest {
    MPI_Comm comm;     // the engine's own copy of the file's communicator, freed after close
    std::string path;  // without prefix
    int amode;         // MPI_MODE_*
    Hints hints;       // equal on all ranks as far as the program did it right
};

// What became of a transfer on this rank. `moved` counts from the beginning: bytes behind a failure do not count.
// Fewer bytes than asked for without a failure: the file ended.
struct Outcome {
    Index moved = 0;
    std::optional<Failure> failure;
    bool agreed = false;  // collective calls: all ranks know of the failure already
};

// What `KUMIHIMO_IO_REPORT` prints of a file, counted by the engine on this rank.
struct Counters {
    Index reads = 0, writes = 0, bytes_read = 0, bytes_written = 0;  // operations on the file system
    Index others = 0;                                                // opens, syncs, locks, truncations
    double seconds = 0;                                              // in the file system
    Index exchanged_bytes = 0;                                       // sent to other ranks

    Counters& operator+=(const Counters& other) {
        reads += other.reads, writes += other.writes, bytes_read += other.bytes_read, bytes_written += other.bytes_written;
        others += other.others, seconds += other.seconds, exchanged_bytes += other.exchanged_bytes;
        return *this;
    }
};

// What else an engine counts, by name: `KUMIHIMO_IO_REPORT` tells the sum over ranks, of
// names that end in seconds the slowest rank's.
using Details = std::vector<std::pair<std::string, double>>;

// An open file. Collective functions are called by all ranks, in the same order, also where a rank has nothing to move; they
// return on every rank whatever fails elsewhere (no lone exit), and the caller then agrees on the failure unless they say
// `agreed`. Calls on one object never overlap.
class EngineFile {
public:
    virtual ~EngineFile() = default;

    // ---- data: complete or failed at return, though others may see it only after sync, and a failure of a write that was
    // deferred shows at the next sync or close. A rank reads what it wrote itself.
    virtual Outcome read(const Access& access) = 0;
    virtual Outcome write(const Access& access) = 0;
    virtual Outcome read_all(const Access& access) { return read(access); }    // collective
    virtual Outcome write_all(const Access& access) { return write(access); }  // collective

    // ---- the file as a whole ----
    virtual std::optional<Failure> size(Index& bytes) = 0;           // with what this rank has written
    virtual std::optional<Failure> set_size(Index bytes) = 0;        // collective
    virtual std::optional<Failure> preallocate(Index bytes) = 0;     // collective
    virtual std::optional<Failure> flush() { return std::nullopt; }  // collective: what was deferred is in the file, agreed
    virtual std::optional<Failure> sync() = 0;                       // collective: durable
    virtual std::optional<Failure> close() = 0;  // collective: what was deferred is written, resources are freed
    virtual std::optional<Failure> set_atomic(bool atomic) = 0;  // collective
    // In atomic mode, transfers of this rank that are seen whole or not at all (MPI 3.1, 13.6.1), under the file's lock. One
    // within another is part of it: of several files one is made (spread).
    template <typename Transfer>
    Outcome as_a_whole(Transfer&& transfer) {
        if (whole_) return transfer();
        if (auto failure = lock()) return {0, failure};
        whole_ = true;
        Outcome outcome = transfer();
        whole_ = false;
        const auto unlocked = unlock();
        if (!outcome.failure) outcome.failure = unlocked;
        return outcome;
    }

    // ---- the shared pointer: one number for the whole file, 0 at first, in units of the caller ----
    virtual std::optional<Failure> add_to_shared(Index amount, Index& before) = 0;
    virtual std::optional<Failure> set_shared(Index value) = 0;  // by one rank; the others wait for it by the caller's means

    // ---- hints: those in force; unknown keys are ignored (MPI 3.1, 13.2.8) ----
    virtual Hints hints() const = 0;
    virtual void set_hints(const Hints& hints) = 0;  // collective

    virtual Counters counters() const = 0;
    virtual Details details() const { return {}; }
    virtual void conclude(Details& /*totals*/) const {}  // adds what follows from all ranks' details, on rank 0

protected:
    bool whole() const { return whole_; }

private:
    // Waits until no other transfer is under way; none of others begins before unlock().
    virtual std::optional<Failure> lock() { return not_as_a_whole(); }
    virtual std::optional<Failure> unlock() { return not_as_a_whole(); }
    static Failure not_as_a_whole() { return {MPI_ERR_UNSUPPORTED_OPERATION, "this engine locks no file as a whole", 0}; }

    bool whole_ = false;  // several transfers are one now
};

struct Engine {
    const char* name;
    const char* help;  // one sentence
    // Collective. On failure every rank gets one (agreed); nothing stays open.
    std::unique_ptr<EngineFile> (*open)(const OpenRequest& request, std::optional<Failure>& failure);
    std::optional<Failure> (*remove)(const std::string& path);
    bool elsewhere = false;  // its files are none that the MPI library could open
};

std::span<const Engine> engines();
const Engine* find_engine(const std::string& name);  // none: unknown

}  // namespace kumihimo::mpiio
