// Recursive halving: in each of log2 n rounds a rank keeps the half of the blocks that its own is in and sends the other. Ranks
// beyond a power of two first join a neighbour, which finally sends them their block. Needs an operation that commutes and
// blocks side by side.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps reduce_scatter_halving(Call call) {
    int size = 1;
    while (2 * size <= call.ranks) size *= 2;
    const int extra = call.ranks - size;
    const auto rank_of = [&](int number) { return number < extra ? 2 * number + 1 : number + extra; };
    const auto start = [&](int number) {  // of the blocks of those that number stands for
        const int block = number < extra ? 2 * number : number + extra;
        return block < call.ranks ? call.send_blocks.offset(block)
                                  : call.send_blocks.offset(block - 1) + call.send_blocks.size(block - 1);
    };
    const Bytes all = start(size), mine = call.send_blocks.size(call.rank);
    const auto blocks = [&](Bytes base, int first, int end) {
        return Span{Buffer::work, base + start(first), start(end) - start(first)};
    };
    const Span input{call.input(), 0, all}, result{Buffer::receive, 0, mine};
    const bool paired = call.rank < 2 * extra;
    if (paired && call.rank % 2 == 0) {
        const StepIndex sent = co_yield send(call.rank + 1, input);
        co_yield receive(call.rank + 1, result, sent);
        co_return;
    }
    StepIndex last = co_yield copy(input, blocks(0, 0, size));
    if (paired) {
        last = co_yield receive(call.rank - 1, blocks(all, 0, size));
        last = co_yield reduce(blocks(all, 0, size), blocks(0, 0, size), Interval{0, last});
    }
    const int me = paired ? call.rank / 2 : call.rank - extra;
    int first = 0, end = size;
    for (int distance = size / 2; distance > 0; distance /= 2) {
        const int middle = (first + end) / 2, partner = rank_of(me ^ distance);
        const bool upper = (me & distance) != 0;
        const After before = last;
        co_yield send(partner, upper ? blocks(0, first, middle) : blocks(0, middle, end), before);
        (upper ? first : end) = middle;
        last = co_yield receive(partner, blocks(all, first, end), before);
        last = co_yield reduce(blocks(all, first, end), blocks(0, first, end), last);
    }
    if (paired)
        co_yield send(call.rank - 1,
                      {Buffer::work, call.send_blocks.offset(call.rank - 1), call.send_blocks.size(call.rank - 1)}, last);
    co_yield copy({Buffer::work, call.send_blocks.offset(call.rank), mine}, result, last);
}

}  // namespace kumihimo::collectives
