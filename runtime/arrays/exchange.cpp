#include "runtime/arrays/exchange.hpp"

#include <algorithm>
#include <numeric>

#include "base/wait.hpp"

namespace kumihimo::arrays {

namespace {

constexpr int exchange_tag = 20000;  // beyond those of gmove
constexpr std::size_t most_bytes_at_once = std::size_t{1} << 30;

// Every node's number of elements for every other, turned round.
std::vector<Index> turned(Team& team, const std::vector<Index>& outgoing) {
    std::vector<Index> incoming(outgoing.size());
    team.exchange(outgoing.data(), incoming.data());
    return incoming;
}

// Calls message(member, place, bytes) for all that goes to or comes from others.
template <typename Message>
void in_messages(const Team& team, const std::vector<Index>& sizes, std::size_t element_bytes, Message&& message) {
    std::size_t place = 0;
    for (int member = 0; member < team.size(); ++member) {
        const std::size_t end = place + static_cast<std::size_t>(sizes[static_cast<std::size_t>(member)]) * element_bytes;
        if (member == team.my_number()) {
            place = end;
            continue;
        }
        while (place < end) {
            const std::size_t bytes = std::min(most_bytes_at_once, end - place);
            message(member, place, static_cast<int>(bytes));
            place += bytes;
        }
    }
}

std::size_t start_of_mine(const Team& team, const std::vector<Index>& sizes) {
    return static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.begin() + team.my_number(), Index{0}));
}

}  // namespace

Exchange::Exchange(Team& team, std::vector<Index> outgoing)
    : team_(team), outgoing_(std::move(outgoing)), incoming_(turned(team, outgoing_)) {}

Index Exchange::received() const {
    return std::accumulate(incoming_.begin(), incoming_.end(), Index{0});
}

void Exchange::forward(const void* from, void* to, std::size_t element_bytes) const {
    move(outgoing_, from, incoming_, to, element_bytes);
}

void Exchange::back(const void* from, void* to, std::size_t element_bytes) const {
    move(incoming_, from, outgoing_, to, element_bytes);
}

void Exchange::move(const std::vector<Index>& sizes_out, const void* from, const std::vector<Index>& sizes_in, void* to,
                    std::size_t element_bytes) const {
    const auto* const source = static_cast<const std::byte*>(from);
    auto* const target = static_cast<std::byte*>(to);
    std::vector<MPI_Request> requests;
    in_messages(team_, sizes_in, element_bytes, [&](int member, std::size_t place, int bytes) {
        MPI_Irecv(target + place, bytes, MPI_BYTE, member, exchange_tag, team_.communicator(), &requests.emplace_back());
    });
    in_messages(team_, sizes_out, element_bytes, [&](int member, std::size_t place, int bytes) {
        MPI_Isend(source + place, bytes, MPI_BYTE, member, exchange_tag, team_.communicator(), &requests.emplace_back());
    });
    const std::size_t mine = static_cast<std::size_t>(sizes_out[static_cast<std::size_t>(team_.my_number())]) * element_bytes;
    if (mine > 0)
        std::memcpy(target + start_of_mine(team_, sizes_in) * element_bytes,
                    source + start_of_mine(team_, sizes_out) * element_bytes, mine);
    base::wait_until([&] {
        int done = 0;
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
        return done != 0;
    });
}

}  // namespace kumihimo::arrays
