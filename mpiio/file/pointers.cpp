// Individual and shared file pointers (MPI 3.1, 13.4.3 and 13.4.4).
#include <algorithm>

#include "base/format.hpp"
#include "mpiio/file/errors.hpp"
#include "mpiio/file/file.hpp"
#include "mpiio/file/shared_pointer.hpp"

namespace kumihimo::mpiio::operations {

namespace {

// The end of the file in bytes of the view's stream, up to a whole etype.
std::optional<Failure> end_of_stream(File& file, Index& end) {
    Index bytes = 0;
    if (auto failure = file.engine().size(bytes)) return failure;
    const View& view = file.view.bytes;
    end = view.pattern.size() == 0 ? 0 : view.position(std::max(bytes, view.displacement));
    end = (end + file.view.etype_bytes - 1) / file.view.etype_bytes * file.view.etype_bytes;
    return std::nullopt;
}

// Where `offset` etypes from `whence` lead to; `current` is the pointer's place now.
std::optional<Failure> target(File& file, MPI_Offset offset, int whence, Index current, Index& position) {
    Index origin = 0;
    switch (whence) {
        case MPI_SEEK_SET:
            break;
        case MPI_SEEK_CUR:
            origin = current;
            break;
        case MPI_SEEK_END:
            if (auto failure = end_of_stream(file, origin)) return failure;
            break;
        default:
            return failure(MPI_ERR_ARG,
                           fmt::format("whence is {}, none of MPI_SEEK_SET, MPI_SEEK_CUR and MPI_SEEK_END", whence));
    }
    if (__builtin_mul_overflow(static_cast<Index>(offset), file.view.etype_bytes, &position) ||
        __builtin_add_overflow(position, origin, &position))
        return failure(MPI_ERR_ARG, fmt::format("the offset {} lies beyond what a file can have", offset));
    if (position < 0) return failure(MPI_ERR_ARG, "the pointer would lie before the beginning of the view");
    return std::nullopt;
}

std::optional<Failure> not_sequential(const File& file) {
    if (!file.has_mode(MPI_MODE_SEQUENTIAL)) return std::nullopt;
    return failure(MPI_ERR_UNSUPPORTED_OPERATION, fmt::format("'{}' was opened with MPI_MODE_SEQUENTIAL", file.path()));
}

// Collective: all ranks must give the same arguments.
std::optional<Failure> same_target(File& file, MPI_Offset offset, int whence) {
    const auto least = file.team().lowest<4>({offset, -offset, whence, -whence});
    if (least[0] == -least[1] && least[2] == -least[3]) return std::nullopt;
    return failure(MPI_ERR_NOT_SAME, "the ranks called MPI_File_seek_shared with different arguments");
}

}  // namespace

int seek(File& file, MPI_Offset offset, int whence) {
    const std::lock_guard lock(file.mutex());
    std::optional<Failure> failure = not_sequential(file);
    Index position = 0;
    if (!failure) failure = target(file, offset, whence, file.position, position);
    if (!failure) file.position = position;
    return file.finish("MPI_File_seek", failure, false);
}

int get_position(File& file, MPI_Offset* offset) {
    const std::lock_guard lock(file.mutex());
    *offset = file.position / file.view.etype_bytes;
    return file.finish("MPI_File_get_position", not_sequential(file), false);
}

int seek_shared(File& file, MPI_Offset offset, int whence) {
    const std::lock_guard lock(file.mutex());
    std::optional<Failure> failure = same_target(file, offset, whence);
    if (!failure) failure = not_sequential(file);
    // What was written by the shared pointer is there for whoever reads from its new place: programs rely on it without a sync.
    const std::optional<Failure> flushed = file.engine().flush();
    if (!failure) failure = flushed;
    Index current = 0, position = 0;
    // Nobody may move it before all have read it: target() is followed by an agreement.
    std::optional<Failure> mine;
    if (!failure) {
        mine = file.engine().add_to_shared(0, current);
        if (!mine) mine = target(file, offset, whence, current, position);
        failure = file.agree(mine);
    }
    if (!failure) failure = set_shared(file, position);
    return file.finish("MPI_File_seek_shared", failure, true);
}

int get_position_shared(File& file, MPI_Offset* offset) {
    const std::lock_guard lock(file.mutex());
    std::optional<Failure> failure = not_sequential(file);
    Index position = 0;
    if (!failure) failure = file.engine().add_to_shared(0, position);
    *offset = position / file.view.etype_bytes;
    return file.finish("MPI_File_get_position_shared", failure, false);
}

}  // namespace kumihimo::mpiio::operations
