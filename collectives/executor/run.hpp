// Runs one rank's schedule: looks a number of steps ahead, starts each as soon as what it waits for is complete, keeps all its
// messages under way at the same time. Messages to ranks of the same machine go through shared memory, all others by MPI.
// Blocking; needs no thread of its own and works under every thread level, since all state is here.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/wait.hpp"
#include "collectives/executor/arithmetic.hpp"
#include "collectives/executor/node_messages.hpp"
#include "collectives/steps.hpp"

namespace kumihimo::collectives {

// Where a rank of the operation is found: its rank in the communicator, and the tag of messages with it on channel 0; those of
// the other channels follow.
struct Address {
    int rank, tag;
};

// to = from (operation) to, of so many bytes.
using Combine = std::function<void(const std::byte* from, std::byte* to, std::size_t bytes)>;

// Where a schedule's buffers are, and what its messages and reductions are made of.
struct Operands {
    const std::byte* send = nullptr;
    std::byte* receive = nullptr;
    std::byte* work = nullptr;
    MPI_Comm communicator = MPI_COMM_NULL;  // carries nothing else
    NodeMessages* node = nullptr;           // nor does this; null: all messages by MPI
    MPI_Datatype element = MPI_BYTE;        // of reductions
    Bytes element_bytes = 1;
    MPI_Op operation = MPI_OP_NULL;
    arithmetic::Combine loop = nullptr;               // instead of MPI_Reduce_local
    const Combine* combine = nullptr;                 // instead of it
    const Address* addresses = nullptr;               // of each rank; null: the communicator's ranks, and channels for tags
    const std::function<bool()>* hopeless = nullptr;  // asked while this rank waits: whether some message will never come
};

// A schedule to be run: computed while it is read, or known as a whole.
class Source {
public:
    explicit Source(Steps steps) : steps_(std::move(steps)) {}
    explicit Source(std::span<const Step> whole) : whole_(whole) {}
    const Step* next() {  // null at the end
        if (steps_) return steps_->next();
        return place_ < whole_.size() ? &whole_[place_++] : nullptr;
    }

private:
    std::optional<Steps> steps_;
    std::span<const Step> whole_;
    std::size_t place_ = 0;
};

// Its memory is kept from one run to the next.
class Run {
public:
    // An MPI error code. After an error no message is under way any more that could touch memory of this rank. But where ranks
    // may be lost (Operands::hopeless) messages stay under way, and the buffers are MPI's from then on.
    int execute(Source steps, const Operands& operands, std::size_t look_ahead);

private:
    enum class State : char { waiting, started, done };
    struct Pending {
        Step step;
        State state = State::waiting;
        StepIndex blocker = -1;   // a step that it waits for
        StepIndex previous = -1;  // of messages: the one before on the same lane
        Transfer transfer;        // of messages through shared memory
    };
    // Messages to or from one peer on one channel are started in their order.
    struct Lane {
        unsigned long run = 0;  // in which it was last used
        StepIndex last = -1;
    };

    Pending& pending(StepIndex index) { return window_[static_cast<std::size_t>(index) & (window_.size() - 1)]; }
    void begin(const Operands& operands, std::size_t look_ahead);
    void read(Source& steps);
    void start_ready();
    StepIndex join_lane(const Step& step, StepIndex index);
    bool done(StepIndex index) { return index < low_ || pending(index).state == State::done; }
    StepIndex blocker_of(const Step& step);
    bool ready(Pending& next);
    bool overtakes(const Pending& next);
    void start(StepIndex index);
    bool by_node(const Step& step) const;
    bool transfer(StepIndex index);
    void advance_node();
    void send_or_receive(StepIndex index);
    bool is_away(MPI_Request& request);
    void test_messages();
    void idle(std::optional<base::Waiting>& waiting, long polls) const;
    int combine(const Step& step);
    void finish(StepIndex index);
    void abandon();

    const std::byte* source(const Span& span) const;
    std::byte* target(const Span& span) const;

    Operands operands_;
    std::vector<Pending> window_;  // steps [low_, end_), step i in place i % size, which is a power of two
    StepIndex low_ = 0, end_ = 0;
    bool read_all_ = false;
    bool changed_ = false;  // since steps were last looked through for some that can start
    int error_ = MPI_SUCCESS;
    unsigned long number_ = 0;  // of this run
    std::vector<Lane> lanes_;
    std::vector<StepIndex> waiting_;  // not started, in their order
    std::vector<StepIndex> local_;    // copies and reductions that can be done
    std::vector<StepIndex> by_node_;  // under way through shared memory, in their order
    std::vector<MPI_Request> requests_;
    std::vector<StepIndex> of_request_;
    std::vector<int> completed_;
};

}  // namespace kumihimo::collectives
