// Small blocks: ceiling(log2 n) rounds of one message each (Bruck). Position i of work space begins as the block for the rank i
// further on; in the round of distance d all positions with that bit set move d ranks on. At the end position i is the block of
// the rank i before.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps alltoall_bruck(Call call) {
    const Bytes bytes = call.block_bytes, all = call.ranks * bytes, half = (call.ranks + 1) / 2 * bytes;
    const auto position = [&](int i) { return Span{Buffer::work, i * bytes, bytes}; };
    const auto packed = [&](Bytes base, int i) { return Span{Buffer::work, all + base + i * bytes, bytes}; };
    StepIndex last = -1;
    for (int i = 0; i < call.ranks; ++i) last = co_yield copy(call.send_blocks.in(Buffer::send, call.ahead(i)), position(i));
    for (int distance = 1; distance < call.ranks; distance *= 2) {
        const After before = Interval{0, last};
        int count = 0;
        for (int i = distance; i < call.ranks; ++i)
            if ((i & distance) != 0) last = co_yield copy(position(i), packed(0, count++), before);
        const StepIndex sent = co_yield send(call.ahead(distance), {Buffer::work, all, count * bytes}, Interval{0, last});
        const StepIndex got = co_yield receive(call.ahead(-distance), {Buffer::work, all + half, count * bytes}, before);
        count = 0;
        for (int i = distance; i < call.ranks; ++i)
            if ((i & distance) != 0) last = co_yield copy(packed(half, count++), position(i), Interval{sent, got});
    }
    const After before = Interval{0, last};
    for (int i = 0; i < call.ranks; ++i)
        co_yield copy(position(i), call.receive_blocks.in(Buffer::receive, call.ahead(-i)), before);
}

}  // namespace kumihimo::collectives
