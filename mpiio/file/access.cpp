// Blocking data access (MPI 3.1, 13.4.2 to 13.4.4).
#include "mpiio/file/call.hpp"
#include "mpiio/file/shared_pointer.hpp"
#include "mpiio/file/transfer.hpp"

namespace kumihimo::mpiio::operations {

namespace {

// Explicit offsets.
int at(File& file, const char* function, MPI_Offset offset, const Transfer& transfer, MPI_Status* status) {
    const Call call(file, function, transfer, false);
    Index position = 0;
    std::optional<Failure> failure = check(file, transfer, Pointer::explicit_offset);
    if (!failure) failure = position_of(file, offset, position);
    return call.complete(failure ? Outcome{0, failure} : move(file, transfer, position), status);
}

int at_all(File& file, const char* function, MPI_Offset offset, const Transfer& transfer, MPI_Status* status) {
    const Call call(file, function, transfer, true);
    Index position = 0;
    std::optional<Failure> failure = check(file, transfer, Pointer::explicit_offset);
    if (!failure) failure = position_of(file, offset, position);
    return call.complete(move_all(file, transfer, position, failure), status);
}

// The pointer moves by what was asked for, not by what arrived (MPI 3.1, 13.4.1).
Index advance(File& file, const Transfer& transfer) {
    const Index before = file.position;
    file.position += bytes_of(file, transfer);
    return before;
}

int individual(File& file, const char* function, const Transfer& transfer, MPI_Status* status) {
    const Call call(file, function, transfer, false);
    if (auto failure = check(file, transfer, Pointer::individual)) return call.complete({0, failure}, status);
    return call.complete(move(file, transfer, advance(file, transfer)), status);
}

int individual_all(File& file, const char* function, const Transfer& transfer, MPI_Status* status) {
    const Call call(file, function, transfer, true);
    const std::optional<Failure> failure = check(file, transfer, Pointer::individual);
    return call.complete(move_all(file, transfer, failure ? 0 : advance(file, transfer), failure), status);
}

int shared(File& file, const char* function, const Transfer& transfer, MPI_Status* status) {
    const Call call(file, function, transfer, false);
    Index position = 0;
    std::optional<Failure> failure = check(file, transfer, Pointer::shared);
    if (!failure) failure = take_shared(file, bytes_of(file, transfer), position);
    return call.complete(failure ? Outcome{0, failure} : move(file, transfer, position), status);
}

int ordered(File& file, const char* function, const Transfer& transfer, MPI_Status* status) {
    const Call call(file, function, transfer, true);
    std::optional<Failure> failure = check(file, transfer, Pointer::shared);
    Index position = 0;
    const std::optional<Failure> taken = take_ordered(file, failure ? 0 : bytes_of(file, transfer), position);
    if (!failure) failure = taken;
    Outcome outcome = move_all(file, transfer, position, failure);
    if (transfer.direction == Direction::write) {  // programs rely on the order without a sync
        const std::optional<Failure> flushed = file.engine().flush();
        if (!outcome.failure) outcome.failure = flushed;
    }
    return call.complete(outcome, status);
}

}  // namespace

int read_at(File& file, MPI_Offset offset, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status) {
    return at(file, "MPI_File_read_at", offset, reading(buffer, count, type), status);
}
int write_at(File& file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status) {
    return at(file, "MPI_File_write_at", offset, writing(buffer, count, type), status);
}
int read_at_all(File& file, MPI_Offset offset, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status) {
    return at_all(file, "MPI_File_read_at_all", offset, reading(buffer, count, type), status);
}
int write_at_all(File& file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status) {
    return at_all(file, "MPI_File_write_at_all", offset, writing(buffer, count, type), status);
}
int read(File& file, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status) {
    return individual(file, "MPI_File_read", reading(buffer, count, type), status);
}
int write(File& file, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status) {
    return individual(file, "MPI_File_write", writing(buffer, count, type), status);
}
int read_all(File& file, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status) {
    return individual_all(file, "MPI_File_read_all", reading(buffer, count, type), status);
}
int write_all(File& file, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status) {
    return individual_all(file, "MPI_File_write_all", writing(buffer, count, type), status);
}
int read_shared(File& file, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status) {
    return shared(file, "MPI_File_read_shared", reading(buffer, count, type), status);
}
int write_shared(File& file, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status) {
    return shared(file, "MPI_File_write_shared", writing(buffer, count, type), status);
}
int read_ordered(File& file, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status) {
    return ordered(file, "MPI_File_read_ordered", reading(buffer, count, type), status);
}
int write_ordered(File& file, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status) {
    return ordered(file, "MPI_File_write_ordered", writing(buffer, count, type), status);
}

}  // namespace kumihimo::mpiio::operations
