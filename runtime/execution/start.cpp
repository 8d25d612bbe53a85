// Start and stop (specification A.1, A.2): under a compiled main, under a foreign main, and at every kind of exit.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/communicator.hpp"
#include "base/ending.hpp"
#include "base/error.hpp"
#include "base/family.hpp"
#include "base/format.hpp"
#include "base/hosts.hpp"
#include "base/log.hpp"
#include "base/node_number.hpp"
#include "base/one_sided.hpp"
#include "base/settings.hpp"
#include "base/wait.hpp"
#include "kumihimo/xmp.h"
#include "runtime/execution/fail.hpp"
#include "runtime/execution/mpi_calls.hpp"
#include "runtime/execution/objects.hpp"
#include "runtime/execution/output.hpp"
#include "runtime/execution/settings.hpp"
#include "runtime/execution/termination.hpp"
#include "runtime/globalview/collective_checks.hpp"
#include "runtime/localview/failures.hpp"
#include "runtime/localview/life.hpp"
#include "runtime/localview/mailbox.hpp"
#include "runtime/localview/races.hpp"
#include "runtime/xmpio/master_streams.hpp"
#include "runtime/xmpio/units.hpp"

namespace kumihimo::execution {

bool started_with_program = false;

namespace {

// Units register from constructors, in link order, before main and maybe before this file's own: plain zero-initialised data.
XMP_Unit* first_unit = nullptr;
XMP_Unit* last_unit = nullptr;
MPI_Comm exit_communicator = MPI_COMM_NULL;  // own: others may be inside a collective that this node will never join

// A program of this MPI family under another family's launcher sees itself as N programs of one node each.
void refuse_copies() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1) return;
    const auto launch = base::foreign_launch();
    if (!launch) return;
    const base::Error error(
        fmt::format("started as {} copies of node {} instead of {} nodes", launch->processes, base::node_number(0),
                    launch->processes),
        fmt::format("{} started this program ({}), but its MPI library ({}) does not understand that launcher.\n"
                    "  Start it with xmprun, or with the mpiexec of {}.",
                    launch->launcher, launch->evidence, base::family_name(), base::family_name()));
    if (launch->rank != 0) sleep(1);  // let the first copy speak before the launcher ends them all
    end_job(launch->rank == 0 ? base::error_message(error, "", -1, 1) : "", 1);
}

void check_units(const XMP_Unit* first) {
    for (const XMP_Unit* unit = first; unit != nullptr; unit = unit->next)
        if (unit->abi_version != XMP_ABI_VERSION)
            throw base::Error(fmt::format("{} was compiled for version {} of Kumihimo's interface, the library has {}",
                                          unit->file, unit->abi_version, XMP_ABI_VERSION),
                              "Compile it again with this version's xmpcc or xmpf90.");
}

XMP_Unit* last_declared = nullptr;  // units may register after the start: coarrays of Fortran begin the program before main

void declare_units() {
    const XMP_Unit* const first = last_declared == nullptr ? first_unit : last_declared->next;
    last_declared = last_unit;
    check_units(first);
    for (const XMP_Unit* unit = first; unit != nullptr; unit = unit->next)
        if (unit->declare != nullptr) unit->declare();
    for (const XMP_Unit* unit = first; unit != nullptr; unit = unit->next)
        if (unit->check != nullptr) unit->check();
}

void start_on(MPI_Comm parent) {
    Context& context = Context::get();
    const MPI_Comm communicator = base::copy_of(parent);
    agree_on_settings(communicator);
    context.start(communicator);
    base::set_log_node(context.world_rank(), context.world_size());
    const base::Crowd crowd = base::crowd_of(communicator);
    base::set_waiting(crowd.nodes, crowd.processors);
    prepare_reports();
    start_watchdog();
    static const XMP_Site site = {nullptr, 0, "the start of the program"};
    const Visit visit(&site);
    localview::start();
    xmpio::start_master_streams();
    base::log(base::log_start, "started on {}: {}", base::family_name(), base::counted(context.world_size(), "node"));
    if (const std::string choice = base::one_sided_choice(); !choice.empty()) base::log(base::log_start, "{}", choice);
    declare_units();
}

void stop() {
    Context& context = Context::get();
    localview::stop();
    xmpio::close_all_units();
    release_all_objects();
    stop_watchdog();
    forget_reports();
    context.stop();
    last_declared = nullptr;
}

