// What was done at earlier calls with the same arguments: programs repeat their calls, and a short message takes less time than
// finding out how to send it.
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "collectives/algorithms.hpp"
#include "collectives/executor/run.hpp"

namespace kumihimo::collectives {

// Of a call whose blocks are all of one size and side by side; what it does not have stays as it is here. What is the same in
// two calls on a rank is so on all ranks, as far as it decides who does the call.
struct Arguments {
    Operation operation = Operation::barrier;
    int root = 0;
    bool in_place = false;
    int count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int receive_count = 0;
    MPI_Datatype receive_type = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    bool varying = false;  // blocks that happen to be of one size, here

    bool operator==(const Arguments&) const = default;
};

// Of the blocks of a call whose algorithm asks for them (Algorithm::asks_sizes): this rank's, if it tells them, and what its
// host's ranks have told it, if it is their leader.
struct Sizes {
    std::vector<Bytes> mine, told;
};

struct KnownCall {
    Arguments arguments;
    unsigned long rules = 0;  // under which it was chosen
    bool valid = false;
    const Algorithm* algorithm = nullptr;  // null: native
    Operands operands;                     // without buffers
    std::vector<Step> steps;               // all
    Sizes sizes;                           // for which the steps are
};

class KnownCalls {
public:
    // Null: nothing is known.
    const KnownCall* find(const Arguments& arguments) const;
    // Only calls whose types and operations are predefined: others may become something else under the same handle. Long
    // schedules are not kept. What was known of the same arguments with other sizes is forgotten.
    void remember(const Arguments& arguments, const Algorithm* algorithm, const Call& call, const Operands& operands,
                  const Sizes& sizes = {});

private:
    // A call is in one of a few places, so that those of a loop do not drive each other out.
    static constexpr std::size_t sets = 16, places = 4;

    struct Set {
        std::array<KnownCall, places> calls;
        std::size_t next = 0;  // that a new one takes
    };
    std::array<Set, sets> sets_;
};

}  // namespace kumihimo::collectives
