#include "mpiio/file/shared_pointer.hpp"

#include "base/completion.hpp"
#include "mpiio/file/errors.hpp"

namespace kumihimo::mpiio {

namespace {

// The sum over the ranks before this one.
Index sum_before(const File& file, Index mine) {
    Index before = 0;
    MPI_Request request;
    MPI_Iexscan(&mine, &before, 1, MPI_INT64_T, MPI_SUM, file.comm(), &request);
    base::complete(request, file.comm());
    return file.rank() == 0 ? 0 : before;  // undefined on rank 0
}

void broadcast(const File& file, Index& value, int root) {
    MPI_Request request;
    MPI_Ibcast(&value, 1, MPI_INT64_T, root, file.comm(), &request);
    base::complete(request, file.comm());
}

}  // namespace

std::optional<Failure> take_shared(File& file, Index bytes, Index& position) {
    return file.engine().add_to_shared(bytes, position);
}

std::optional<Failure> take_ordered(File& file, Index bytes, Index& position) {
    const Index before = sum_before(file, bytes);
    const int last = file.size() - 1;  // it knows the sum of all
    std::optional<Failure> failure;
    Index start = 0;
    if (file.rank() == last) failure = file.engine().add_to_shared(before + bytes, start);
    if (failure) start = -1;
    broadcast(file, start, last);
    if (start < 0 && !failure)
        failure = mpiio::failure(MPI_ERR_IO, "the shared file pointer could not be moved on another rank");
    position = start + before;
    return failure;
}

std::optional<Failure> set_shared(File& file, Index value) {
    return file.agree(file.rank() == 0 ? file.engine().set_shared(value) : std::nullopt);
}

}  // namespace kumihimo::mpiio
