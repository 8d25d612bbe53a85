#include "collectives/executor/run.hpp"

#include <algorithm>
#include <bit>
#include <climits>
#include <cstring>
#include <optional>

#include "base/completion.hpp"
#include "base/datatype.hpp"

namespace kumihimo::collectives {

namespace {

// More bytes than an int counts, as one element of a type made for the message.
class Length {
public:
    explicit Length(Bytes bytes) : count_(static_cast<int>(bytes)) {
        if (bytes <= INT_MAX) return;
        made_.emplace(base::Datatype::row(MPI_BYTE, bytes).committed());
        count_ = 1;
    }
    int count() const { return count_; }
    MPI_Datatype type() const { return made_ ? *made_ : MPI_BYTE; }

private:
    int count_;
    std::optional<base::Datatype> made_;
};

}  // namespace

int Run::execute(Source steps, const Operands& operands, std::size_t look_ahead) {
    begin(operands, look_ahead);
    long polls = 0;
    for (std::optional<base::Waiting> waiting; error_ == MPI_SUCCESS;) {
        // All that can start does, before a message of another rank is read: it may be long, and others wait for ours.
        for (read(steps); changed_ && error_ == MPI_SUCCESS; read(steps)) start_ready();
        if (low_ == end_ && error_ == MPI_SUCCESS) return MPI_SUCCESS;
        advance_node();
        test_messages();
        if (changed_)
            waiting.reset();
        else if (operands_.hopeless != nullptr && (*operands_.hopeless)())
            error_ = MPI_ERR_OTHER;
        else
            idle(waiting, ++polls);
    }
    abandon();
    return error_;
}

void Run::begin(const Operands& operands, std::size_t look_ahead) {
    operands_ = operands;
    window_.resize(std::bit_ceil(std::max<std::size_t>(look_ahead, least_window)));
    low_ = end_ = 0;
    ++number_;
    read_all_ = false;
    error_ = MPI_SUCCESS;
    waiting_.clear();
    by_node_.clear();
}

void Run::read(Source& steps) {
    while (!read_all_ && end_ - low_ < static_cast<StepIndex>(window_.size())) {
        const Step* const step = steps.next();
        read_all_ = step == nullptr;
        if (step == nullptr) return;
        pending(end_) = {*step, State::waiting, -1, join_lane(*step, end_), {}};
        waiting_.push_back(end_++);
        changed_ = true;
    }
}

// The message before it; -1: none.
StepIndex Run::join_lane(const Step& step, StepIndex index) {
    if (step.action != Action::send && step.action != Action::receive) return -1;
    const std::size_t number = (static_cast<std::size_t>(step.peer) * channels + static_cast<std::size_t>(step.channel)) * 2 +
                               (step.action == Action::send);
    if (number >= lanes_.size()) lanes_.resize(std::bit_ceil(number + 1));
    Lane& lane = lanes_[number];
    const StepIndex previous = lane.run == number_ ? lane.last : -1;
    lane = {number_, index};
    return previous;
}

// One pass over the steps that have not started. Messages first: while this rank copies and combines, others can read what it
// sends.
void Run::start_ready() {
    changed_ = false;
    local_.clear();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        const StepIndex index = waiting_[i];
        Pending& next = pending(index);
        if (error_ == MPI_SUCCESS && ready(next) && !overtakes(next))
            start(index);
        else
            waiting_[kept++] = index;
    }
    waiting_.resize(kept);
    for (std::size_t i = 0; i < local_.size() && error_ == MPI_SUCCESS; ++i) {
        error_ = combine(pending(local_[i]).step);
        finish(local_[i]);
    }
}

// A long pipeline has many steps in view: what one waits for is remembered, so that asking again is one look.
bool Run::ready(Pending& next) {
    if (next.blocker >= 0 && !done(next.blocker)) return false;
    next.blocker = blocker_of(next.step);
    return next.blocker < 0;
}

StepIndex Run::blocker_of(const Step& step) {
    for (const Interval& interval : step.after.intervals)
        for (StepIndex i = std::max(interval.first, low_); i <= interval.last; ++i)
            if (pending(i).state != State::done) return i;
    return -1;
}

// Messages of a lane are started in their order (schedule.hpp).
bool Run::overtakes(const Pending& next) {
    if (next.previous < 0 || done(next.previous)) return false;
    const Pending& previous = pending(next.previous);
    return previous.state == State::waiting || (by_node(previous.step) && !NodeMessages::begun(previous.transfer));
}

void Run::start(StepIndex index) {
    Pending& next = pending(index);
    next.state = State::started;
    if (next.step.action == Action::copy || next.step.action == Action::reduce)
        local_.push_back(index);
    else if (!by_node(next.step))
        send_or_receive(index);
    else if (next.step.action == Action::receive || !transfer(index))
        by_node_.push_back(index);
}

bool Run::by_node(const Step& step) const {
    return operands_.node != nullptr && operands_.node->reaches(step.peer);
}

// One attempt; true: complete.
bool Run::transfer(StepIndex index) {
    Pending& message = pending(index);
    const Step& step = message.step;
    const bool complete =
        step.action == Action::send
            ? operands_.node->send(message.transfer, step.peer, step.channel, source(step.from), step.from.bytes)
            : operands_.node->receive(message.transfer, step.peer, step.channel, target(step.to), step.to.bytes);
    if (message.transfer.failed) error_ = MPI_ERR_OTHER;
    if (complete) finish(index);
    return complete;
}

