#include "collectives/executor/run.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <utility>

#include "base/wait.hpp"

namespace kumihimo::collectives {

namespace {

// More bytes than an int counts, as one element of a type made for the message.
class Length {
public:
    explicit Length(Bytes bytes) : count_(static_cast<int>(bytes)) {
        if (bytes <= INT_MAX) return;
        constexpr Bytes chunk = Bytes{1} << 30;
        MPI_Datatype chunks = MPI_DATATYPE_NULL;
        PMPI_Type_contiguous(static_cast<int>(chunk), MPI_BYTE, &type_);
        PMPI_Type_contiguous(static_cast<int>(bytes / chunk), type_, &chunks);
        PMPI_Type_free(&type_);
        const int counts[] = {1, static_cast<int>(bytes % chunk)};
        const MPI_Aint places[] = {0, static_cast<MPI_Aint>(bytes / chunk * chunk)};
        const MPI_Datatype types[] = {chunks, MPI_BYTE};
        PMPI_Type_create_struct(2, counts, places, types, &type_);
        PMPI_Type_free(&chunks);
        PMPI_Type_commit(&type_);
        count_ = 1;
    }
    Length(const Length&) = delete;
    Length& operator=(const Length&) = delete;
    ~Length() {
        if (type_ != MPI_BYTE) PMPI_Type_free(&type_);
    }
    int count() const { return count_; }
    MPI_Datatype type() const { return type_; }

private:
    int count_;
    MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace

Run::Run(Steps steps, const Operands& operands, std::size_t look_ahead)
    : steps_(std::move(steps)), operands_(operands), window_(std::max<std::size_t>(look_ahead, least_window)) {}

int Run::execute() {
    while (error_ == MPI_SUCCESS) {
        read();
        if (low_ == end_) return MPI_SUCCESS;
        if (!start_all() && error_ == MPI_SUCCESS) error_ = await();
    }
    abandon();
    return error_;
}

void Run::read() {
    while (!read_all_ && end_ - low_ < static_cast<StepIndex>(window_.size())) {
        const Step* const step = steps_.next();
        read_all_ = step == nullptr;
        if (step != nullptr) pending(end_++) = {*step};
    }
}

// One pass over the steps in view. Whether any of them is complete now, so that more can be read or started.
bool Run::start_all() {
    bool moved = false;
    for (StepIndex i = low_; i < end_ && error_ == MPI_SUCCESS; ++i) {
        Pending& next = pending(i);
        if (next.state != State::waiting || !ready(next.step) || overtakes(next.step, i)) continue;
        error_ = start(next, i);
        moved = moved || next.state == State::done;
    }
    return moved;
}

bool Run::ready(const Step& step) {
    for (const Interval& interval : step.after.intervals)
        for (StepIndex i = std::max(interval.first, low_); i <= interval.last; ++i)
            if (pending(i).state != State::done) return false;
    return true;
}

// Messages of a channel are started in their order (schedule.hpp).
bool Run::overtakes(const Step& step, StepIndex index) {
    if (step.action != Action::send && step.action != Action::receive) return false;
    for (StepIndex i = low_; i < index; ++i) {
        const Pending& earlier = pending(i);
        if (earlier.state == State::waiting && earlier.step.action == step.action && earlier.step.peer == step.peer &&
            earlier.step.channel == step.channel)
            return true;
    }
    return false;
}

int Run::start(Pending& next, StepIndex index) {
    const Step& step = next.step;
    next.state = State::started;
    if (step.action == Action::copy || step.action == Action::reduce) {
        const int code = combine(step);
        finish(index);
        return code;
    }
    const bool sends = step.action == Action::send;
    const Length length(sends ? step.from.bytes : step.to.bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = sends ? PMPI_Isend(source(step.from), length.count(), length.type(), step.peer, step.channel,
                                        operands_.communicator, &request)
                           : PMPI_Irecv(target(step.to), length.count(), length.type(), step.peer, step.channel,
                                        operands_.communicator, &request);
    if (code != MPI_SUCCESS) return code;
    requests_.push_back(request);
    of_request_.push_back(index);
    return MPI_SUCCESS;
}

int Run::combine(const Step& step) {
    if (step.action == Action::copy) {
        if (step.from.bytes > 0) std::memcpy(target(step.to), source(step.from), static_cast<std::size_t>(step.from.bytes));
        return MPI_SUCCESS;
    }
    const int count = static_cast<int>(step.from.bytes / operands_.element_bytes);
    return PMPI_Reduce_local(source(step.from), target(step.to), count, operands_.element, operands_.operation);
}

// Until at least one message is complete. Gives the processor away where there are more ranks than processors.
int Run::await() {
    int count = 0;
    completed_.resize(requests_.size());
    for (base::Waiting waiting; count == 0;) {
        const int code =
            PMPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, completed_.data(), MPI_STATUSES_IGNORE);
        if (code != MPI_SUCCESS) return code;
        if (count == 0) waiting.step();
    }
    if (count == MPI_UNDEFINED) return MPI_ERR_INTERN;  // a schedule that waits for nothing: the tests know none
    for (int i = 0; i < count; ++i) finish(of_request_[static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)])]);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i)
        if (requests_[i] != MPI_REQUEST_NULL) {
            of_request_[kept] = of_request_[i];
            requests_[kept++] = requests_[i];
        }
    requests_.resize(kept);
    of_request_.resize(kept);
    return MPI_SUCCESS;
}

void Run::finish(StepIndex index) {
    pending(index).state = State::done;
    while (low_ < end_ && pending(low_).state == State::done) ++low_;
}

// After an error: receives are cancelled, since their memory goes back to the user; sends only read.
void Run::abandon() {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        if (requests_[i] == MPI_REQUEST_NULL) continue;
        if (pending(of_request_[i]).step.action == Action::receive) {
            PMPI_Cancel(&requests_[i]);
            PMPI_Wait(&requests_[i], MPI_STATUS_IGNORE);
        } else {
            PMPI_Request_free(&requests_[i]);
        }
    }
    requests_.clear();
}

const std::byte* Run::source(const Span& span) const {
    const std::byte* const bases[] = {operands_.send, operands_.receive, operands_.work};
    return bases[static_cast<int>(span.buffer)] + span.offset;
}

std::byte* Run::target(const Span& span) const {
    return (span.buffer == Buffer::receive ? operands_.receive : operands_.work) + span.offset;
}

}  // namespace kumihimo::collectives
