// Split collectives (MPI 3.1, 13.4.5): begin does all of the work, as the standard allows; end hands out its status.
#include "base/format.hpp"
#include "mpiio/file/errors.hpp"
#include "mpiio/file/file.hpp"

namespace kumihimo::mpiio::operations {

namespace {

// `whole` is the blocking collective: whole(status).
template <typename Whole>
int begin(File& file, const char* function, const void* buffer, Whole&& whole) {
    {
        const std::lock_guard lock(file.mutex());
        if (file.split)
            return file.finish(function,
                               failure(MPI_ERR_OTHER, fmt::format("'{}' has an active split collective: {} waits for its end",
                                                                  file.path(), file.split->begin)),
                               true);
    }
    MPI_Status status;
    const int code = whole(&status);
    MPI_Count moved = 0;
    MPI_Get_elements_x(&status, MPI_BYTE, &moved);
    const std::lock_guard lock(file.mutex());
    file.split = Split{function, buffer, moved, code};
    return code;
}

int end(File& file, const char* function, const char* begun, const void* buffer, MPI_Status* status) {
    const std::lock_guard lock(file.mutex());
    if (!file.split || std::string(file.split->begin) != begun)
        return file.finish(
            function,
            failure(MPI_ERR_OTHER,
                    fmt::format("'{}' has no active {}: it was never called, or another one is active", file.path(), begun)),
            false);
    const Split split = *std::exchange(file.split, std::nullopt);
    if (split.buffer != buffer)
        return file.finish(function, failure(MPI_ERR_BUFFER, fmt::format("{} was called with another buffer", begun)), false);
    if (status != MPI_STATUS_IGNORE) {
        MPI_Status_set_elements_x(status, MPI_BYTE, split.moved);
        MPI_Status_set_cancelled(status, 0);
    }
    return split.code;
}

}  // namespace

int read_at_all_begin(File& file, MPI_Offset offset, void* buffer, MPI_Count count, MPI_Datatype type) {
    return begin(file, "MPI_File_read_at_all_begin", buffer,
                 [&](MPI_Status* status) { return read_at_all(file, offset, buffer, count, type, status); });
}
int read_at_all_end(File& file, void* buffer, MPI_Status* status) {
    return end(file, "MPI_File_read_at_all_end", "MPI_File_read_at_all_begin", buffer, status);
}
int write_at_all_begin(File& file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype type) {
    return begin(file, "MPI_File_write_at_all_begin", buffer,
                 [&](MPI_Status* status) { return write_at_all(file, offset, buffer, count, type, status); });
}
int write_at_all_end(File& file, const void* buffer, MPI_Status* status) {
    return end(file, "MPI_File_write_at_all_end", "MPI_File_write_at_all_begin", buffer, status);
}
int read_all_begin(File& file, void* buffer, MPI_Count count, MPI_Datatype type) {
    return begin(file, "MPI_File_read_all_begin", buffer,
                 [&](MPI_Status* status) { return read_all(file, buffer, count, type, status); });
}
int read_all_end(File& file, void* buffer, MPI_Status* status) {
    return end(file, "MPI_File_read_all_end", "MPI_File_read_all_begin", buffer, status);
}
int write_all_begin(File& file, const void* buffer, MPI_Count count, MPI_Datatype type) {
    return begin(file, "MPI_File_write_all_begin", buffer,
                 [&](MPI_Status* status) { return write_all(file, buffer, count, type, status); });
}
int write_all_end(File& file, const void* buffer, MPI_Status* status) {
    return end(file, "MPI_File_write_all_end", "MPI_File_write_all_begin", buffer, status);
}
int read_ordered_begin(File& file, void* buffer, MPI_Count count, MPI_Datatype type) {
    return begin(file, "MPI_File_read_ordered_begin", buffer,
                 [&](MPI_Status* status) { return read_ordered(file, buffer, count, type, status); });
}
int read_ordered_end(File& file, void* buffer, MPI_Status* status) {
    return end(file, "MPI_File_read_ordered_end", "MPI_File_read_ordered_begin", buffer, status);
}
int write_ordered_begin(File& file, const void* buffer, MPI_Count count, MPI_Datatype type) {
    return begin(file, "MPI_File_write_ordered_begin", buffer,
                 [&](MPI_Status* status) { return write_ordered(file, buffer, count, type, status); });
}
int write_ordered_end(File& file, const void* buffer, MPI_Status* status) {
    return end(file, "MPI_File_write_ordered_end", "MPI_File_write_ordered_begin", buffer, status);
}

}  // namespace kumihimo::mpiio::operations
