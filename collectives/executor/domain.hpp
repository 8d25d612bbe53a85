// What the executor keeps for a communicator of the program: one of its own for messages, work space, and that all ranks have
// the same rules. Hangs on the communicator as an attribute and goes with it.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "collectives/selection.hpp"

namespace kumihimo::collectives {

// The process's settings: KUMIHIMO_COLL_TUNE, _TABLE, _SHAPE, _SEGMENT, _WORK. Read once; wrong ones are told once and count as
// none.
struct Settings {
    Selection selection;
    Torus shape;
    Bytes segment_bytes, work_limit;
    std::size_t look_ahead;
    unsigned long fingerprint;  // equal settings have equal ones
};
const Settings& settings();

class Domain {
public:
    // Null: native collectives only. Collective over the communicator at its first call, which every rank must make at the same
    // place; after that without communication.
    static Domain* of(MPI_Comm communicator);

    MPI_Comm messages() const { return messages_; }
    std::byte* work() const { return work_; }
    int rank() const { return rank_; }
    int ranks() const { return ranks_; }
    Torus torus() const;

private:
    Domain() = default;
    ~Domain();
    static int keyval();
    static int release(MPI_Comm communicator, int keyval, void* domain, void* state);
    void open(MPI_Comm communicator);

    MPI_Comm messages_ = MPI_COMM_NULL;
    std::byte* work_ = nullptr;
    int rank_ = 0, ranks_ = 1;
    bool serves_ = false;
};

}  // namespace kumihimo::collectives
