#include "tests/collectives/expected.hpp"

#include <algorithm>

namespace kumihimo::collectives::test {

namespace {

using enum Operation;

bool at_root(const Call& call) {
    return call.rank == call.root;
}

Bytes end_of(const Call& call, const Blocks& blocks) {
    Bytes end = 0;
    for (int rank = 0; rank < call.ranks; ++rank) end = std::max(end, blocks.offset(rank) + blocks.size(rank));
    return end;
}

struct Place {
    int rank;      // whose block
    Bytes offset;  // in it
};

// The block that a byte of a buffer is in, if any.
std::optional<Place> place_of(const Call& call, const Blocks& blocks, Bytes offset) {
    for (int rank = 0; rank < call.ranks; ++rank)
        if (offset >= blocks.offset(rank) && offset < blocks.offset(rank) + blocks.size(rank))
            return Place{rank, offset - blocks.offset(rank)};
    return std::nullopt;
}

std::vector<Term> of_all_ranks(const Call& call, Bytes offset) {
    std::vector<Term> inputs;
    for (int rank = 0; rank < call.ranks; ++rank) inputs.push_back(input(rank, offset));
    return inputs;
}

std::vector<Term> untouched(const Call& call, Bytes offset) {
    const Term before = initial(call, Buffer::receive, offset);
    return before == undefined ? std::vector<Term>() : std::vector<Term>{before};
}

}  // namespace

Bytes send_bytes(const Call& call) {
    switch (call.operation) {
        case reduce:
        case allreduce:
            return call.in_place ? 0 : call.bytes;
        case reduce_scatter:
            return call.in_place ? 0 : end_of(call, call.send_blocks);
        case allgather:
        case gather:
            return call.in_place ? 0 : call.block_bytes;
        case scatter:
            return at_root(call) ? end_of(call, call.send_blocks) : 0;
        case alltoall:
            return end_of(call, call.send_blocks);
        case broadcast:
        case barrier:
            break;
    }
    return 0;
}

Bytes receive_bytes(const Call& call) {
    switch (call.operation) {
        case broadcast:
        case allreduce:
            return call.bytes;
        case reduce:
            return at_root(call) ? call.bytes : 0;
        case reduce_scatter:
            return call.in_place ? end_of(call, call.send_blocks) : call.send_blocks.size(call.rank);
        case gather:
            return at_root(call) ? end_of(call, call.receive_blocks) : 0;
        case allgather:
        case alltoall:
            return end_of(call, call.receive_blocks);
        case scatter:
            return call.in_place ? 0 : call.block_bytes;
        case barrier:
            break;
    }
    return 0;
}

Term initial(const Call& call, Buffer buffer, Bytes offset) {
    if (buffer == Buffer::send) return input(call.rank, offset);
    if (buffer == Buffer::work) return undefined;
    if (call.operation == broadcast) return at_root(call) ? input(call.rank, offset) : undefined;
    if (!call.in_place) return undefined;
    if (call.operation == gather || call.operation == allgather) {
        const auto place = place_of(call, call.receive_blocks, offset);
        return place && place->rank == call.rank ? input(call.rank, place->offset) : undefined;
    }
    return input(call.rank, offset);
}

std::optional<std::vector<Term>> expected(const std::vector<Call>& calls, int rank, Bytes offset) {
    const Call& call = calls[static_cast<std::size_t>(rank)];
    switch (call.operation) {
        case broadcast:
            return std::vector<Term>{input(call.root, offset)};
        case reduce:
        case allreduce:
            return of_all_ranks(call, offset);
        case reduce_scatter:
            if (offset >= call.send_blocks.size(call.rank)) return std::nullopt;  // in place: "not significant" (6.10.1)
            return of_all_ranks(call, call.send_blocks.offset(call.rank) + offset);
        case gather:
        case allgather:
            if (const auto place = place_of(call, call.receive_blocks, offset))
                return std::vector<Term>{input(place->rank, place->offset)};
            return untouched(call, offset);
        case scatter:
            return std::vector<Term>{
                input(call.root, calls[static_cast<std::size_t>(call.root)].send_blocks.offset(rank) + offset)};
        case alltoall:
            if (const auto place = place_of(call, call.receive_blocks, offset)) {
                const Blocks& theirs = calls[static_cast<std::size_t>(place->rank)].send_blocks;
                return std::vector<Term>{input(place->rank, theirs.offset(rank) + place->offset)};
            }
            return untouched(call, offset);
        case barrier:
            break;
    }
    return untouched(call, offset);
}

}  // namespace kumihimo::collectives::test
