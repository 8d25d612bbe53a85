#include "runtime/transport/agreement.hpp"

#include <array>
#include <cstring>

#include "base/agreement.hpp"
#include "base/collective.hpp"

namespace kumihimo::transport {

void agree(MPI_Comm communicator, const std::optional<base::Error>& mine) {
    int rank = 0, size = 1;
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &size);
    const int candidate = mine ? rank : size;
    int speaker = size;
    base::lowest(communicator, &candidate, &speaker, 1, MPI_INT);
    if (speaker == size) return;
    std::array<std::array<char, 1024>, 2> text{};  // what, advice: cut if need be
    if (rank == speaker) {
        std::strncpy(text[0].data(), mine->what(), text[0].size() - 1);
        std::strncpy(text[1].data(), mine->advice().c_str(), text[1].size() - 1);
    }
    base::broadcast(communicator, speaker, text);
    throw base::Error(text[0].data(), text[1].data());
}

}  // namespace kumihimo::transport