// ---- the end of the process ----

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
    note_end();
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
        end_mpi();
        return;
    }
    const base::Error error(status != 0
                                ? fmt::format("this node ended with exit status {}, {}", status,
                                              all.known ? "others with another" : "others still run")
                                : fmt::format("another node ended with exit status {}", all.most != 0 ? all.most : all.least),
                            "All nodes must end alike; the job is ended.");
    // The node that met the trouble speaks; those that ended well only if it does not.
    if (normal) sleep(1);
    end_job(base::error_message(error, "", context.running() ? context.world_rank() : -1, context.world_size()),
            status != 0 ? status : 1);
}

void at_exit(int status) {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized || job_is_ending()) return;
    guarded(nullptr, [&] {
        if (status != 0 && !normal_termination)
            base::end_within(most_seconds_of_an_end + static_cast<unsigned>(time_to_end().count()) / 1000, status);
        flush_output();
        end_process(status);
    });
}

// The runtime watches over the end of a program that it begins MPI for.
void prepare_program(int* argc, char*** argv) {
    begin_mpi(argc, argv);
    refuse_copies();
    exit_communicator = base::copy_of(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(exit_communicator, MPI_ERRORS_RETURN);
    base::at_exit(at_exit);  // after MPI_Init, so before MPI's own exit handlers
}

void start_program(int* argc, char*** argv) {
    if (Context::get().running()) return declare_units();
    prepare_program(argc, argv);
    start_on(MPI_COMM_WORLD);
    started_with_program = true;
}

bool mpi_runs() {
    int initialized = 0;
    MPI_Initialized(&initialized);
    return initialized != 0;
}

// Of xmp_init where XcalableMP runs from the beginning of the program: the communicator has all nodes, in the same order.
int inits_of_a_started_program = 0;

void join_started_program(MPI_Comm communicator) {
    int compared = MPI_UNEQUAL;
    MPI_Comm_compare(communicator, Context::get().world_communicator(), &compared);
    if (!started_with_program || compared == MPI_SIMILAR || compared == MPI_UNEQUAL)
        throw base::Error(
            started_with_program ? "XcalableMP runs on all nodes from the beginning of the program" : "XcalableMP runs already",
            started_with_program ? "xmp_init with another communicator is for mains without directives."
                                 : "Call xmp_finalize before the next xmp_init.");
    ++inits_of_a_started_program;
}

void init_on(MPI_Comm communicator) {
    if (Context::get().running()) return join_started_program(communicator);
    if (!mpi_runs()) prepare_program(nullptr, nullptr);
    start_on(communicator);
}

void finalize() {
    if (inits_of_a_started_program > 0)
        --inits_of_a_started_program;
    else if (Context::get().running())
        stop();
}

}  // namespace

void note_normal_termination() {
    normal_termination = true;
}

}  // namespace kumihimo::execution

using namespace kumihimo::execution;

extern "C" void XMP_Register(XMP_Unit* unit) {
    unit->next = nullptr;
    (first_unit == nullptr ? first_unit : last_unit->next) = unit;
    last_unit = unit;
}

extern "C" void XMP_Count_nodes_from(int first) {
    kumihimo::base::count_nodes_from(first);
}

extern "C" void XMP_Start(int* argc, char*** argv) {
    guarded(nullptr, [&] { start_program(argc, argv); });
}

extern "C" void XMP_Start_units(int* argc, char*** argv) {
    if (first_unit != nullptr) XMP_Start(argc, argv);
}

extern "C" void xmp_init_mpi(int* argc, char*** argv) {
    XMP_Start(argc, argv);
}

extern "C" void xmp_finalize_mpi(void) {}  // the runtime ends MPI when the program ends

extern "C" void xmp_init(MPI_Comm communicator) {
    static const XMP_Site site = {nullptr, 0, "xmp_init"};
    guarded(&site, [&] { init_on(communicator); });
}

extern "C" void XMP_Fortran_init(int communicator) {
    xmp_init(MPI_Comm_f2c(communicator));
}

extern "C" void xmp_finalize(void) {
    static const XMP_Site site = {nullptr, 0, "xmp_finalize"};
    guarded(&site, [] { finalize(); });
}

extern "C" void xmp_exit(int status) {
    std::exit(status);
}