void Run::advance_node() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < by_node_.size(); ++i) {
        const StepIndex index = by_node_[i];
        const bool had_begun = NodeMessages::begun(pending(index).transfer);
        if (transfer(index)) continue;
        changed_ = changed_ || had_begun != NodeMessages::begun(pending(index).transfer);  // the next one may follow
        by_node_[kept++] = index;
    }
    by_node_.resize(kept);
}

void Run::send_or_receive(StepIndex index) {
    const Step& step = pending(index).step;
    const bool sends = step.action == Action::send;
    const Length length(sends ? step.from.bytes : step.to.bytes);
    const Address peer = operands_.addresses == nullptr ? Address{step.peer, 0} : operands_.addresses[step.peer];
    const int tag = peer.tag + step.channel;
    MPI_Request request = MPI_REQUEST_NULL;
    error_ =
        sends ? PMPI_Isend(source(step.from), length.count(), length.type(), peer.rank, tag, operands_.communicator, &request)
              : PMPI_Irecv(target(step.to), length.count(), length.type(), peer.rank, tag, operands_.communicator, &request);
    if (error_ != MPI_SUCCESS) return;
    if (sends && is_away(request)) return finish(index);
    requests_.push_back(request);
    of_request_.push_back(index);
}

// A short message is away at once, as a rule. The libraries say so without looking for other messages first, which may take
// long.
bool Run::is_away(MPI_Request& request) {
    int away = 0;
    error_ = PMPI_Test(&request, &away, MPI_STATUS_IGNORE);
    return away != 0;
}

void Run::test_messages() {
    if (requests_.empty() || error_ != MPI_SUCCESS) return;
    int count = 0;
    completed_.resize(requests_.size());
    error_ =
        PMPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, completed_.data(), MPI_STATUSES_IGNORE);
    if (error_ != MPI_SUCCESS || count <= 0) return;
    for (int i = 0; i < count; ++i) finish(of_request_[static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)])]);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i)
        if (requests_[i] != MPI_REQUEST_NULL) {
            of_request_[kept] = of_request_[i];
            requests_[kept++] = requests_[i];
        }
    requests_.resize(kept);
    of_request_.resize(kept);
}

namespace {

// Whether the MPI library gets a turn after so many polls of memory: seldom, since a message through memory is what comes next
// as a rule, and each turn may take as long as that. It is every 32nd poll again when a wait is so long that polls are slow.
bool is_turn_of_library(long polls) {
    constexpr long between = 256, many = 16384, between_slow_ones = 32;
    return polls % (polls < many ? between : between_slow_ones) == 0;
}

}  // namespace

// Gives the processor away where there are more ranks than processors. Who waits in a collective operation goes on with
// everything else that the MPI library has to do (MPI-4.0 3.7.4): the others may be waiting for that before they come here.
void Run::idle(std::optional<base::Waiting>& waiting, long polls) const {
    if (requests_.empty() && is_turn_of_library(polls)) base::drive_messages();
    if (!waiting) waiting.emplace(requests_.empty() ? base::Waiting::brief : base::Waiting::far);
    waiting->step();
}

int Run::combine(const Step& step) {
    if (step.action == Action::copy) {
        if (step.from.bytes > 0) std::memcpy(target(step.to), source(step.from), static_cast<std::size_t>(step.from.bytes));
        return MPI_SUCCESS;
    }
    if (operands_.combine != nullptr) {
        (*operands_.combine)(source(step.from), target(step.to), static_cast<std::size_t>(step.from.bytes));
        return MPI_SUCCESS;
    }
    const int count = static_cast<int>(step.from.bytes / operands_.element_bytes);
    if (operands_.loop != nullptr) {
        operands_.loop(target(step.to), source(step.from), static_cast<std::size_t>(count));
        return MPI_SUCCESS;
    }
    return PMPI_Reduce_local(source(step.from), target(step.to), count, operands_.element, operands_.operation);
}

void Run::finish(StepIndex index) {
    pending(index).state = State::done;
    changed_ = true;
    while (low_ < end_ && pending(low_).state == State::done) ++low_;
}

// After an error: receives are cancelled, since their memory goes back to the user; sends only read. A message that a lost rank
// had begun can be neither cancelled nor waited for.
void Run::abandon() {
    for (std::size_t i = 0; i < requests_.size() && operands_.hopeless == nullptr; ++i) {
        if (requests_[i] == MPI_REQUEST_NULL) continue;
        if (pending(of_request_[i]).step.action == Action::receive) {
            PMPI_Cancel(&requests_[i]);
            PMPI_Wait(&requests_[i], MPI_STATUS_IGNORE);
        } else {
            PMPI_Request_free(&requests_[i]);
        }
    }
    requests_.clear();
    of_request_.clear();
}

const std::byte* Run::source(const Span& span) const {
    const std::byte* const bases[] = {operands_.send, operands_.receive, operands_.work};
    return bases[static_cast<int>(span.buffer)] + span.offset;
}

std::byte* Run::target(const Span& span) const {
    return (span.buffer == Buffer::receive ? operands_.receive : operands_.work) + span.offset;
}

}  // namespace kumihimo::collectives
