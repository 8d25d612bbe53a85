#include "base/agreement.hpp"

#include <limits>

#include "base/completion.hpp"
#include "base/node_number.hpp"

namespace kumihimo::base {

namespace {

void broadcast_data(MPI_Comm comm, int root, void* data, int count, MPI_Datatype type) {
    MPI_Request request;
    MPI_Ibcast(data, count, type, root, comm, &request);
    complete(request, comm);
}

}  // namespace

// Never the blocking call, which would not match the others' nonblocking one where only some machines are crowded.
void lowest(MPI_Comm comm, const void* mine, void* result, int count, MPI_Datatype type) {
    MPI_Request request;
    MPI_Iallreduce(mine, result, count, type, MPI_MIN, comm, &request);
    complete(request, comm);
}

// The text travels only when something failed.
Failure broadcast_failure(MPI_Comm comm, int root, const std::optional<Failure>& mine, const char* noun) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    Failure failure;
    if (rank == root) failure = {mine->code, member_text(noun, root) + ": " + mine->text, mine->system_error};
    int head[3] = {failure.code, static_cast<int>(failure.text.size()), failure.system_error};
    broadcast_data(comm, root, head, 3, MPI_INT);
    failure.code = head[0];
    failure.text.resize(head[1]);
    failure.system_error = head[2];
    broadcast_data(comm, root, failure.text.data(), head[1], MPI_CHAR);
    return failure;
}

std::optional<Failure> agree(MPI_Comm comm, const std::optional<Failure>& mine, const char* noun) {
    int rank = 0, first = 0;
    MPI_Comm_rank(comm, &rank);
    const int failed = mine ? rank : std::numeric_limits<int>::max();
    lowest(comm, &failed, &first, 1, MPI_INT);
    if (first == std::numeric_limits<int>::max()) return std::nullopt;
    return broadcast_failure(comm, first, mine, noun);
}

}  // namespace kumihimo::base
