// Messages between two ranks, and between all ranks and their neighbours: in the order of ranks, as IMB and the measurements on
// the K computer have it, or along the axes of the node shape (Stencil), where no message takes a diagonal.
#include "bench/measure/operations.hpp"

namespace kumihimo::bench {

namespace {

constexpr int tag = 2;
using Labels = BlockKernel::Labels;

// The two ranks send and receive one block each; the others look on.
std::unique_ptr<Kernel> between_two(const Place& place, std::int64_t bytes, BlockKernel::Call call) {
    const int me = place.rank(), other = 1 - me;
    if (me > 1) return std::make_unique<BlockKernel>(bytes, Labels{}, Labels{}, [](auto...) {});
    return std::make_unique<BlockKernel>(bytes, Labels{label(me, other)}, Labels{label(other, me)}, std::move(call));
}

std::unique_ptr<Kernel> ping_pong(const Place& place, std::int64_t bytes) {
    return between_two(place, bytes, [&place, count = static_cast<int>(bytes)](auto* sent, auto* received, auto) {
        const int other = 1 - place.rank();
        if (place.rank() == 0) MPI_Send(sent, count, MPI_BYTE, other, tag, place.comm());
        MPI_Recv(received, count, MPI_BYTE, other, tag, place.comm(), MPI_STATUS_IGNORE);
        if (place.rank() == 1) MPI_Send(sent, count, MPI_BYTE, other, tag, place.comm());
    });
}

std::unique_ptr<Kernel> ping_ping(const Place& place, std::int64_t bytes) {
    return between_two(place, bytes, [&place, count = static_cast<int>(bytes)](auto* sent, auto* received, auto) {
        const int other = 1 - place.rank();
        MPI_Request request;
        MPI_Isend(sent, count, MPI_BYTE, other, tag, place.comm(), &request);
        MPI_Recv(received, count, MPI_BYTE, other, tag, place.comm(), MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
}

std::unique_ptr<Kernel> sendrecv(const Place& place, std::int64_t bytes) {
    const int left = place.after(-1), right = place.after(1);
    return std::make_unique<BlockKernel>(
        bytes, Labels{label(place.rank(), right)}, Labels{label(left, place.rank())},
        [&place, left, right, count = static_cast<int>(bytes)](auto* sent, auto* received, auto) {
            MPI_Sendrecv(sent, count, MPI_BYTE, right, tag, received, count, MPI_BYTE, left, tag, place.comm(),
                         MPI_STATUS_IGNORE);
        });
}

// A block to and from each neighbour. Neighbours come in pairs, before and after; where both are the same rank, tags keep them
// apart.
std::unique_ptr<Kernel> with_neighbours(const Place& place, std::int64_t bytes, const std::vector<int>& neighbours) {
    const int n = static_cast<int>(neighbours.size());
    Labels sent, received;
    for (int i = 0; i < n; ++i) {
        sent.push_back(label(place.rank(), i));
        received.push_back(label(neighbours[i], i ^ 1));  // it sent to the opposite side
    }
    auto call = [&place, neighbours, n, bytes](std::byte* sent, std::byte* received, MPI_Request*) {
        std::vector<MPI_Request> requests(2 * n);
        const int count = static_cast<int>(bytes);
        for (int i = 0; i < n; ++i)
            MPI_Irecv(received + i * bytes, count, MPI_BYTE, neighbours[i], tag + (i ^ 1), place.comm(), &requests[i]);
        for (int i = 0; i < n; ++i)
            MPI_Isend(sent + i * bytes, count, MPI_BYTE, neighbours[i], tag + i, place.comm(), &requests[n + i]);
        MPI_Waitall(2 * n, requests.data(), MPI_STATUSES_IGNORE);
    };
    return std::make_unique<BlockKernel>(bytes, sent, received, call);
}

// Each neighbour is sent a block of its own. As in IMB both are received into the same memory, so that large messages need
// three blocks of cache; a call to check keeps them apart.
class Exchange : public BlockKernel {
public:
    Exchange(const Place& place, std::int64_t bytes)
        : BlockKernel(bytes, {label(place.rank(), 0), label(place.rank(), 1)},
                      {label(place.after(-1), 1), label(place.after(1), 0)},
                      [this, bytes, left = place.after(-1), right = place.after(1), comm = place.comm()](
                          std::byte* sent, std::byte* received, MPI_Request*) {
                          const int count = static_cast<int>(bytes);
                          MPI_Request requests[2];
                          MPI_Isend(sent + bytes, count, MPI_BYTE, right, tag, comm, &requests[0]);
                          MPI_Isend(sent, count, MPI_BYTE, left, tag + 1, comm, &requests[1]);
                          MPI_Recv(received, count, MPI_BYTE, left, tag, comm, MPI_STATUS_IGNORE);
                          MPI_Recv(received + distance_, count, MPI_BYTE, right, tag + 1, comm, MPI_STATUS_IGNORE);
                          MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
                      }),
          bytes_(bytes) {}

    void call_to_check() override {
        distance_ = bytes_;
        call();
        distance_ = 0;
    }

private:
    std::int64_t bytes_, distance_ = 0;  // between what is received from the left and from the right
};

std::unique_ptr<Kernel> exchange(const Place& place, std::int64_t bytes) {
    return std::make_unique<Exchange>(place, bytes);
}

std::unique_ptr<Kernel> stencil(const Place& place, std::int64_t bytes) {
    std::vector<int> neighbours;
    for (int axis = 0; axis < static_cast<int>(place.shape().size()); ++axis)
        for (int distance : {-1, 1}) neighbours.push_back(place.neighbour(axis, distance));
    return with_neighbours(place, bytes, neighbours);
}

constexpr Operation point_to_point_table[] = {
    {.name = "PingPong", .make = ping_pong, .blocks = 2, .blocks_per_rank = 0, .least_ranks = 2, .calls = 2, .participants = 2},
    {.name = "PingPing", .make = ping_ping, .blocks = 2, .blocks_per_rank = 0, .least_ranks = 2, .participants = 2},
    {.name = "Sendrecv", .make = sendrecv, .blocks = 2, .blocks_per_rank = 0, .least_ranks = 2},
    {.name = "Exchange", .make = exchange, .blocks = 4, .blocks_per_rank = 0, .least_ranks = 2},
    {.name = "Stencil", .make = stencil, .blocks = 12, .blocks_per_rank = 0, .least_ranks = 2},
};

}  // namespace

std::span<const Operation> point_to_point_operations() {
    return point_to_point_table;
}

}  // namespace kumihimo::bench
