#include "mpiio/engine/exchange.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/completion.hpp"

namespace kumihimo::mpiio {

// Short ones, which is as a rule all of them, take one message.
iod::Payload broadcast(MPI_Comm comm, const iod::Payload& of_first) {
    struct {
        std::uint64_t bytes;
        std::array<std::byte, 2040> beginning;
    } head{of_first.size(), {}};
    std::copy_n(of_first.begin(), std::min(of_first.size(), head.beginning.size()), head.beginning.begin());
    MPI_Request request;
    MPI_Ibcast(&head, sizeof head, MPI_BYTE, 0, comm, &request);
    base::complete(request, comm, base::Waiting::long_);  // the first may have asked its I/O process before
    iod::Payload all = of_first;
    all.resize(head.bytes);
    const std::size_t known = std::min<std::size_t>(head.bytes, head.beginning.size());
    std::copy_n(head.beginning.begin(), known, all.begin());
    if (known == all.size()) return all;
    MPI_Ibcast(all.data() + known, static_cast<int>(all.size() - known), MPI_BYTE, 0, comm, &request);
    base::complete(request, comm);
    return all;
}

std::vector<iod::Payload> gather_all(MPI_Comm comm, const iod::Payload& mine) {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    const auto my_bytes = static_cast<int>(mine.size());
    std::vector<int> bytes(static_cast<std::size_t>(ranks)), places(bytes.size());
    MPI_Request request;
    MPI_Iallgather(&my_bytes, 1, MPI_INT, bytes.data(), 1, MPI_INT, comm, &request);
    base::complete(request, comm, base::Waiting::long_);  // some have asked their I/O processes before
    std::exclusive_scan(bytes.begin(), bytes.end(), places.begin(), 0);
    iod::Payload all(static_cast<std::size_t>(places.back() + bytes.back()));
    MPI_Iallgatherv(mine.data(), my_bytes, MPI_BYTE, all.data(), bytes.data(), places.data(), MPI_BYTE, comm, &request);
    base::complete(request, comm);
    std::vector<iod::Payload> parts;
    for (std::size_t rank = 0; rank < bytes.size(); ++rank)
        parts.emplace_back(std::span<const std::byte>(all.data() + places[rank], static_cast<std::size_t>(bytes[rank])));
    return parts;
}

}  // namespace kumihimo::mpiio
