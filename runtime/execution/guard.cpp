#include "runtime/execution/guard.hpp"

#include "runtime/execution/termination.hpp"

XMP_Stamps XMP_stamps = {1, 2};

namespace kumihimo::execution {

bool checking = false;

void new_stamp(std::uint32_t& stamp) {
    static std::uint32_t last = 2;
    stamp = ++last;
}

base::Error not_running() {
    return base::Error(
        "XcalableMP is not running",
        "Call xmp_init_mpi(&argc, &argv) first, or xmp_init(comm) in a program that starts MPI itself, or compile "
        "main by xmpcc. After xmp_finalize nothing of it can be called.");
}

void fail(const XMP_Site* site, const std::exception& error) noexcept {
    const std::string place = site == nullptr ? "" : place_text(*site);
    const World& world = World::get();
    end_job(base::error_message(error, place, started ? world.rank : -1, world.size), 1);
}

}  // namespace kumihimo::execution
