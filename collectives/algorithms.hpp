// The table of algorithms, and the schedule of any of them. Algorithms of vectors (Bcast, Reduce, Allreduce) are written for
// one piece; here they become pipelines, parallel trees, and fit into limited work space.
#pragma once

#include <cstddef>
#include <span>

#include "collectives/call.hpp"
#include "collectives/steps.hpp"

namespace kumihimo::collectives {

struct Algorithm {
    Operation operation;
    const char* name;
    const char* explanation;
    Steps (*steps)(Call);
    // Whether it can do what the call asks, apart from work space. Like all below the same on all ranks.
    bool (*suits)(const Call&);
    int parts = 1;                         // into which the data are divided, each with its own tree or direction and channel
    bool pipelined = false;                // vectors: cut into segments of Call::segment_bytes
    int work_vectors = 0;                  // vectors: work space for one piece, in pieces
    Bytes (*work)(const Call&) = nullptr;  // blocks: the most work space that a rank needs, in bytes; null: none
    // Steps of a rank that must be in view so that all pieces can be under way that should be; null: least_window.
    std::size_t (*view)(const Algorithm&, const Call&) = nullptr;
    bool asks_sizes = false;  // the leader of each host must know Call::told
};

// In the order of the operations; the first of an operation that suits is the simplest.
std::span<const Algorithm> algorithms();
const Algorithm* find_algorithm(Operation operation, const char* name);  // null if there is none

// Whether the algorithm can be used: it suits, and its work space is within Call::work_limit (with smaller pieces if need be).
bool usable(const Algorithm& algorithm, const Call& call);
// Bytes of work space that the schedule uses; at most Call::work_limit. Precondition of both: usable.
Bytes work_bytes(const Algorithm& algorithm, const Call& call);
Steps schedule(const Algorithm& algorithm, const Call& call);
// How many steps ahead a runner should look: as far as it makes the schedule faster, within memory of Call::work_limit bytes.
std::size_t look_ahead(const Algorithm& algorithm, const Call& call);

}  // namespace kumihimo::collectives
