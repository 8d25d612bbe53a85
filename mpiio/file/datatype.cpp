#include "mpiio/file/datatype.hpp"

#include <memory>
#include <mutex>

#include "mpiio/file/flatten.hpp"
#include "mpiio/file/type_contents.hpp"

namespace kumihimo::mpiio {

namespace {

using sets::Extents;

int forget(MPI_Datatype, int, void* kept, void*) {
    delete static_cast<Extents*>(kept);
    return MPI_SUCCESS;
}

// No copy function: MPI_Type_dup makes a type that is flattened when it is needed. The key lives as long as the process: types
// may outlive everything else that MPI_Finalize frees.
int key() {
    static const int made = [] {
        int value = MPI_KEYVAL_INVALID;
        MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget, &value, nullptr);
        return value;
    }();
    return made;
}

const Extents* kept(MPI_Datatype type) {
    void* value = nullptr;
    int found = 0;
    MPI_Type_get_attr(type, key(), &value, &found);
    return found ? static_cast<const Extents*>(value) : nullptr;
}

}  // namespace

namespace {

Extents extents_of_any(MPI_Datatype type) {
    static std::mutex mutex;  // a second thread must not replace what the first one reads
    const std::lock_guard lock(mutex);
    if (const Extents* const known = kept(type)) return *known;
    auto made = std::make_unique<Extents>(flatten(type, NativeLayout()));
    const Extents result = *made;
    if (MPI_Type_set_attr(type, key(), made.get()) == MPI_SUCCESS) made.release();
    return result;
}

}  // namespace

// Predefined types are never freed, and most programs use one all the time: asking MPI for the attribute costs more than many
// a small transfer's copy.
Extents extents_of(MPI_Datatype type) {
    static thread_local MPI_Datatype last_predefined = MPI_DATATYPE_NULL;
    static thread_local Extents last;
    if (type == last_predefined) return last;
    const Extents found = extents_of_any(type);
    if (is_predefined(type)) last_predefined = type, last = found;
    return found;
}

}  // namespace kumihimo::mpiio
