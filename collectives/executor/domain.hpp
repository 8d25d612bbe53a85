// What the executor keeps for a communicator of the program: one of its own for messages, shared memory with the ranks of the
// same machine, work space, and that all ranks have the same rules. Hangs on the communicator as an attribute and goes with it.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>

#include "collectives/executor/known_calls.hpp"
#include "collectives/executor/run.hpp"
#include "collectives/executor/settings.hpp"

namespace kumihimo::collectives {

class Domain {
public:
    // Null: native collectives only. Every rank must ask at every collective call; it communicates at the first one and, where
    // only the built-in rules apply, at a later one.
    static Domain* of(MPI_Comm communicator);

    const Selection& rules() const { return settings().*rules_; }
    int rank() const { return rank_; }
    int ranks() const { return ranks_; }
    Torus torus() const;
    const Placement* placement() const { return placement_ ? &*placement_ : nullptr; }
    KnownCalls& known_calls() { return known_calls_; }
    // An MPI error code. Of the operands, what belongs to the domain is set here.
    int run(Source steps, Operands operands, std::size_t look_ahead);

private:
    Domain() = default;
    ~Domain();
    static int keyval();
    static int release(MPI_Comm communicator, int keyval, void* domain, void* state);
    void open(MPI_Comm communicator);
    void connect(MPI_Comm communicator);
    void count_call(MPI_Comm communicator);

    MPI_Comm messages_ = MPI_COMM_NULL;
    std::unique_ptr<NodeMessages> node_;
    std::optional<Placement> placement_;
    std::byte* work_ = nullptr;
    int rank_ = 0, ranks_ = 1;
    bool serves_ = false;
    Selection Settings::*rules_ = &Settings::rules;  // which of them count
    int calls_to_connect_ = 0;                       // 0: connected, or never
    KnownCalls known_calls_;
    Run run_;
};

}  // namespace kumihimo::collectives
