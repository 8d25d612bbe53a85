#include "runtime/xmpio/library_file.hpp"

#include <algorithm>
#include <cerrno>

#include "base/datatype.hpp"
#include "base/format.hpp"
#include "copying/streams.hpp"
#include "mpiio/engine/info.hpp"
#include "runtime/xmpio/rehearsal.hpp"

namespace kumihimo::xmpio {

using mpiio::Access, mpiio::Failure, mpiio::Index, mpiio::Outcome;

namespace {

constexpr Index largest_call = Index{1} << 30;  // MPI counts are int
// The library's own MPI-IO, whatever rules say about MPI_File_open.
const mpiio::Hints never_served{{"kumihimo_io", "off"}};
constexpr int patience = 3;  // calls without progress before it is an error

// Bytes of a stream at their places, from that of stream byte `begin` on: the first one of `pattern`, its copies `period`
// apart.
base::Datatype type_of(const sets::Extents& pattern, Index period, Index displacement, Index begin, Index end) {
    std::vector<base::Datatype> parts;
    std::vector<MPI_Aint> places;
    sets::for_each_tiled_nest(pattern, period, displacement, begin, end, [&](const sets::Nest& nest) {
        base::Datatype type = base::Datatype::row(MPI_BYTE, nest.length);
        for (auto level = nest.levels.rbegin(); level != nest.levels.rend(); ++level)
            type = type.repeated(level->count, level->stride);
        parts.push_back(std::move(type));
        places.push_back(nest.offset);
    });
    return base::Datatype::sequence(parts, places).committed();
}

}  // namespace

std::optional<Failure> LibraryFile::failure_of(int code, const std::string& what) const {
    if (code == MPI_SUCCESS) return std::nullopt;
    return Failure{code, fmt::format("cannot {} '{}': {}", what, name_, mpi_error_text(code, errno)), errno};
}

std::unique_ptr<mpiio::EngineFile> LibraryFile::open(const mpiio::OpenRequest& request, std::optional<Failure>& failure) {
    if ((failure = rehearse(request.comm, request.path, request.amode).failure)) return nullptr;
    std::unique_ptr<LibraryFile> file(new LibraryFile(request.comm, request.path));
    mpiio::Hints hints = never_served;
    hints.insert(request.hints.begin(), request.hints.end());
    MPI_Info info = mpiio::info_of(hints);
    errno = 0;
    const int amode = request.amode & ~MPI_MODE_EXCL;  // the rehearsal has made it
    const int code = PMPI_File_open(request.comm, request.path.c_str(), amode, info, &file->handle_);
    PMPI_Info_free(&info);
    if ((failure = base::agree(request.comm, file->failure_of(code, "open")))) return nullptr;
    PMPI_File_set_errhandler(file->handle_, MPI_ERRORS_RETURN);
    file->share_pointer();
    return file;
}

std::optional<Failure> LibraryFile::remove(const std::string& name) {
    errno = 0;
    MPI_Info info = mpiio::info_of(never_served);
    const int code = PMPI_File_delete(name.c_str(), info);
    PMPI_Info_free(&info);
    return LibraryFile(MPI_COMM_NULL, name).failure_of(code, "remove");
}

// One stretch of the file, until all bytes have moved.
Outcome LibraryFile::move_stretch(Index offset, std::byte* memory, Index bytes, bool writing) {
    Outcome outcome;
    for (int idle = 0; outcome.moved < bytes && idle < patience;) {
        const int count = static_cast<int>(std::min(bytes - outcome.moved, largest_call));
        const Index at = offset + outcome.moved;
        MPI_Status status;
        int moved = 0;
        errno = 0;
        const int code = writing ? PMPI_File_write_at(handle_, at, memory + outcome.moved, count, MPI_BYTE, &status)
                                 : PMPI_File_read_at(handle_, at, memory + outcome.moved, count, MPI_BYTE, &status);
        const int system_error = errno;
        if (code == MPI_SUCCESS) PMPI_Get_count(&status, MPI_BYTE, &moved);
        // Open MPI reports success and no bytes where the disk is full.
        const bool refused = moved <= 0 && file_system_error(system_error);
        if (refused || (code != MPI_SUCCESS && system_error != EINTR && system_error != EAGAIN)) {
            errno = system_error;
            outcome.failure = failure_of(code == MPI_SUCCESS ? MPI_ERR_IO : code,
                                         fmt::format("{} {} bytes at offset {} of", writing ? "write" : "read", count, at));
            return outcome;
        }
        moved = std::max(moved, 0);  // MPI_UNDEFINED
        outcome.moved += moved;
        idle = moved > 0 ? 0 : idle + 1;
    }
    if (writing && outcome.moved < bytes)
        outcome.failure = Failure{
            MPI_ERR_IO, fmt::format("wrote only {} of {} bytes at offset {} of '{}'", outcome.moved, bytes, offset, name_)};
    return outcome;
}

// A view is set by all ranks together, so a rank alone goes from block to block. Memory in no row passes through a copy.
Outcome LibraryFile::move(const Access& access, bool writing) {
    std::vector<std::byte> copy;
    if (!access.memory.contiguous()) copy.resize(static_cast<std::size_t>(access.bytes));
    std::byte* const row = copy.empty() ? access.memory.data() : copy.data();
    if (writing && !copy.empty()) copying::gather(access.memory, 0, access.bytes, row);
    Outcome outcome;
    bool ended = false;
    access.view.for_each(access.position, access.position + access.bytes, [&](const sets::Blocks& blocks) {
        for (Index i = 0; i < blocks.count && !ended; ++i) {
            const Index offset = blocks.offset + i * blocks.stride;
            const Outcome stretch = move_stretch(offset, row + outcome.moved, blocks.length, writing);
            outcome.moved += stretch.moved;
            outcome.failure = stretch.failure;
            ended = stretch.moved < blocks.length;
        }
    });
    if (!writing && !copy.empty()) copying::scatter(row, access.memory, 0, outcome.moved);
    return outcome;
}

Outcome LibraryFile::move_all(const Access& access, bool writing) {
    const Index end = access.position + access.bytes;
    const base::Datatype in_file =
        type_of(access.view.pattern, access.view.period, access.view.displacement, access.position, end);
    const base::Datatype in_memory = type_of(access.memory.pattern, access.memory.period, 0, 0, access.bytes);
    const int count = access.bytes > 0 ? 1 : 0;
    MPI_Status status;
    MPI_Count moved = 0;
    errno = 0;
    int code = PMPI_File_set_view(handle_, 0, MPI_BYTE, count > 0 ? MPI_Datatype(in_file) : MPI_BYTE, "native", MPI_INFO_NULL);
    std::byte* const base = access.memory.base;
    if (code == MPI_SUCCESS)
        code = writing ? PMPI_File_write_at_all(handle_, 0, base, count, in_memory, &status)
                       : PMPI_File_read_at_all(handle_, 0, base, count, in_memory, &status);
    Outcome outcome;
    if (code == MPI_SUCCESS && count > 0) PMPI_Get_elements_x(&status, in_memory, &moved);
    outcome.moved = static_cast<Index>(moved);
    outcome.failure = failure_of(code, writing ? "write" : "read");
    PMPI_File_set_view(handle_, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    return outcome;
}

std::optional<Failure> LibraryFile::size(Index& bytes) {
    MPI_Offset size = 0;
    const int code = PMPI_File_get_size(handle_, &size);
    bytes = static_cast<Index>(size);
    return failure_of(code, "ask for the size of");
}

std::optional<Failure> LibraryFile::set_size(Index bytes) {
    return failure_of(PMPI_File_set_size(handle_, bytes), "set the size of");
}

std::optional<Failure> LibraryFile::preallocate(Index bytes) {
    return failure_of(PMPI_File_preallocate(handle_, bytes), "reserve space for");
}

// Twice: what others synchronised in between is seen from then on.
std::optional<Failure> LibraryFile::sync() {
    const auto failure = failure_of(PMPI_File_sync(handle_), "synchronise");
    const auto again = failure_of(PMPI_File_sync(handle_), "synchronise");
    return failure ? failure : again;
}

// MPI's own shared pointers can only be moved by a transfer.
void LibraryFile::share_pointer() {
    mpiio::Team& team = mpiio::Team::of(comm_);
    mpiio::direct::SharedPointer::Invitation invitation;
    if (first()) invitation = pointer_.invite(team, name_);
    team.broadcast(0, invitation);
    if (!first()) pointer_.accept(team, name_, invitation);
}

bool LibraryFile::first() const {
    int rank = 0;
    PMPI_Comm_rank(comm_, &rank);
    return rank == 0;
}

std::optional<Failure> LibraryFile::close() {
    errno = 0;
    const auto failure = failure_of(PMPI_File_close(&handle_), "close");
    const auto pointer = pointer_.close(first());
    return failure ? failure : pointer;
}

mpiio::Hints LibraryFile::hints() const {
    MPI_Info info;
    if (PMPI_File_get_info(handle_, &info) != MPI_SUCCESS) return {};
    mpiio::Hints hints = mpiio::hints_of(info);
    PMPI_Info_free(&info);
    return hints;
}

std::optional<Failure> LibraryFile::set_atomic(bool atomic) {
    return failure_of(PMPI_File_set_atomicity(handle_, atomic ? 1 : 0), "change the mode of");
}

}  // namespace kumihimo::xmpio
