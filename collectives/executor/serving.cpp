#include "collectives/executor/serving.hpp"

#include <algorithm>

#include "base/log.hpp"

namespace kumihimo::collectives::execute {

namespace {

bool is_predefined(MPI_Op op) {
    const MPI_Op predefined[] = {MPI_MAX, MPI_MIN, MPI_SUM,  MPI_PROD, MPI_LAND,   MPI_BAND,
                                 MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
    return std::find(std::begin(predefined), std::end(predefined), op) != std::end(predefined);
}

// Whether the type may be used with the operation (MPI-4.0 6.9.2), asked of the MPI library. Otherwise only the ranks that
// combine would find the error.
bool allowed(MPI_Datatype type, MPI_Op op) {
    static thread_local MPI_Datatype last_type = MPI_DATATYPE_NULL;
    static thread_local MPI_Op last_op = MPI_OP_NULL;
    if (type == last_type && op == last_op) return true;
    alignas(64) const std::byte in[64]{};
    alignas(64) std::byte inout[64]{};
    if (size_of(type) > 64 || PMPI_Reduce_local(in, inout, 1, type, op) != MPI_SUCCESS) return false;
    last_type = type;
    last_op = op;
    return true;
}

}  // namespace

Serving::Serving(Operation operation, MPI_Comm comm, int root) : comm_(comm) {
    if (comm == MPI_COMM_NULL) return;
    Domain* const domain = Domain::of(comm);
    if (domain == nullptr || !settings().selection.has(operation) || root < 0 || root >= domain->ranks()) return;
    domain_ = domain;
    call.operation = operation;
    call.ranks = domain->ranks();
    call.rank = domain->rank();
    call.root = root;
    call.torus = domain->torus();
    call.segment_bytes = settings().segment_bytes;
    call.work_limit = settings().work_limit;
}

bool Serving::reduces(MPI_Datatype type, MPI_Op op) {
    if (type == MPI_DATATYPE_NULL || op == MPI_OP_NULL || op == MPI_REPLACE || op == MPI_NO_OP) return false;
    if (!is_plain(type) || size_of(type) == 0 || (is_predefined(op) && !allowed(type, op))) return false;
    int commutes = 0;
    PMPI_Op_commutative(op, &commutes);
    call.commutative = commutes != 0;
    call.element_bytes = size_of(type);
    type_ = type;
    op_ = op;
    return true;
}

void Serving::set_block(Bytes bytes) {
    call.block_bytes = call.send_blocks.bytes = call.receive_blocks.bytes = bytes;
}

bool Serving::choose(std::optional<Bytes> size) {
    algorithm_ = settings().selection.choose(call, size);
    if (algorithm_ != nullptr && call.rank == 0)
        base::log(base::log_start, "{} on {} ranks by {}", name_of(call.operation), call.ranks, algorithm_->name);
    return algorithm_ != nullptr;
}

int Serving::run(Region& send, Region& receive) {
    const Operands operands{send.bytes(), receive.bytes(), domain_->work(), domain_->messages(), type_, call.element_bytes,
                            op_};
    const int code = Run(schedule(*algorithm_, call), operands, settings().look_ahead).execute();
    if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm_, code);
    return code;
}

}  // namespace kumihimo::collectives::execute
