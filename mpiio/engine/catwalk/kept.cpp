#include "mpiio/engine/catwalk/kept.hpp"

#include <mpi.h>

namespace kumihimo::mpiio::catwalk {

namespace {

// MPI_Finalize deletes the attributes of MPI_COMM_SELF first of all (MPI 3.1, 8.7.1).
void clear_at_finalize(iod::Links& links) {
    int key = MPI_KEYVAL_INVALID;
    const auto clear = [](MPI_Comm, int, void* kept, void*) -> int {
        static_cast<iod::Links*>(kept)->clear();
        return MPI_SUCCESS;
    };
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, clear, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &links);
    MPI_Comm_free_keyval(&key);
}

}  // namespace

iod::Links& links() {
    static iod::Links* const kept = [] {
        auto* const made = new iod::Links;  // files are closed until the very end
        clear_at_finalize(*made);
        return made;
    }();
    return *kept;
}

}  // namespace kumihimo::mpiio::catwalk
