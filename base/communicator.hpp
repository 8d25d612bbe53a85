// Copies of communicators for our own messages, which cannot meet the program's.
#pragma once

#include <mpi.h>

#include <memory>

namespace kumihimo::base {

// A copy of a communicator for one library's messages, which cannot meet the user's. Made once for each communicator
// (a copy costs several collective calls) and kept as an attribute of it; it lives as long as anybody holds it.
class Communicator {
public:
    static std::shared_ptr<Communicator> of(MPI_Comm comm);  // collective at first use
    // One that nobody else gets, of such a copy: for several threads, each of which has its own order of calls. Collective.
    static std::shared_ptr<Communicator> copy_of(const Communicator& original);
    ~Communicator();
    operator MPI_Comm() const { return copy_; }

    bool settings_agreed = false;  // what the ranks need to have in common before they wait for each other

private:
    Communicator() = default;
    explicit Communicator(MPI_Comm comm);
    MPI_Comm copy_ = MPI_COMM_NULL;
};

// One that the caller frees. Collective.
MPI_Comm copy_of(MPI_Comm comm);

int communicators_copied();  // by this library in this process, since it began

}  // namespace kumihimo::base
