#include "runtime/execution/termination.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/ending.hpp"
#include "base/hosts.hpp"
#include "base/siblings.hpp"
#include "runtime/execution/output.hpp"
#include "runtime/execution/world.hpp"
#include "runtime/memory/segment.hpp"

namespace kumihimo::execution {

namespace {

std::unique_ptr<memory::Segment> report_segment;
std::atomic<int>* report_flag = nullptr;  // of this machine's first node
int machine = 0;                          // this one's number
bool (*report_for_all)(int) = nullptr;    // whether it is this one that reports
std::atomic<bool> ending = false;
thread_local bool ended_by_this_thread = false;
constexpr int most_ms = 2000;          // for which others are given a chance
constexpr unsigned most_seconds = 10;  // of the end: it takes 5 at most, unless it waits for itself

void sleep_ms(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

void write_whole(const std::string& text) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

bool mpi_is_running() {
    int initialized = 0, finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return initialized && !finalized;
}

int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

// MPICH has a line of its own for every abort, which would follow ours: it goes nowhere. What the program does at exit, which
// MPICH's abort calls, finds its standard error again.
int own_errors = -1;

void abort_without_words(int status) {
    own_errors = ::dup(STDERR_FILENO);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (own_errors >= 0 && nowhere >= 0 && std::atexit([] { ::dup2(own_errors, STDERR_FILENO); }) == 0)
        ::dup2(nowhere, STDERR_FILENO);
    base::wake_stopped_siblings();
    MPI_Abort(MPI_COMM_WORLD, status);
}

}  // namespace

void prepare_reports() {
    const MPI_Comm world = World::get().communicator;
    const base::Hosts& hosts = base::hosts_of(world);
    report_segment = memory::Segment::allocate(world, sizeof(std::atomic<int>), "error reports");
    report_flag = reinterpret_cast<std::atomic<int>*>(report_segment->direct(hosts.ranks_here.front()));
    machine = 0;
    for (int rank = 0; rank < hosts.ranks_here.front(); ++rank)
        machine += hosts.host_of_rank[static_cast<std::size_t>(rank)] == rank;
}

void ask_before_reports(bool (*one_does)(int)) {
    report_for_all = one_does;
}

void forget_reports() {
    report_flag = nullptr;
    report_segment.reset();
}

bool job_is_ending() {
    while (ending && !ended_by_this_thread) sleep_ms(100);
    return ending;
}

void end_job(const std::string& message, int status) noexcept {
    ended_by_this_thread = true;
    ending = true;
    base::end_within(most_seconds, status);
    flush_everything();
    bool reporter = report_flag == nullptr || report_flag->exchange(1) == 0;
    const bool mpi = mpi_is_running();
    // Without a flag all nodes of a machine wait for the first, whose launcher may be slow: nobody else keeps them silent.
    if (mpi) sleep_ms(report_flag != nullptr ? std::min(500 * machine, most_ms) : world_rank() != 0 ? most_ms : 0);
    if (reporter && report_for_all != nullptr) reporter = report_for_all(machine);
    if (reporter)
        write_whole(message);
    else
        sleep_ms(most_ms);  // the reporter's abort ends this process in the meantime
    if (!mpi) _exit(status);
    base::wait_until_errors_are_read();
    abort_without_words(status);
    _exit(status);
}

}  // namespace kumihimo::execution
