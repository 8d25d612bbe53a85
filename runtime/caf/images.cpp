// Start, end and the numbers of images (Fortran 2018, 5.3.5, 16.9.142, 16.9.207). The images of the current team are the
// executing set: those of XcalableMP's innermost task.
#include <algorithm>

#include "base/completion.hpp"
#include "kumihimo/localview.h"
#include "runtime/caf/remote_memory.hpp"
#include "runtime/caf/start.hpp"
#include "runtime/execution/context.hpp"
#include "runtime/localview/desks.hpp"
#include "runtime/localview/failures.hpp"

extern "C" [[gnu::weak]] void _gfortran_flush_i4(int* unit);  // libgfortran's

using namespace kumihimo;

namespace kumihimo::caf {

// Coarrays with SAVE are registered before main.
void start(int* argc, char*** argv) {
    XMP_local_view = 1;
    XMP_Count_nodes_from(1);
    prepare_window();
    XMP_Start(argc, argv);
    prepare_remote_memory();
    localview::watch_processes();
    localview::open_desks();
    if (_gfortran_flush_i4 != nullptr)                          // null: no file of the program is in Fortran
        XMP_Flush_at_end([] { _gfortran_flush_i4(nullptr); });  // all units: the process may end without libgfortran's own end
}

}  // namespace kumihimo::caf

// Called by main, when constructors have given initial values to the coarrays with SAVE: nobody may put before that.
extern "C" void _gfortran_caf_init(int* argc, char*** argv) {
    caf::start(argc, argv);
    const localview::InsideMpi inside("the start of the program", execution::Context::get().entire()->world_ranks());
    base::barrier(execution::Context::get().world_communicator());
}

extern "C" void _gfortran_caf_finalize() {}  // the runtime ends the program when the process does

extern "C" int _gfortran_caf_this_image(int distance) {
    if (distance <= 0 && XMP_current_image >= 0) return XMP_current_image + 1;
    const execution::Context& context = execution::Context::get();
    return (distance > 0 ? context.enclosing(distance) : context.executing_now())->my_number() + 1;
}

// failed: -1: all images are counted; else those that have (1) or have not (0) failed.
extern "C" int _gfortran_caf_num_images(int distance, int failed) {
    if (failed < 0 && distance <= 0) return XMP_current_images.count;
    const execution::NodeSet& team = *execution::Context::get().enclosing(distance);
    if (failed < 0) return team.size();
    localview::look_for_failures();
    localview::note_failures_told();
    const auto has_failed = [](int node) { return localview::failure_of(node) != localview::Failure::none; };
    const auto count = static_cast<int>(std::count_if(team.world_ranks().begin(), team.world_ranks().end(), has_failed));
    return failed != 0 ? count : team.size() - count;
}
