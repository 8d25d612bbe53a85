// The MPI functions that schedules can do: the same arguments and meaning (MPI-4.0 6). None: the MPI library is to do it, which
// all ranks find alike; also all calls with arguments that are errors, so that it says so in its own way.
#pragma once

#include <mpi.h>

#include <optional>

namespace kumihimo::collectives::execute {

using Result = std::optional<int>;  // an error code

Result Barrier(MPI_Comm comm);
Result Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
Result Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
Result Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
Result Reduce_scatter(const void* send, void* receive, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm);
Result Reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
Result Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm);
Result Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int receive_counts[],
                  const int displacements[], MPI_Datatype receive_type, MPI_Comm comm);
Result Gather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
              MPI_Datatype receive_type, int root, MPI_Comm comm);
Result Gatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int receive_counts[],
               const int displacements[], MPI_Datatype receive_type, int root, MPI_Comm comm);
Result Scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm comm);
Result Scatterv(const void* send, const int send_counts[], const int displacements[], MPI_Datatype send_type, void* receive,
                int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm);
Result Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                MPI_Datatype receive_type, MPI_Comm comm);
Result Alltoallv(const void* send, const int send_counts[], const int send_displacements[], MPI_Datatype send_type,
                 void* receive, const int receive_counts[], const int receive_displacements[], MPI_Datatype receive_type,
                 MPI_Comm comm);

}  // namespace kumihimo::collectives::execute
