#include "mpiio/engine/catwalk/exchange.hpp"

#include <numeric>

#include "base/completion.hpp"

namespace kumihimo::mpiio::catwalk {

std::string broadcast(MPI_Comm comm, const std::string& of_first) {
    MPI_Request request;
    std::string text = of_first;
    auto bytes = static_cast<int>(text.size());
    MPI_Ibcast(&bytes, 1, MPI_INT, 0, comm, &request);
    base::complete(request, comm);
    text.resize(static_cast<std::size_t>(bytes));
    MPI_Ibcast(text.data(), bytes, MPI_CHAR, 0, comm, &request);
    base::complete(request, comm);
    return text;
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
        parts.emplace_back(all.begin() + places[rank], all.begin() + places[rank] + bytes[rank]);
    return parts;
}

}  // namespace kumihimo::mpiio::catwalk
