// Opening, closing and deleting (MPI 3.1, 13.2.1 to 13.2.3).
#include "base/format.hpp"
#include "mpiio/engine/info.hpp"
#include "mpiio/file/errors.hpp"
#include "mpiio/file/file.hpp"
#include "mpiio/file/native.hpp"
#include "mpiio/file/process.hpp"
#include "mpiio/file/shared_pointer.hpp"

namespace kumihimo::mpiio::operations {

namespace {

// Both pointers begin at the end of the file (MPI_MODE_APPEND).
std::optional<Failure> go_to_end(File& file) {
    std::optional<Failure> failure = file.engine().size(file.position);
    if ((failure = file.agree(failure))) return failure;
    return set_shared(file, file.position);
}

std::optional<Failure> open_file(File& file, const Engine& engine) {
    if (auto failure = file.open(engine)) return failure;
    return file.has_mode(MPI_MODE_APPEND) ? go_to_end(file) : std::nullopt;
}

}  // namespace

int open(MPI_Comm comm, const Choice& choice, int amode, MPI_Info info, MPI_File* handle) {
    *handle = MPI_FILE_NULL;
    prepare_waiting();
    auto file = std::make_unique<File>(comm, choice.path, amode, hints_of(info));
    if (const auto failure = open_file(*file, *find_engine(choice.engine))) return file->finish("MPI_File_open", failure, true);
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
        if (file.reports()) report_file(file.comm(), file.path(), file.engine_name(), file.calls, file.engine(), "rank");
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
