#include "base/completion.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/ending.hpp"
#include "base/format.hpp"
#include "base/node_number.hpp"
#include "base/progress.hpp"
#include "base/settings.hpp"
#include "base/siblings.hpp"

namespace kumihimo::base {

namespace {

using Clock = std::chrono::steady_clock;
constexpr unsigned most_seconds_of_an_abort = 10;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

long long seconds_of_day_clock() {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Who waits, as far as this node knows.
class RollCall {
public:
    explicit RollCall(MPI_Comm comm) : comm_(comm) {
        MPI_Comm_rank(comm, &me_);
        MPI_Comm_size(comm, &nodes_);
        waits_.assign(nodes_, false);
        waits_[me_] = true;
    }
    void say_so() const {
        static long long now;  // outlives the sends, which nobody may ever receive
        now = seconds_of_day_clock();
        for (int node = 0; node < nodes_; ++node) {
            if (node == me_) continue;
            MPI_Request request;
            MPI_Isend(&now, 1, MPI_LONG_LONG, node, roll_call_tag, comm_, &request);
            MPI_Request_free(&request);
        }
    }
    // What was said long ago belongs to a wait that ended well.
    void listen(long long patience) {
        for (int arrived = 1;;) {
            MPI_Status status;
            MPI_Iprobe(MPI_ANY_SOURCE, roll_call_tag, comm_, &arrived, &status);
            if (!arrived) return;
            long long said = 0;
            MPI_Recv(&said, 1, MPI_LONG_LONG, status.MPI_SOURCE, roll_call_tag, comm_, MPI_STATUS_IGNORE);
            if (seconds_of_day_clock() - said <= 2 * patience) waits_[status.MPI_SOURCE] = true;
        }
    }
    [[noreturn]] void end_job(long long patience) const {
        std::string stuck;
        int lowest_waiting = nodes_, silent = 0;
        for (int node = nodes_ - 1; node >= 0; --node) {
            if (waits_[node]) {
                lowest_waiting = node;
                continue;
            }
            stuck = std::to_string(node_number(node)) + (stuck.empty() ? "" : ", ") + stuck;
            silent += 1;
        }
        if (me_ != lowest_waiting) leave_it_to_the_lowest(patience);
        std::fprintf(stderr, "kumihimo: error: %s\n", message(stuck, silent, patience).c_str());
        end_within(most_seconds_of_an_abort, 1);
        wait_until_errors_are_read();
        wake_stopped_siblings();
        MPI_Abort(comm_, 1);
        std::abort();
    }

private:
    // One is enough to end the job and say why. But it may have come further meanwhile, and wait elsewhere.
    static void leave_it_to_the_lowest(long long patience) {
        const Clock::time_point start = Clock::now();
        for (Waiting waiting; seconds_since(start) < static_cast<double>(patience);) waiting.step();
    }
    std::string message(const std::string& stuck, int silent, long long patience) const {
        if (silent == 0)
            return fmt::format(
                "all {} of a collective call have waited for {} s: a message was lost, or the nodes called different functions",
                counted(nodes_, "node"), patience);
        return fmt::format(
            "node{} {} of {} did not come to a collective call within {} s (KUMIHIMO_TIMEOUT); stopped, in an endless loop, or "
            "elsewhere? The job ends",
            silent == 1 ? "" : "s", stuck, nodes_, patience);
    }
    MPI_Comm comm_;
    int me_ = 0, nodes_ = 1;
    std::vector<bool> waits_;
};

// Nodes reach their time limits at different moments: whoever is first gives the others as long again.
void complete_with_patience(MPI_Request& request, MPI_Comm comm, long long patience, Waiting waiting) {
    const Clock::time_point start = Clock::now();
    RollCall call(comm);
    bool said = false;
    for (int done = 0;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        waiting.step();
        const double waited = seconds_since(start);
        if (waited < static_cast<double>(patience)) continue;
        if (!said) call.say_so();
        said = true;
        call.listen(patience);
        if (waited >= 2.0 * static_cast<double>(patience)) call.end_job(patience);
    }
}

}  // namespace

long long patience_seconds() {
    static FrequentNumber seconds("KUMIHIMO_TIMEOUT");
    return seconds.value();
}

void complete_in_any_time(MPI_Request& request) {
    wait_until([&] {
        int done = 0;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        return done != 0;
    });
}

void complete(MPI_Request& request, MPI_Comm comm, Waiting::Expected expected) {
    Waiting waiting(expected);
    if (patience_seconds() > 0) return complete_with_patience(request, comm, patience_seconds(), waiting);
    if (!processors_are_shared() && !must_poll() && expected == Waiting::brief) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return;
    }
    for (int done = 0;; waiting.step()) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done) return;
    }
}

// For what nobody sends: MPICH 4.0 goes on with messages only if it finds none, and never for MPI_COMM_SELF.
void drive_messages() {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, roll_call_tag, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

void barrier(MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm, &request);
    complete_in_any_time(request);
}

void meet(MPI_Comm comm) {
    if (must_poll()) barrier(comm);
}

// The first hears from all others, and tells them so.
void meet(MPI_Comm comm, const std::vector<int>& ranks, int tag) {
    if (!must_poll() || ranks.size() == 1) return;
    int me = 0;
    MPI_Comm_rank(comm, &me);
    const int first = ranks.front();
    for (const bool arriving : {true, false}) {
        std::vector<MPI_Request> requests;
        for (const int rank : ranks) {
            if (rank == first || (me != first && rank != me)) continue;
            const int other = me == first ? rank : first;
            MPI_Request& request = requests.emplace_back();
            if ((me == first) == arriving)
                MPI_Irecv(nullptr, 0, MPI_BYTE, other, tag, comm, &request);
            else
                MPI_Isend(nullptr, 0, MPI_BYTE, other, tag, comm, &request);
        }
        for (MPI_Request& request : requests) complete_in_any_time(request);
    }
}

}  // namespace kumihimo::base
