#include "runtime/program/rooms.hpp"

#include "base/communicator.hpp"
#include "base/error.hpp"
#include "base/family.hpp"
#include "base/format.hpp"
#include "base/hosts.hpp"
#include "base/log.hpp"
#include "base/one_sided.hpp"
#include "base/wait.hpp"
#include "runtime/execution/objects.hpp"
#include "runtime/execution/settings.hpp"
#include "runtime/execution/termination.hpp"
#include "runtime/execution/watchdog.hpp"
#include "runtime/localview/life.hpp"
#include "runtime/xmpio/master_streams.hpp"
#include "runtime/xmpio/units.hpp"

namespace kumihimo::program {

using execution::Context;

namespace {

// Units register from constructors, in link order, before main and maybe before this file's own: plain zero-initialised data.
XMP_Unit* first_unit = nullptr;
XMP_Unit* last_unit = nullptr;
void check_units(const XMP_Unit* first) {
    for (const XMP_Unit* unit = first; unit != nullptr; unit = unit->next)
        if (unit->abi_version != XMP_ABI_VERSION)
            throw base::Error(fmt::format("{} was compiled for version {} of Kumihimo's interface, the library has {}",
                                          unit->file, unit->abi_version, XMP_ABI_VERSION),
                              "Compile it again with this version's xmpcc or xmpf90.");
}

XMP_Unit* last_declared = nullptr;  // units may register after the start: coarrays of Fortran begin the program before main

}  // namespace

bool any_units() {
    return first_unit != nullptr;
}

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
    execution::agree_on_settings(communicator);
    context.start(communicator);
    base::set_log_node(context.world_rank(), context.world_size());
    const base::Crowd crowd = base::crowd_of(communicator);
    base::set_waiting(crowd.nodes, crowd.processors);
    execution::prepare_reports();
    execution::start_watchdog();
    static const XMP_Site site = {nullptr, 0, "the start of the program"};
    const execution::Visit visit(&site);
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
    execution::release_all_objects();
    execution::stop_watchdog();
    execution::forget_reports();
    context.stop();
    last_declared = nullptr;
}

}  // namespace kumihimo::program

extern "C" void XMP_Register(XMP_Unit* unit) {
    using namespace kumihimo::program;
    unit->next = nullptr;
    (first_unit == nullptr ? first_unit : last_unit->next) = unit;
    last_unit = unit;
}
