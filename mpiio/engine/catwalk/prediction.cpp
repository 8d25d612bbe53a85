#include "mpiio/engine/catwalk/prediction.hpp"

#include <algorithm>

namespace kumihimo::mpiio::catwalk {

void predict(Details& totals) {
    const auto of = [&](const char* name) {
        const auto found = std::find_if(totals.begin(), totals.end(), [&](const auto& detail) { return detail.first == name; });
        return found == totals.end() ? 0.0 : found->second;
    };
    const double process = of("ring seconds") + of("sort seconds"), disk = of("write seconds") + of("sync seconds");
    const double past = of("past it seconds") + of("sync seconds");
    const double slowest = std::max({process, of("link seconds"), disk, past});
    const double bytes = of("file bytes written") + of("bytes past it"), open = of("open seconds");
    totals.emplace_back("predicted bytes per s", slowest > 0 ? bytes / slowest : 0);
    totals.emplace_back("measured bytes per s", open > 0 ? bytes / open : 0);
}

}  // namespace kumihimo::mpiio::catwalk
