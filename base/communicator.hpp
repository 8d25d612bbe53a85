// Communicators for our own messages, which cannot meet the program's. All that this library makes are made, and counted, here.
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
    explicit Communicator(MPI_Comm copy) : copy_(copy) {}
    MPI_Comm copy_ = MPI_COMM_NULL;
};

// One that the caller frees. Collective.
MPI_Comm copy_of(MPI_Comm comm);

// Of these processes of `whole`, which the caller frees. Collective over them alone, with the same tag.
MPI_Comm part_of(MPI_Comm whole, MPI_Group processes, int tag);

// As MPI sees it: all ranks may take part in one shared window. Collective at first use, then kept with the communicator.
bool on_one_machine(MPI_Comm comm);

}  // namespace kumihimo::base
