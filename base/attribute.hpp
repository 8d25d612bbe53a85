// What a room keeps with a communicator and is forgotten with it: an attribute, one for each type of what is kept.
#pragma once

#include <mpi.h>

#include <memory>

namespace kumihimo::base {

// Copied: copies of the communicator get a copy of what is kept. Hidden: each library of a process keeps its own.
template <typename Kept, bool Copied = false>
class __attribute__((visibility("hidden"))) Attribute {
public:
    // None was kept: nullptr.
    static Kept* of(MPI_Comm comm) {
        void* value = nullptr;
        int found = 0;
        MPI_Comm_get_attr(comm, key(), &value, &found);
        return found ? static_cast<Kept*>(value) : nullptr;
    }
    // Forgets what was kept before.
    static Kept& keep(MPI_Comm comm, std::unique_ptr<Kept> kept) {
        Kept& result = *kept;
        MPI_Comm_set_attr(comm, key(), kept.release());
        return result;
    }

private:
    static int copy(MPI_Comm, int, void*, void* kept, void* result, int* copied) {
        if constexpr (Copied) *static_cast<void**>(result) = new Kept(*static_cast<Kept*>(kept));
        *copied = Copied ? 1 : 0;
        return MPI_SUCCESS;
    }
    static int forget(MPI_Comm, int, void* kept, void*) {
        delete static_cast<Kept*>(kept);
        return MPI_SUCCESS;
    }
    // The key lives as long as the process: communicators may be freed until the very end.
    static int key() {
        static const int made = [] {
            int value = MPI_KEYVAL_INVALID;
            MPI_Comm_create_keyval(copy, forget, &value, nullptr);
            return value;
        }();
        return made;
    }
};

}  // namespace kumihimo::base
