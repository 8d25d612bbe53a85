#include "runtime/localview/life.hpp"

#include "kumihimo/localview.h"
#include "runtime/localview/allocation.hpp"
#include "runtime/localview/barriers.hpp"
#include "runtime/localview/desks.hpp"
#include "runtime/localview/image_control.hpp"
#include "runtime/localview/job_transport.hpp"
#include "runtime/localview/remote.hpp"

namespace kumihimo::localview {

using execution::Context;

namespace {

bool ended = false;

}  // namespace

void start() {
    open_mailboxes();
    if (XMP_local_view) transport_for_coarrays();  // a global array on some nodes may be the first to need it
    execution::tell_of_memory({offer, withdraw});
    reset_image_control();
    ended = false;
}

void end() {
    if (ended) return;
    complete_puts();
    for (int node = 0; node < Context::get().world_size(); ++node)
        tell(node, Counter::ended, this_image(), 1 + barrier_with(node));
    ended = true;
}

void stop() {
    end();
    forget_failures();
    close_mailboxes();
    close_desks();
    release_coarrays();
    release_transport();
    reset_image_control();
}

}  // namespace kumihimo::localview
