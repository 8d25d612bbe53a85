// Runs one rank's schedule by MPI: looks a number of steps ahead, starts each as soon as what it waits for is complete, keeps
// all its messages under way at the same time. Blocking; needs no thread of its own and works under every thread level, since
// all state is here.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "collectives/steps.hpp"

namespace kumihimo::collectives {

// Where a schedule's buffers are, and what its messages and reductions are made of.
struct Operands {
    const std::byte* send = nullptr;
    std::byte* receive = nullptr;
    std::byte* work = nullptr;
    MPI_Comm communicator = MPI_COMM_NULL;  // carries nothing else
    MPI_Datatype element = MPI_BYTE;        // of reductions
    Bytes element_bytes = 1;
    MPI_Op operation = MPI_OP_NULL;
};

class Run {
public:
    Run(Steps steps, const Operands& operands, std::size_t look_ahead);

    // An MPI error code. After an error no message is under way any more that could touch memory of this rank.
    int execute();

private:
    enum class State : char { waiting, started, done };
    struct Pending {
        Step step;
        State state = State::waiting;
    };

    Pending& pending(StepIndex index) { return window_[static_cast<std::size_t>(index) % window_.size()]; }
    void read();
    bool start_all();
    bool ready(const Step& step);
    bool overtakes(const Step& step, StepIndex index);
    int start(Pending& pending, StepIndex index);
    int combine(const Step& step);
    int await();
    void finish(StepIndex index);
    void abandon();

    const std::byte* source(const Span& span) const;
    std::byte* target(const Span& span) const;

    Steps steps_;
    Operands operands_;
    std::vector<Pending> window_;  // steps [low_, end_), step i in place i % size
    StepIndex low_ = 0, end_ = 0;
    bool read_all_ = false;
    int error_ = MPI_SUCCESS;
    std::vector<MPI_Request> requests_;
    std::vector<StepIndex> of_request_;
    std::vector<int> completed_;
};

}  // namespace kumihimo::collectives
