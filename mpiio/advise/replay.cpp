#include "mpiio/advise/replay.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "mpiio/file/next.hpp"
#include "mpiio/file/operations.hpp"

namespace kumihimo::mpiio::advise {

namespace {

constinit Next<decltype(PMPI_File_open)> native_open{"PMPI_File_open"};
constinit Next<decltype(PMPI_File_delete)> native_delete{"PMPI_File_delete"};

int as_count(std::int64_t bytes) {
    return static_cast<int>(std::min<std::int64_t>(bytes, std::numeric_limits<int>::max()));
}

// The entry points decide by the handle who does the work, as for any program.
int transfer(MPI_File file, const DataCall& call, void* buffer) {
    const int count = as_count(call.bytes);
    MPI_Status* const ignored = MPI_STATUS_IGNORE;
    switch (call.place) {
        case Place::offset:
            if (call.writes)
                return (call.collective ? PMPI_File_write_at_all : PMPI_File_write_at)(file, call.offset, buffer, count,
                                                                                       MPI_BYTE, ignored);
            return (call.collective ? PMPI_File_read_at_all : PMPI_File_read_at)(file, call.offset, buffer, count, MPI_BYTE,
                                                                                 ignored);
        case Place::pointer:
            if (call.writes)
                return (call.collective ? PMPI_File_write_all : PMPI_File_write)(file, buffer, count, MPI_BYTE, ignored);
            return (call.collective ? PMPI_File_read_all : PMPI_File_read)(file, buffer, count, MPI_BYTE, ignored);
        case Place::shared:
            return (call.writes ? PMPI_File_write_shared(file, buffer, count, MPI_BYTE, ignored)
                                : PMPI_File_read_shared(file, buffer, count, MPI_BYTE, ignored));
        case Place::ordered:
            return (call.writes ? PMPI_File_write_ordered(file, buffer, count, MPI_BYTE, ignored)
                                : PMPI_File_read_ordered(file, buffer, count, MPI_BYTE, ignored));
    }
    return MPI_ERR_INTERN;
}

// The program's memory: a program does not transfer the same few cache lines again and again, so neither do we.
class Buffer {
public:
    explicit Buffer(const Trace& trace)
        : memory_(static_cast<std::size_t>(std::max(trace.largest(), std::min(trace.bytes(), most_bytes))) + 1, 'k') {}
    char* next(std::int64_t bytes) {
        if (used_ + static_cast<std::size_t>(bytes) > memory_.size()) used_ = 0;
        char* const place = memory_.data() + used_;
        used_ += static_cast<std::size_t>(bytes);
        return place;
    }

private:
    static constexpr std::int64_t most_bytes = 64 << 20;
    std::vector<char> memory_;
    std::size_t used_ = 0;
};

int redo(MPI_File file, const Trace& trace, const Step& step, void* buffer) {
    if (step.kind == Step::Kind::data) return transfer(file, step.data, buffer);
    if (step.kind == Step::Kind::seek) return PMPI_File_seek(file, step.offset, step.whence);
    if (step.kind == Step::Kind::sync) return PMPI_File_sync(file);
    const RecordedView& view = trace.view(step);
    return PMPI_File_set_view(file, view.displacement, view.etype, view.filetype, "native", MPI_INFO_NULL);
}

bool is_collective(const Step& step) {
    return step.kind == Step::Kind::view || step.kind == Step::Kind::sync ||
           (step.kind == Step::Kind::data && step.data.collective);
}

// How many collective steps every rank has: a rank whose trace ended early must not be waited for.
std::int64_t common_collectives(MPI_Comm comm, const Trace& trace) {
    std::int64_t mine = trace.complete() ? std::numeric_limits<std::int64_t>::max() : trace.collectives(), common = 0;
    MPI_Allreduce(&mine, &common, 1, MPI_INT64_T, MPI_MIN, comm);
    return common;
}

// Visits the steps up to those that not all ranks have.
template <typename Visit>
void for_each_common(const Trace& trace, std::int64_t collectives, Visit&& visit) {
    for (const Step& step : trace.steps()) {
        if (is_collective(step) && collectives-- == 0) return;
        visit(step);
    }
}

bool on_all(MPI_Comm comm, bool mine) {
    int good = mine ? 1 : 0, all = 0;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, comm);
    return all == 1;
}

int open_scratch(MPI_Comm comm, const std::string& path, int amode, const std::string& engine, MPI_File* file) {
    if (engine.empty()) return native_open(comm, path.c_str(), amode, MPI_INFO_NULL, file);
    return operations::open(comm, {engine, path}, amode, MPI_INFO_NULL, file);
}

void remove_scratch(MPI_Comm comm, const std::string& path) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) native_delete(path.c_str(), MPI_INFO_NULL);
    MPI_Barrier(comm);
}

double slowest(MPI_Comm comm, double seconds) {
    double all = 0;
    MPI_Allreduce(&seconds, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
    return all;
}

}  // namespace

std::string scratch_path(const Original& original) {
    return original.path + ".kumihimo-advise";
}

double replay(MPI_Comm comm, const Trace& trace, const Original& original, const std::string& engine) {
    const bool reading = original.only_read();  // from the file itself; else a scratch file is written
    const std::string path = reading ? original.path : scratch_path(original);
    const int access = original.amode & (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR);
    const std::int64_t collectives = common_collectives(comm, trace);
    Buffer buffer(trace);
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    MPI_File file = MPI_FILE_NULL;
    const int opened = open_scratch(comm, path, access | (reading ? 0 : MPI_MODE_CREATE), engine, &file);
    if (!on_all(comm, opened == MPI_SUCCESS)) return -1;
    if (!reading && original.size > 0) PMPI_File_set_size(file, original.size);
    int code = MPI_SUCCESS;
    for_each_common(trace, collectives, [&](const Step& step) {
        const int result = redo(file, trace, step, buffer.next(step.kind == Step::Kind::data ? step.data.bytes : 0));
        if (result != MPI_SUCCESS) code = result;
    });
    const int closed = PMPI_File_close(&file);
    const double seconds = slowest(comm, MPI_Wtime() - start);
    if (!reading) remove_scratch(comm, path);
    return on_all(comm, code == MPI_SUCCESS && closed == MPI_SUCCESS) ? seconds : -1;
}

double replayed_part(MPI_Comm comm, const Trace& trace) {
    double calls[2] = {0, static_cast<double>(trace.totals().reads + trace.totals().writes)}, all[2] = {};
    for_each_common(trace, common_collectives(comm, trace),
                    [&](const Step& step) { calls[0] += step.kind == Step::Kind::data; });
    MPI_Allreduce(calls, all, 2, MPI_DOUBLE, MPI_SUM, comm);
    return all[1] > 0 ? all[0] / all[1] : 1;
}

}  // namespace kumihimo::mpiio::advise
