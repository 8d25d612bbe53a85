// Image control (Fortran 2018, 11.6).
#include "runtime/localview/image_control.hpp"

#include "runtime/caf/token.hpp"
#include "runtime/execution/context.hpp"

using namespace kumihimo;
using namespace kumihimo::caf;

extern "C" void _gfortran_caf_sync_all(int* stat, char* message, std::size_t length) {
    static const XMP_Site site = {nullptr, 0, "sync all"};
    execution::guarded(&site, [&] {
        const Outcome outcome{stat, message, length};
        if (localview::sync_all(*localview::take_image_set()))
            outcome.success();
        else
            outcome.report(stat_stopped_image, base::Error("an image that is to be synchronised has ended"));
    });
}
