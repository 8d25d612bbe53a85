#include "collectives/built_in_rules.hpp"

namespace kumihimo::collectives {

namespace {

struct Rules {
    const char *any_family, *openmpi, *mpich;

    std::string of(const std::string& family) const {
        return std::string(any_family) + (family == "openmpi" ? openmpi : family == "mpich" ? mpich : "");
    }
};

// One host whose ranks each have a processor. Measured for two ranks. Where an upper size is given, the MPI library copies as
// few times and is as fast beyond it. The MPI libraries do nothing at all for nothing. Rules for more ranks are modelled: where
// both have as many rounds, and a message of this length was 1.3 times as fast or more.
constexpr Rules own_processors = {.any_family = R"(
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
bcast:512-2k:3-64/1:@binomial=130
allreduce:512-2k:3-64/1:@recursive_doubling=150
allgather:512-2k:3-64/1:@bruck=150
)",
                                  .openmpi = R"(
reduce_scatter:1-inf:2-2/1:@ring=130
)",
                                  .mpich = R"(
reduce:1-inf:2-2/1:@binomial=130
allgather:1-1M:2-2/1:@recursive_doubling=120
)"};

// One host whose ranks take turns at its processors. Measured on 3, 4, 7 and 8 ranks. What counts there is how often a rank
// must wait for another one to get a processor, so that `linear` is seldom beaten. Longer messages, which wait until their
// receiver has read them, gain nothing.
constexpr Rules shared_processors = {.any_family = R"(
reduce:2k-64k:4-8/1:@linear=130
reduce_scatter:4k-64k:7-8/1:@linear=150
allreduce:512-4k:3-8/1:@recursive_doubling=150
allreduce:4k-64k:3-3/1:@recursive_doubling=150
gather:16-16k:5-8/1:@linear=150
scatter:64-4k:4-8/1:@linear=150
scatter:4k-16k:7-8/1:@linear=150
)",
                                     .openmpi = R"(
bcast:32-4k:4-7/1:@linear=150
reduce:1-2k:7-8/1:@linear=150
reduce_scatter:2k-64k:4-8/1:@linear=150
reduce_scatter:2k-16k:3-3/1:@pairwise=200
allreduce:4k-64k:4-8/1:@recursive_doubling=150
allgather:512-2k:3-8/1:@bruck=150
gather:512-4k:3-4/1:@linear=150
scatter:4k-16k:4-6/1:@linear=150
)",
                                     .mpich = R"(
bcast:128-4k:3-8/1:@binomial=150
bcast:16k-64k:3-8/1:@binomial=150
reduce:2k-64k:3-3/1:@binomial=150
gather:128-16k:4-4/1:@linear=150
scatter:64-4k:3-3/1:@linear=150
alltoall:128-16k:4-8/1:@linear=130
)"};

// Several hosts. Measured on 2 x 2, 4 x 2 and 2 x 4 ranks; for more, the number of messages between hosts says that two levels
// gain more. Around a ring of many hosts a message takes too long. What a host would pass on through memory for longer than a
// message of its own takes goes directly.
constexpr Rules several_hosts = {.any_family = R"(
barrier:0-inf:4-64/2-16:@hosts=120
bcast:2k-20k:4-64/2:@hosts_binomial=120
reduce:1-20k:4-64/2:@hosts_binomial=120
reduce:2k-20k:4-64/3-16:@hosts_binomial=120
allreduce:1-20k:4-64/2-16:@hosts_doubling=120
reduce_scatter:256-128k:4-64/2-3:@hosts_pairwise=120
reduce_scatter:256-128k:4-64/4-16:@hosts_halving=120
allgather:1-48k:4-64/2-16:@hosts_doubling=121
allgather:1-128k:4-64/2:@hosts_ring=120
allgather:48k-128k:4-64/3-4:@hosts_ring=120
gather:1-12k:4-64/2-16:@hosts=120
gather:12k-48k:4-64/2-16:@linear=120
gather:0-inf:4-64/2:@hosts_varying=119
scatter:1-8k:4-64/2-16:@hosts=120
alltoall:1-1k:4-64/2-16:@hosts=120
alltoall:1k-6k:8-64/3-16:@hosts=120
alltoall:0-inf:4-64/2-16:@hosts_varying=119
)",
                                 .openmpi = R"(
bcast:1-20k:4-64/2-16:@hosts_binomial=120
bcast:64k-256k:4-64/2-4:@hosts_chain=121
reduce:1-48k:4-64/2-16:@hosts_binomial=120
gather:0-inf:4-64/3-16:@hosts_varying=119
scatter:0-inf:4-64/2-16:@hosts_varying=119
allreduce:20k-48k:4-64/2-16:@hosts_doubling=120
)",
                                 .mpich = R"(
bcast:20k-96k:4-64/2-4:@hosts_chain=121
bcast:96k-192k:4-64/2:@hosts_binomial=121
reduce:20k-48k:4-64/2:@hosts_pipelined=120
reduce:48k-512k:4-64/2:@hosts_binomial=120
reduce:20k-96k:4-64/3-16:@hosts_pipelined=120
reduce:96k-1M:4-64/3-16:@hosts_binomial=120
allreduce:20k-48k:4-64/2:@hosts_ring=120
allreduce:48k-384k:4-64/2:@hosts_doubling=120
allreduce:20k-96k:4-64/3-4:@hosts_rabenseifner=120
allreduce:96k-384k:4-64/3-4:@hosts_doubling=120
scatter:12k-48k:4-64/2-16:@linear=120
alltoall:1k-6k:4-7/2:@hosts=120
)"};

}  // namespace

std::string built_in_rules(const std::string& family, Processors processors) {
    return (processors == Processors::own ? own_processors : shared_processors).of(family) + several_hosts.of(family);
}

}  // namespace kumihimo::collectives
