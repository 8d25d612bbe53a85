// The file as a whole (MPI 3.1, 13.2.4 to 13.2.8) and consistency (13.6.1).

#include "base/format.hpp"
#include "mpiio/engine/info.hpp"
#include "mpiio/file/errors.hpp"
#include "mpiio/file/file.hpp"

namespace kumihimo::mpiio::operations {

namespace {

// Collective: an argument that must be equal on all ranks.
std::optional<Failure> same_everywhere(File& file, Index value, const char* what) {
    const auto least = file.team().lowest<2>({value, -value});
    if (least[0] == -least[1]) return std::nullopt;
    return failure(MPI_ERR_NOT_SAME,
                   fmt::format("the ranks gave different {} for '{}' ({} to {})", what, file.path(), least[0], -least[1]));
}

// Collective: checks a size, lets the engine act on it, agrees.
template <typename Action>
int resize(File& file, const char* function, MPI_Offset bytes, Action&& action) {
    const std::lock_guard lock(file.mutex());
    std::optional<Failure> failure = same_everywhere(file, bytes, "sizes");
    if (!failure && bytes < 0) failure = mpiio::failure(MPI_ERR_ARG, fmt::format("the size {} is negative", bytes));
    if (!failure && file.has_mode(MPI_MODE_SEQUENTIAL))
        failure =
            mpiio::failure(MPI_ERR_UNSUPPORTED_OPERATION, fmt::format("'{}' was opened with MPI_MODE_SEQUENTIAL", file.path()));
    if (!failure && file.has_mode(MPI_MODE_RDONLY))
        failure = mpiio::failure(MPI_ERR_READ_ONLY, fmt::format("'{}' was opened with MPI_MODE_RDONLY", file.path()));
    if (!failure) failure = file.agree(action());  // so far it is equal on all ranks
    return file.finish(function, failure, true);
}

}  // namespace

int set_size(File& file, MPI_Offset size) {
    return resize(file, "MPI_File_set_size", size, [&] { return file.engine().set_size(size); });
}

int preallocate(File& file, MPI_Offset size) {
    return resize(file, "MPI_File_preallocate", size, [&] { return file.engine().preallocate(size); });
}

int get_size(File& file, MPI_Offset* size) {
    const std::lock_guard lock(file.mutex());
    Index bytes = 0;
    const auto failure = file.engine().size(bytes);
    *size = bytes;
    return file.finish("MPI_File_get_size", failure, false);
}

int get_group(File& file, MPI_Group* group) {
    return MPI_Comm_group(file.comm(), group);
}

int get_amode(File& file, int* amode) {
    *amode = file.amode();
    return MPI_SUCCESS;
}

int set_info(File& file, MPI_Info info) {
    const std::lock_guard lock(file.mutex());
    file.engine().set_hints(hints_of(info));
    return file.finish("MPI_File_set_info", file.agree(std::nullopt), true);
}

int get_info(File& file, MPI_Info* info) {
    const std::lock_guard lock(file.mutex());
    Hints hints = file.engine().hints();
    hints["kumihimo_io"] = file.engine_name();
    *info = info_of(hints);
    return MPI_SUCCESS;
}

int set_atomicity(File& file, int flag) {
    const std::lock_guard lock(file.mutex());
    std::optional<Failure> failure = same_everywhere(file, flag != 0, "atomicity flags");
    if (!failure) failure = file.agree(file.engine().set_atomic(flag != 0));
    if (!failure) file.atomic = flag != 0;
    return file.finish("MPI_File_set_atomicity", failure, true);
}

int get_atomicity(File& file, int* flag) {
    *flag = file.atomic ? 1 : 0;
    return MPI_SUCCESS;
}

int sync(File& file) {
    const std::lock_guard lock(file.mutex());
    const double start = MPI_Wtime();
    const auto failure = file.agree(file.engine().sync());
    file.calls.seconds += MPI_Wtime() - start;
    return file.finish("MPI_File_sync", failure, true);
}

}  // namespace kumihimo::mpiio::operations
