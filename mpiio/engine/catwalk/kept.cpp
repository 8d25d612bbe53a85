#include "mpiio/engine/catwalk/kept.hpp"

#include "base/finalize.hpp"

namespace kumihimo::mpiio::catwalk {

iod::Links& links() {
    static iod::Links* const kept = [] {
        base::at_finalize([] { links().clear(); });
        return new iod::Links;  // files are closed until the very end
    }();
    return *kept;
}

}  // namespace kumihimo::mpiio::catwalk
