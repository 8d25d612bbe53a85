#include "runtime/program/end.hpp"

#include <unistd.h>

#include <chrono>

#include "base/communicator.hpp"
#include "base/ending.hpp"
#include "base/error.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"
#include "base/wait.hpp"
#include "runtime/execution/mpi_calls.hpp"
#include "runtime/execution/objects.hpp"
#include "runtime/execution/output.hpp"
#include "runtime/execution/termination.hpp"
#include "runtime/execution/watchdog.hpp"
#include "runtime/globalview/collective_checks.hpp"
#include "runtime/localview/life.hpp"
#include "runtime/localview/races.hpp"
#include "runtime/localview/waiting.hpp"
#include "runtime/program/rooms.hpp"

namespace kumihimo::program {

using execution::Context;

namespace {

MPI_Comm exit_communicator = MPI_COMM_NULL;  // own: others may be inside a collective that this node will never join

constexpr unsigned most_seconds_of_an_end = 60;  // beside KUMIHIMO_EXIT_WAIT; only what waits for itself takes longer

bool normal_termination = false;  // that of a Fortran image

struct Statuses {
    bool known = false;   // all nodes have ended
    bool lost = false;    // all that will ever end have, and the process of one has died
    bool normal = false;  // each by itself
    int least = 0, most = 0;
};

std::chrono::milliseconds time_to_end() {
    return std::chrono::milliseconds(base::setting_number("KUMIHIMO_EXIT_WAIT"));
}

// All nodes tell their exit status. A node with an error status does not wait for the others for ever: they may be waiting for
// it in a barrier that it will never reach.
Statuses gather_statuses(int status, bool normal) {
    const int mine[3] = {status, -status, !normal};
    int most[3] = {0, 0, 0};
    MPI_Request request;
    bool works = MPI_Iallreduce(mine, most, 3, MPI_INT, MPI_MAX, exit_communicator, &request) == MPI_SUCCESS;
    const auto begin = std::chrono::steady_clock::now();
    int done = 0;
    const auto longest = time_to_end();
    bool patient = true, lost = false;
    base::wait_until([&] {
        works = works && MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS;
        if (!works) done = 0;  // MPI misses a node that has died; whether that matters is not its business
        localview::progress();
        lost = localview::all_others_gone();
        patient = normal || std::chrono::steady_clock::now() - begin < longest;
        return done != 0 || lost || !patient;
    });
    return Statuses{done != 0, lost, most[2] == 0, -most[1], most[0]};
}

// With --check: another node may be waiting in a directive that this one never comes to.
void compare_ends() {
    const XMP_Site site = {nullptr, 0, "the end of the program"};
    if (localview::has_far_images()) return;
    globalview::expect_same(Context::get().entire(), &site, [&] { return site.directive; });
    localview::compare_uses(Context::get().entire());
}

void end_process(int status) {
    const Context& context = Context::get();
    execution::note_end();
    const bool normal = status == 0 || normal_termination;
    if (normal && context.running()) {
        compare_ends();
        localview::end();  // an image that failed has not ended: others wait until the job does
    }
    const Statuses all = gather_statuses(status, normal);
    if (all.lost && normal) _exit(status);  // MPI would wait for the process that died; all output is flushed
    if (all.known && (all.normal || all.least == all.most)) {
        // A process that dies from here on would be waited for in MPI_Finalize.
        if (localview::watches_processes()) base::end_within(most_seconds_of_an_end, status);
        if (context.running()) stop();
        MPI_Comm_free(&exit_communicator);
        execution::end_mpi();
        return;
    }
    const base::Error error(status != 0
                                ? fmt::format("this node ended with exit status {}, {}", status,
                                              all.known ? "others with another" : "others still run")
                                : fmt::format("another node ended with exit status {}", all.most != 0 ? all.most : all.least),
                            "All nodes must end alike; the job is ended.");
    // The node that met the trouble speaks; those that ended well only if it does not.
    if (normal) sleep(1);
    execution::end_job(base::error_message(error, "", context.running() ? context.world_rank() : -1, context.world_size()),
                       status != 0 ? status : 1);
}

void at_exit(int status) {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized || execution::job_is_ending()) return;
    execution::guarded(nullptr, [&] {
        if (status != 0 && !normal_termination)
            base::end_within(most_seconds_of_an_end + static_cast<unsigned>(time_to_end().count()) / 1000, status);
        execution::flush_output();
        end_process(status);
    });
}

}  // namespace

void watch_over_the_end() {
    exit_communicator = base::copy_of(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(exit_communicator, MPI_ERRORS_RETURN);
    base::at_exit(at_exit);  // after MPI_Init, so before MPI's own exit handlers
}

void note_normal_termination() {
    normal_termination = true;
}

}  // namespace kumihimo::program
