// What all data access calls share: arguments checked, buffers and offsets turned into an Access, the engine called, failures
// agreed.
#pragma once

#include "mpiio/file/file.hpp"

namespace kumihimo::mpiio {

enum class Direction { read, write };

struct Transfer {
    Direction direction;
    MPI_Count count;
    MPI_Datatype type;
    Memory memory;               // the user's buffer, by elements; writes only read it
    std::string incapable = {};  // why this library cannot take the type apart; check() tells it
};

Transfer transfer(Direction direction, void* buffer, MPI_Count count, MPI_Datatype type);
inline Transfer reading(void* buffer, MPI_Count count, MPI_Datatype type) {
    return transfer(Direction::read, buffer, count, type);
}
inline Transfer writing(const void* buffer, MPI_Count count, MPI_Datatype type) {
    return transfer(Direction::write, const_cast<void*>(buffer), count, type);
}

// Which pointer a call uses (MPI 3.1, 13.4.1): what a file opened with MPI_MODE_SEQUENTIAL allows depends on it.
enum class Pointer { explicit_offset, individual, shared };

// The arguments of a data access call, looked at before anything moves: counts, access mode, whole etypes, memory of a GPU.
std::optional<Failure> check(const File& file, const Transfer& transfer, Pointer pointer);

// Bytes of the file that a transfer asks for. Precondition: check() is content.
Index bytes_of(const File& file, const Transfer& transfer);

// Stream byte of an explicit offset, which is in etypes; a failure if there is none.
std::optional<Failure> position_of(const File& file, MPI_Offset offset, Index& position);

// Moves the data, `position` being a byte of the view's stream. Independent, and collective: there the failure is agreed, and a
// rank that was `rejected` takes part without data.
Outcome move(File& file, const Transfer& transfer, Index position);
Outcome move_all(File& file, const Transfer& transfer, Index position, const std::optional<Failure>& rejected);

// What MPI_Get_count and MPI_Get_elements find in a status.
void set_status(MPI_Status* status, const File& file, const Transfer& transfer, Index moved);

}  // namespace kumihimo::mpiio
