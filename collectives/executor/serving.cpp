#include "collectives/executor/serving.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/log.hpp"
#include "collectives/hosts/leaders.hpp"
#include "collectives/hosts/levels.hpp"

namespace kumihimo::collectives::execute {

namespace {

bool is_predefined_operation(MPI_Op op) {
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

bool is_simple(MPI_Datatype type) {
    return type == MPI_DATATYPE_NULL || (is_predefined(type) && is_plain(type));
}

// Only of arguments that count on this rank: others may be anything (MPI-4.0 6.5, 6.6).
bool has_simple_types(const Arguments& arguments, bool at_root) {
    const bool in_place = arguments.in_place && at_root;
    switch (arguments.operation) {
        case Operation::gather:
            return (in_place || is_simple(arguments.type)) && (!at_root || is_simple(arguments.receive_type));
        case Operation::scatter:
            return (!at_root || is_simple(arguments.type)) && (in_place || is_simple(arguments.receive_type));
        case Operation::allgather:
            return (arguments.in_place || is_simple(arguments.type)) && is_simple(arguments.receive_type);
        default:
            return is_simple(arguments.type) && is_simple(arguments.receive_type);
    }
}

// Whether the MPI library does it.
bool is_native(const KnownCall& known) {
    return known.algorithm == nullptr;
}

Result run_again(Domain& domain, const KnownCall& known, MPI_Comm comm, const void* send, void* receive) {
    Operands operands = known.operands;
    operands.send = static_cast<const std::byte*>(send);
    operands.receive = static_cast<std::byte*>(receive);
    const int code = domain.run(Source(known.steps), operands, known.steps.size());
    if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, code);
    return code;
}

}  // namespace

bool repeat(const Arguments& arguments, MPI_Comm comm, const void* send, void* receive, Result& result) {
    Domain* const domain = comm == MPI_COMM_NULL ? nullptr : Domain::of(comm);
    if (domain == nullptr) return true;
    const KnownCall* const known = domain->known_calls().find(arguments);
    if (known != nullptr && !is_native(*known)) result = run_again(*domain, *known, comm, send, receive);
    return known != nullptr;
}

bool Serving::repeats(const Arguments& arguments, const void* send, void* receive, Result& result) {
    arguments_ = arguments;
    const KnownCall* const known = domain_->known_calls().find(arguments);
    if (known == nullptr) return false;
    if (is_native(*known)) return true;
    if (known->algorithm->asks_sizes) {
        sizes_.mine = known->sizes.mine;
        if (const int code = learn_sizes(); code != MPI_SUCCESS) {
            PMPI_Comm_call_errhandler(comm_, code);
            result = code;
            return true;
        }
        if (sizes_.told != known->sizes.told) return false;
    }
    result = run_again(*domain_, *known, comm_, send, receive);
    return true;
}

Serving::Serving(const Arguments& arguments, MPI_Comm comm) : Serving(arguments.operation, comm, arguments.root) {
    arguments_ = arguments;
}

Serving::Serving(Operation operation, MPI_Comm comm, int root) : comm_(comm) {
    if (comm == MPI_COMM_NULL) return;
    Domain* const domain = Domain::of(comm);
    if (domain == nullptr || !domain->rules().has(operation) || root < 0 || root >= domain->ranks()) return;
    domain_ = domain;
    call.operation = operation;
    call.ranks = domain->ranks();
    call.rank = domain->rank();
    call.root = root;
    call.torus = domain->torus();
    call.placement = domain->placement();
    call.segment_bytes = settings().segment_bytes;
    call.work_limit = settings().work_limit;
}

bool Serving::reduces(MPI_Datatype type, MPI_Op op) {
    if (type == MPI_DATATYPE_NULL || op == MPI_OP_NULL || op == MPI_REPLACE || op == MPI_NO_OP) return false;
    if (!is_plain(type) || size_of(type) == 0) return false;
    if (is_predefined_operation(op) && !(is_predefined(type) && allowed(type, op))) return false;
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
    algorithm_ = domain_->rules().choose(call, size);
    if (call.rank == 0 && base::logging(base::log_start)) tell(size);
    if (algorithm_ == nullptr) remember();
    return algorithm_ != nullptr;
}

// What does it, the work space that this takes, and what the limit changes.
void Serving::tell(std::optional<Bytes> size) const {
    Call unlimited = call;
    unlimited.work_limit = Rule::any;
    const Algorithm* const wanted = domain_->rules().choose(unlimited, size);
    const auto name = [](const Algorithm* algorithm) { return algorithm == nullptr ? "native" : algorithm->name; };
    if (wanted != algorithm_)
        base::log(base::log_start, "{} on {} ranks not by {}, which needs {} bytes of work space: KUMIHIMO_COLL_WORK is {}",
                  name_of(call.operation), call.ranks, name(wanted), work_bytes(*wanted, unlimited), call.work_limit);
    if (algorithm_ == nullptr) return;
    const Bytes work = work_bytes(*algorithm_, call), most = work_bytes(*algorithm_, unlimited);
    base::log(base::log_start, "{} on {} ranks by {}, with {} bytes of work space{}", name_of(call.operation), call.ranks,
              algorithm_->name, work, work < most ? fmt::format(" ({} but for KUMIHIMO_COLL_WORK)", most) : "");
}

// Calls that differ in nothing that counts (executor/known_calls.hpp).
void Serving::remember() {
    if (!arguments_ || (op_ != MPI_OP_NULL && !is_predefined_operation(op_))) return;
    if (!has_simple_types(*arguments_, at_root())) return;
    domain_->known_calls().remember(*arguments_, algorithm_, call, operands(), sizes_);
}

Operands Serving::operands() const {
    Operands operands;
    operands.element = type_;
    operands.element_bytes = call.element_bytes;
    operands.operation = op_;
    if (op_ != MPI_OP_NULL) operands.loop = loop_of(op_, type_);
    return operands;
}

// What this rank has to tell its host's leader, but no root, which knows.
void Serving::list_sizes() {
    const bool rooted = call.operation != Operation::alltoall;
    if (rooted && call.placement->host(call.rank) == call.placement->host(call.root)) return;
    if (rooted) sizes_.mine.push_back(call.block_bytes);
    for (const Blocks& blocks : {call.send_blocks, call.receive_blocks})
        for (int rank = 0; rank < call.ranks && !rooted; ++rank) sizes_.mine.push_back(blocks.size(rank));
}

// Other ranks may have other sizes at each call, whatever this rank sees.
int Serving::learn_sizes() {
    learned_ = true;
    if (sizes_.mine.empty()) return MPI_SUCCESS;
    const int host = call.placement->host(call.rank);
    if (leader_of(call, host) == call.rank)
        sizes_.told.resize(sizes_.mine.size() * static_cast<std::size_t>(call.placement->size(host)));
    call.told = sizes_.told.data();
    Operands operands;
    operands.send = reinterpret_cast<const std::byte*>(sizes_.mine.data());
    operands.receive = reinterpret_cast<std::byte*>(sizes_.told.data());
    return domain_->run(Source(tell_leader(call, static_cast<Bytes>(sizes_.mine.size() * sizeof(Bytes)))), operands,
                        least_window);
}

int Serving::run(Region& send, Region& receive) {
    int code = MPI_SUCCESS;
    if (algorithm_->asks_sizes && !learned_) {
        list_sizes();
        code = learn_sizes();
    }
    Operands all = operands();
    all.send = send.bytes();
    all.receive = receive.bytes();
    if (code == MPI_SUCCESS) {
        remember();
        code = domain_->run(Source(schedule(*algorithm_, call)), all,
                            std::max(settings().look_ahead, look_ahead(*algorithm_, call)));
    }
    if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm_, code);
    return code;
}

}  // namespace kumihimo::collectives::execute
