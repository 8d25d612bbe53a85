#include "base/shared_room.hpp"

#include <atomic>
#include <vector>

#include "base/collective.hpp"
#include "base/error.hpp"

namespace kumihimo::base {

namespace {

// What the first rank of a room tells the others.
struct Invitation {
    Ticket ticket;                 // method none: there is no room
    unsigned long long token = 0;  // stands at the end of the memory
};

constexpr std::size_t line = 64;

// Behind the room's own bytes, on a cache line of its own.
std::size_t place_of_token(std::size_t bytes) {
    return (bytes + line - 1) / line * line;
}

std::atomic_ref<unsigned long long> token_in(const Mapping& memory, std::size_t bytes) {
    return std::atomic_ref(*reinterpret_cast<unsigned long long*>(memory.data() + place_of_token(bytes)));
}

}  // namespace

SharedRoom::SharedRoom(MPI_Comm comm, const Wish& wish) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    Invitation mine;
    const auto attempt = [this](auto&& action) {
        try {
            action();
        } catch (const Error& error) {
            refusal_ = error.what();
        }
    };
    if (wish.first == rank)
        attempt([&] {
            file_.emplace(SharedFile::create(wish.method, place_of_token(wish.bytes) + line));
            reserve(file_->ticket(), place_of_token(wish.bytes), line);
            memory_ = file_->map();
            mine = {file_->ticket(), fresh_token()};
            token_in(memory_, wish.bytes) = mine.token;
        });
    const std::vector<Invitation> invitations = gather_all(comm, mine, Waiting::long_);
    if (wish.first < 0) {
        refusal_ = "not asked for";
        return;
    }
    const Invitation& invitation = invitations[static_cast<std::size_t>(wish.first)];
    attempt([&] {
        if (invitation.ticket.method == SharingMethod::none)
            throw Error(refusal_.empty() ? "cannot share memory: its first node could not make it" : refusal_);
        if (wish.first != rank) memory_ = attach(invitation.ticket);
        if (token_in(memory_, wish.bytes) != invitation.token)
            throw Error("cannot share memory: what was opened is another machine's");
        reserve(invitation.ticket, wish.reserved_from, wish.reserved_to - wish.reserved_from);
    });
}

}  // namespace kumihimo::base
