#include "base/finalize.hpp"

#include <mpi.h>

namespace kumihimo::base {

namespace {

using Release = void (*)();

// MPI deletes the attributes of MPI_COMM_SELF first of all when it ends (MPI 3.1, section 8.7.1).
int call(MPI_Comm, int, void* value, void*) {
    reinterpret_cast<Release>(value)();
    return MPI_SUCCESS;
}

}  // namespace

void at_finalize(Release release) {
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, call, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, reinterpret_cast<void*>(release));
    MPI_Comm_free_keyval(&key);  // lives as long as the attribute
}

}  // namespace kumihimo::base
