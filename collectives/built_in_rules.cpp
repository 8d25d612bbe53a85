#include "collectives/built_in_rules.hpp"

namespace kumihimo::collectives {

namespace {

// One host. Measured for two ranks, so that they hold for two. Where an upper size is given, the MPI library copies as few
// times and is as fast beyond it. The MPI libraries do nothing at all for nothing.
constexpr const char* one_host = R"(
bcast:1-64k:2-2/1:@binomial=115
reduce:1-16k:2-2/1:@binomial=130
allreduce:1-512k:2-2/1:@recursive_doubling=130
allreduce:512k-inf:2-2/1:@ring=120
reduce_scatter:1-256k:2-2/1:@ring=130
allgather:1-64k:2-2/1:@recursive_doubling=115
allgather:1-64k:2-2/1:@ring=110
gather:0-0:2-2/1:@native=131
gather:0-inf:2-2/1:@linear=105
scatter:0-0:2-2/1:@native=131
scatter:0-inf:2-2/1:@linear=120
alltoall:0-0:2-2/1:@native=131
alltoall:0-inf:2-2/1:@linear=105
barrier:0-inf:2-2/1:@dissemination=130
)";

// Several hosts. Measured on 2 x 2, 4 x 2 and 2 x 4 ranks; for more, the number of messages between hosts says that two levels
// gain more. Around a ring of many hosts a message takes too long, and trees of hosts gain nothing over one of all ranks.
constexpr const char* several_hosts = R"(
bcast:256-8k:4-64/2:@hosts_binomial=120
reduce:1-8k:4-4/2:@hosts_binomial=120
allreduce:1-20k:4-64/2-16:@hosts_doubling=120
reduce_scatter:256-128k:4-64/2-4:@hosts_pairwise=120
reduce_scatter:256-128k:4-64/5-16:@hosts_halving=120
allgather:1-8k:4-64/2-16:@hosts_doubling=121
allgather:1-128k:4-64/2:@hosts_ring=120
scatter:256-8k:4-64/2-16:@hosts=120
alltoall:1-1k:5-64/2-16:@hosts=120
)";

constexpr const char* with_openmpi = R"(
reduce_scatter:1-inf:2-2/1:@ring=130
bcast:64k-256k:4-64/2-4:@hosts_chain=121
allreduce:20k-48k:4-64/2-16:@hosts_doubling=120
allgather:8k-128k:4-64/3-4:@hosts_ring=120
)";
constexpr const char* with_mpich = R"(
reduce:1-inf:2-2/1:@binomial=130
allgather:1-1M:2-2/1:@recursive_doubling=120
bcast:16k-256k:4-64/2:@hosts_chain=121
allgather:64k-128k:4-64/3-4:@hosts_ring=120
gather:2k-8k:4-64/2:@hosts=120
)";

}  // namespace

std::string built_in_rules(const std::string& family) {
    return std::string(one_host) + several_hosts + (family == "openmpi" ? with_openmpi : family == "mpich" ? with_mpich : "");
}

}  // namespace kumihimo::collectives
