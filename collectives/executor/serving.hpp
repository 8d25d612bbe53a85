// One call of a collective operation on its way to a schedule: finds out who does it, and runs it.
#pragma once

#include "collectives/executor/domain.hpp"
#include "collectives/executor/operations.hpp"
#include "collectives/executor/region.hpp"

namespace kumihimo::collectives::execute {

// Whether there was such a call before; it is done then, with that result.
bool repeat(const Arguments& arguments, MPI_Comm comm, const void* send, void* receive, Result& result);

class Serving {
public:
    // Every call of a collective function must come here or to repeat() first: the first on a communicator is collective.
    Serving(Operation operation, MPI_Comm comm, int root = 0);
    Serving(const Arguments& arguments, MPI_Comm comm);  // to be remembered

    Call call;  // to be completed before choose()
    int rank() const { return call.rank; }
    int ranks() const { return call.ranks; }
    bool at_root() const { return call.rank == call.root; }

    // Whether there are rules for the operation at all. If not, nothing else may be called.
    explicit operator bool() const { return domain_ != nullptr; }
    // As repeat(), for a call that comes here first. If not, it will be remembered.
    bool repeats(const Arguments& arguments, const void* send, void* receive, Result& result);
    // Sets the reduction; false if the MPI library must do or refuse it.
    bool reduces(MPI_Datatype type, MPI_Op op);
    // Of equal blocks.
    void set_block(Bytes bytes);
    // size: what rules count in, where all ranks know it. False: native.
    bool choose(std::optional<Bytes> size);
    // Precondition: choose() said true. An error has gone to the program's error handler.
    int run(Region& send, Region& receive);

private:
    Operands operands() const;
    void remember();
    void list_sizes();
    int learn_sizes();  // an MPI error code
    void tell(std::optional<Bytes> size) const;

    MPI_Comm comm_;
    Domain* domain_ = nullptr;
    std::optional<Arguments> arguments_;
    const Algorithm* algorithm_ = nullptr;
    MPI_Datatype type_ = MPI_BYTE;
    MPI_Op op_ = MPI_OP_NULL;
    Sizes sizes_;
    bool learned_ = false;  // they are known
};

}  // namespace kumihimo::collectives::execute
