// The entry points of libkumihimo_coll: collective functions of any MPI program, preloaded or linked. Both MPI_ and PMPI_ names
// are defined, because Open MPI's Fortran calls PMPI_ and tools stand between them. What the rules leave to the MPI library
// goes to the next definition: another tool's, else the library's.
#include <dlfcn.h>

#include <cstdio>

#include "base/family.hpp"
#include "base/guarded.hpp"
#include "base/next.hpp"
#include "base/wait.hpp"
#include "collectives/executor/operations.hpp"

// Each copy of the library has this name; the linker finds that of the first copy.
extern "C" __attribute__((visibility("default"))) const char kumihimo_coll_first = 0;

namespace kumihimo::collectives {
namespace {

extern "C" __attribute__((visibility("hidden"), alias("kumihimo_coll_first"))) const char kumihimo_coll_this;

// Handles of one MPI are no handles of the other, so nothing can be served or passed on.
bool right_family() {
    static const bool right = [] {
        const std::string family = base::family_of_program();
        if (family.empty() || family == base::family_name()) return true;
        std::fprintf(
            stderr,
            "kumihimo: error: this program is of %s, but the libkumihimo_coll preloaded or linked is of %s: collective "
            "functions return errors.\n  Take lib/%s/libkumihimo_coll.so.\n",
            family.c_str(), base::family_name(), family.c_str());
        return false;
    }();
    return right;
}

void* find_next(const char* name) {
    void* const found = right_family() ? dlsym(RTLD_NEXT, name) : nullptr;
    if (found == nullptr && right_family())
        std::fprintf(stderr,
                     "kumihimo: error: the MPI library of this program has no %s, which libkumihimo_coll was built with.\n"
                     "  Build Kumihimo again with the MPI of this machine.\n",
                     name);
    return found;
}

// Not if another copy comes before this one (linked and preloaded). Waits give the processor away where the launcher started
// more ranks than there are processors.
bool serving() {
    static const bool first = [] {
        base::set_waiting(base::processes_here().value_or(1), base::processors_online());
        const void* const found = dlsym(RTLD_DEFAULT, "kumihimo_coll_first");
        return found == nullptr || found == &kumihimo_coll_this;
    }();
    return first && right_family();
}

template <typename Call>
execute::Result served(const char* function, MPI_Comm comm, Call&& call) {
    if (!serving()) return {};
    return base::guarded(function, comm, call);
}

}  // namespace
}  // namespace kumihimo::collectives

using namespace kumihimo::collectives;

// One entry point: served, else the next definition.
#define ENTRY(prefix, name, parameters, arguments)                                                                    \
    static constinit kumihimo::base::Next<decltype(prefix##name), find_next> next_##prefix##name{#prefix #name};      \
    extern "C" __attribute__((visibility("default"))) int prefix##name parameters {                                   \
        if (const auto result = served(#prefix #name, comm, [&] { return execute::name arguments; })) return *result; \
        return next_##prefix##name arguments;                                                                         \
    }
#define ENTRIES(name, parameters, arguments) \
    ENTRY(MPI_, name, parameters, arguments) \
    ENTRY(PMPI_, name, parameters, arguments)

ENTRIES(Barrier, (MPI_Comm comm), (comm))
ENTRIES(Bcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm), (buffer, count, type, root, comm))
ENTRIES(Reduce, (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
        (send, receive, count, type, op, root, comm))
ENTRIES(Allreduce, (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (send, receive, count, type, op, comm))
ENTRIES(Reduce_scatter, (const void* send, void* receive, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (send, receive, counts, type, op, comm))
ENTRIES(Reduce_scatter_block, (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (send, receive, count, type, op, comm))
ENTRIES(Allgather,
        (const void* send, int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type, MPI_Comm comm),
        (send, send_count, send_type, receive, count, type, comm))
ENTRIES(Allgatherv,
        (const void* send, int send_count, MPI_Datatype send_type, void* receive, const int counts[], const int displacements[],
         MPI_Datatype type, MPI_Comm comm),
        (send, send_count, send_type, receive, counts, displacements, type, comm))
ENTRIES(Gather,
        (const void* send, int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type, int root,
         MPI_Comm comm),
        (send, send_count, send_type, receive, count, type, root, comm))
ENTRIES(Gatherv,
        (const void* send, int send_count, MPI_Datatype send_type, void* receive, const int counts[], const int displacements[],
         MPI_Datatype type, int root, MPI_Comm comm),
        (send, send_count, send_type, receive, counts, displacements, type, root, comm))
ENTRIES(Scatter,
        (const void* send, int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type, int root,
         MPI_Comm comm),
        (send, send_count, send_type, receive, count, type, root, comm))
ENTRIES(Scatterv,
        (const void* send, const int counts[], const int displacements[], MPI_Datatype send_type, void* receive, int count,
         MPI_Datatype type, int root, MPI_Comm comm),
        (send, counts, displacements, send_type, receive, count, type, root, comm))
ENTRIES(Alltoall,
        (const void* send, int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type, MPI_Comm comm),
        (send, send_count, send_type, receive, count, type, comm))
ENTRIES(Alltoallv,
        (const void* send, const int send_counts[], const int send_displacements[], MPI_Datatype send_type, void* receive,
         const int counts[], const int displacements[], MPI_Datatype type, MPI_Comm comm),
        (send, send_counts, send_displacements, send_type, receive, counts, displacements, type, comm))
