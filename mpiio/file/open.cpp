// Opening, closing and deleting (MPI 3.1, 13.2.1 to 13.2.3).
#include <bit>

#include "base/format.hpp"
#include "mpiio/file/errors.hpp"
#include "mpiio/file/file.hpp"
#include "mpiio/file/info.hpp"
#include "mpiio/file/native.hpp"
#include "mpiio/file/process.hpp"
#include "mpiio/file/shared_pointer.hpp"

namespace kumihimo::mpiio::operations {

namespace {

// The rules of 13.2.1 for access modes.
std::optional<Failure> check_mode(int amode) {
    const int access = amode & (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR);
    if (std::popcount(static_cast<unsigned>(access)) != 1)
        return failure(MPI_ERR_AMODE,
                       "the access mode needs exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR");
    if ((amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0 && access == MPI_MODE_RDONLY)
        return failure(MPI_ERR_AMODE, "MPI_MODE_CREATE and MPI_MODE_EXCL cannot be combined with MPI_MODE_RDONLY");
    if ((amode & MPI_MODE_SEQUENTIAL) != 0 && access == MPI_MODE_RDWR)
        return failure(MPI_ERR_AMODE, "MPI_MODE_SEQUENTIAL cannot be combined with MPI_MODE_RDWR");
    return std::nullopt;
}

// Collective: the access mode must make sense and be the same on all ranks.
std::optional<Failure> agree_on_arguments(File& file, const Engine* engine, const Choice& choice) {
    std::optional<Failure> mine = check_mode(file.amode());
    if (engine == nullptr) mine = failure(MPI_ERR_UNSUPPORTED_OPERATION, fmt::format("there is no engine '{}'", choice.engine));
    const auto least = file.team().lowest<3>({mine ? file.rank() : file.size(), file.amode(), -file.amode()});
    if (least[1] != -least[2])
        return failure(MPI_ERR_NOT_SAME, fmt::format("the ranks opened '{}' with different access modes", file.path()));
    if (least[0] < file.size()) return base::broadcast_failure(file.comm(), static_cast<int>(least[0]), mine, "rank");
    return std::nullopt;
}

// Both pointers begin at the end of the file (MPI_MODE_APPEND).
std::optional<Failure> go_to_end(File& file) {
    std::optional<Failure> failure = file.engine().size(file.position);
    if ((failure = file.agree(failure))) return failure;
    return set_shared(file, file.position);
}

std::optional<Failure> open_file(File& file, const Engine* engine, const Choice& choice) {
    std::optional<Failure> failure = agree_on_arguments(file, engine, choice);
    if (failure) return failure;
    if ((failure = file.open(*engine))) return failure;
    return file.has_mode(MPI_MODE_APPEND) ? go_to_end(file) : std::nullopt;
}

}  // namespace

int open(MPI_Comm comm, const Choice& choice, int amode, MPI_Info info, MPI_File* handle) {
    *handle = MPI_FILE_NULL;
    prepare_waiting();
    auto file = std::make_unique<File>(comm, choice.path, amode, hints_of(info));
    if (const auto failure = open_file(*file, find_engine(choice.engine), choice))
        return file->finish("MPI_File_open", failure, true);
    *handle = file->handle();
    add_served(std::move(file));
    return MPI_SUCCESS;
}

int close(File& file, MPI_File* handle) {
    std::optional<Failure> failure;
    {
        const std::lock_guard lock(file.mutex());
        if (file.split)
            failure = mpiio::failure(MPI_ERR_OTHER,
                                     fmt::format("'{}' is closed while {} waits for its end", file.path(), file.split->begin));
        const std::optional<Failure> closing = file.engine().close();
        failure = file.agree(failure ? failure : closing);
        report_file(file.comm(), file.path(), file.engine_name(), file.calls, file.engine());
    }
    const int code = file.finish("MPI_File_close", failure, true);
    *handle = MPI_FILE_NULL;
    remove_served(file);
    return code;
}

int remove(const Choice& choice, MPI_Info) {
    const Engine* const engine = find_engine(choice.engine);
    const std::optional<Failure> failed =
        engine == nullptr ? failure(MPI_ERR_UNSUPPORTED_OPERATION, fmt::format("there is no engine '{}'", choice.engine))
                          : engine->remove(choice.path);
    if (!failed) return MPI_SUCCESS;
    report_failure("MPI_File_delete", *failed, true);
    return native::call_errhandler(MPI_FILE_NULL, error_code(*failed));
}

}  // namespace kumihimo::mpiio::operations
