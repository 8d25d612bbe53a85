#include "collectives/built_in_rules.hpp"

namespace kumihimo::collectives {

namespace {

// Measured for two ranks, so that they hold for two. Where an upper size is given, the MPI library copies as few times and is
// as fast beyond it.
constexpr const char* everywhere = R"(
bcast:0-64k:2-2/1:@binomial=115
reduce:0-16k:2-2/1:@binomial=130
allreduce:0-512k:2-2/1:@recursive_doubling=130
allreduce:512k-inf:2-2/1:@ring=120
reduce_scatter:0-256k:2-2/1:@ring=130
allgather:0-64k:2-2/1:@recursive_doubling=115
allgather:0-64k:2-2/1:@ring=110
gather:0-inf:2-2/1:@linear=105
scatter:0-inf:2-2/1:@linear=120
alltoall:0-inf:2-2/1:@linear=105
barrier:0-inf:2-2/1:@dissemination=130
)";

constexpr const char* with_openmpi = "reduce_scatter:0-inf:2-2/1:@ring=130";
constexpr const char* with_mpich = "reduce:0-inf:2-2/1:@binomial=130 allgather:0-1M:2-2/1:@recursive_doubling=120";

}  // namespace

std::string built_in_rules(const std::string& family) {
    return std::string(everywhere) + (family == "openmpi" ? with_openmpi : family == "mpich" ? with_mpich : "");
}

}  // namespace kumihimo::collectives
