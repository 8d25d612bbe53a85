// System inquiry and the interface for MPI (specification 7.2, A.1.1).
#include <mpi.h>

#include "base/error.hpp"
#include "kumihimo/xmp.h"
#include "runtime/execution/objects.hpp"

using namespace kumihimo;
using execution::Context;

// Numbers count from 1 in xmp_, from 0 in xmpc_ functions.
extern "C" int xmp_all_node_num(void) {
    return Context::get().world_rank() + 1;
}
extern "C" int xmpc_all_node_num(void) {
    return Context::get().world_rank();
}
extern "C" int xmp_all_num_nodes(void) {
    return Context::get().world_size();
}
extern "C" int xmp_node_num(void) {
    return Context::get().executing()->my_number() + 1;
}
extern "C" int xmpc_node_num(void) {
    return Context::get().executing()->my_number();
}
extern "C" int xmpc_this_image(void) {
    return xmpc_node_num();
}
extern "C" int xmp_num_nodes(void) {
    return Context::get().executing()->size();
}
extern "C" int xmp_num_images(void) {
    return xmp_num_nodes();
}

extern "C" double xmp_wtime(void) {
    return MPI_Wtime();
}
extern "C" double xmp_wtick(void) {
    return MPI_Wtick();
}

extern "C" MPI_Comm xmp_get_mpi_comm(void) {
    static const XMP_Site site = {nullptr, 0, "xmp_get_mpi_comm"};
    return execution::guarded(&site, [] {
        const Context& context = Context::get();
        if (!context.may_communicate())
            throw base::Error("a task with nocomm has no communicator", "Remove nocomm from the task directive.");
        return context.executing()->communicator();
    });
}
extern "C" int XMP_Fortran_communicator(void) {
    return MPI_Comm_c2f(xmp_get_mpi_comm());
}
