// kumihimo-collectives: the algorithms of this build, for `kumihimo info`: operation, name, explanation, and bytes of work
// space on the busiest rank for an example, separated by tabs.
#include <algorithm>
#include <cstdio>

#include "collectives/algorithms.hpp"

namespace {

using namespace kumihimo::collectives;

// A vector of 1 MiB, or 64 blocks of 16 KiB, on 64 ranks of 8 hosts, as much work space as it takes.
Call example(Operation operation, const char* shape) {
    static const Placement placement = [] {
        std::vector<int> hosts;
        for (int rank = 0; rank < 64; ++rank) hosts.push_back(rank / 8);
        return Placement(hosts);
    }();
    Call call;
    call.placement = &placement;
    call.operation = operation;
    call.torus = Torus::parse(shape);
    call.ranks = call.torus.ranks();
    call.bytes = 1 << 20;
    call.block_bytes = call.send_blocks.bytes = call.receive_blocks.bytes = call.bytes / call.ranks;
    call.element_bytes = sizeof(double);
    call.work_limit = INT64_MAX;
    return call;
}

Bytes most_work(const Algorithm& algorithm) {
    for (const char* const shape : {"4x4x4", "8x8", "64"}) {
        Call call = example(algorithm.operation, shape);
        Bytes most = 0;
        for (call.rank = 0; usable(algorithm, call) && call.rank < call.ranks; ++call.rank)
            most = std::max(most, work_bytes(algorithm, call));
        if (call.rank > 0) return most;
    }
    return 0;
}

}  // namespace

int main() {
    for (const Algorithm& algorithm : algorithms())
        std::printf("%s\t%s\t%s\t%lld\n", name_of(algorithm.operation), algorithm.name, algorithm.explanation,
                    static_cast<long long>(most_work(algorithm)));
    return 0;
}
