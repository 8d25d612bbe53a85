#include "bench/measure/operations.hpp"

#include <climits>

#include "base/error.hpp"
#include "base/format.hpp"

namespace kumihimo::bench {

const Operation& find_operation(const std::string& name) {
    for (const auto& group : {point_to_point_operations(), block_operations(), reduction_operations(), nonblocking_operations(),
                              one_sided_operations()})
        for (const Operation& operation : group)
            if (name == operation.name) return operation;
    throw base::Error("unknown operation: " + name, "`kumihimo bench list` names them.");
}

std::string obstacle(const Operation& operation, const Place& place, std::int64_t bytes, std::int64_t memory_bytes) {
    if (place.size() < operation.least_ranks) return "needs " + base::counted(operation.least_ranks, "rank");
    if (!operation.sized && bytes > 0) return "has no message";
    if (operation.elements && bytes % 4 != 0) return "adds elements of 4 bytes";
    if (operation.displacements && bytes * place.size() > INT_MAX) return "has int displacements";
    const int both =
        operation.receives == Operation::others && place.may_be_root() && place.may_be_other();  // sends and receives
    const std::int64_t needed = bytes * (operation.blocks + both + operation.blocks_per_rank * std::int64_t{place.size()});
    if (needed > memory_bytes)
        return "needs " + base::bytes_text(static_cast<unsigned long long>(needed)) +
               " of memory on one rank, more than the limit";
    return {};
}

}  // namespace kumihimo::bench
