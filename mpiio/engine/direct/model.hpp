// Which way of a collective transfer is the fastest: a model of what each would cost, from what is known of the file system and
// was observed on this file. Pure. All ranks give it the same numbers, so all come to the same answer without asking again.
#pragma once

#include <span>

#include "mpiio/engine/direct/cost.hpp"
#include "mpiio/engine/direct/hints.hpp"

namespace kumihimo::mpiio::direct {

struct FileSystem {
    const char* name;
    bool network;      // operations cost much, and ranks hinder each other less than they help
    Cost write, read;  // of one operation, before anything was observed
    Index gathered;    // at most, bytes of one write of what the program wrote in short pieces
    Index alignment;   // of the borders between aggregators: blocks and stripes that two ranks should not share
};
const FileSystem& file_system(long magic);  // statfs's number; unknown ones count as network file systems

// What a rank tells all others before a collective transfer. Travels as bytes.
struct Summary {
    Index begin = 0, end = 0;  // of its bytes in the file; equal: none
    Index bytes = 0, pieces = 0;
    Index logged = 0;               // bytes deferred before
    bool failed = false;            // with a failure the others have not heard of
    bool in_shared_memory = false;  // the other ranks can read its bytes where they are
    Cost write, read;               // as fitted to this rank's operations
    double last_s = 0;              // that the last transfer through aggregators took
};

// The sum of all summaries.
struct Load {
    bool reads = false, in_shared_memory = false;
    Index begin = 0, end = 0, bytes = 0, pieces = 0, most_bytes = 0, most_logged = 0;
    int busy = 0;                             // ranks that move something
    Cost cost;                                // of an operation: the mean over all ranks
    double plain_s = 0, longest_plain_s = 0;  // of the ranks' independent transfers: all, and the longest
    bool empty() const { return bytes == 0; }
    double density() const { return static_cast<double>(bytes) / static_cast<double>(end - begin); }
};
Load load_of(std::span<const Summary> ranks, bool reads, Index read_buffer_bytes);

struct Situation {
    int ranks, processors;
    bool network;
    Index buffer_bytes;     // of an aggregator
    Index aggregators;      // 0: the model's choice
    double correction = 1;  // of the two-phase estimate, by what was observed
};

int aggregators(const Load& load, const Situation& situation);
// Estimates in seconds.
double plain_seconds(const Load& load, const Situation& situation);
double two_phase_seconds(const Load& load, const Situation& situation);
// The new correction of the two-phase estimate, after one that said `estimate_s` took `observed_s`. Without one (0) the
// correction fades: what was slow once gets another chance.
double corrected(double correction, double estimate_s, double observed_s);
// independent or two_phase.
Strategy cheaper(const Load& load, const Situation& situation);

}  // namespace kumihimo::mpiio::direct
