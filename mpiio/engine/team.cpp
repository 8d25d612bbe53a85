#include "mpiio/engine/team.hpp"

#include "base/attribute.hpp"
#include "base/hosts.hpp"
#include "base/settings.hpp"
#include "base/shared_room.hpp"

namespace kumihimo::mpiio {

namespace {

constexpr Index page = 4096;

base::SharingMethod sharing_method() {
    const base::SharingWish wish = base::sharing_wish();
    if (base::setting_number("KUMIHIMO_NODES_PER_MACHINE") > 0) return base::SharingMethod::none;
    if (wish.memfd) return base::SharingMethod::memfd;
    return wish.posix ? base::SharingMethod::posix : base::SharingMethod::none;
}

bool any(const std::vector<char>& said) {
    return std::any_of(said.begin(), said.end(), [](char one) { return one != 0; });
}

}  // namespace

Team& Team::of(MPI_Comm comm) {
    using Kept = base::Attribute<Team>;
    if (Team* const known = Kept::of(comm)) return *known;
    return Kept::keep(comm, std::unique_ptr<Team>(new Team(comm)));
}

Team* Team::known(MPI_Comm comm) {
    return base::Attribute<Team>::of(comm);
}

Team::Team(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
    map_together();
    if (by_memory() && base::patience_seconds() == 0) open_board();
}

std::size_t Team::bytes_before_arenas() const {
    const std::size_t bytes =
        sizeof(Shared) + static_cast<std::size_t>(ranks_) * base::Noticeboard::place_bytes(most_notice_bytes);
    constexpr auto whole = static_cast<std::size_t>(page);
    return (bytes + whole - 1) / whole * whole;
}

// Arenas only where memory is taken when it is touched: they are large, and most files never use them.
void Team::map_together() {
    const base::SharingMethod method = sharing_method();
    const std::size_t head = bytes_before_arenas();
    const bool sparse = method == base::SharingMethod::memfd;
    const std::size_t bytes = head + (sparse ? static_cast<std::size_t>(ranks_ * arena_bytes) : 0);
    base::SharedRoom room(comm_, {method == base::SharingMethod::none ? -1 : 0, method, bytes, 0, head});
    const int reached = room.is_in();
    int all_reached = 0;
    base::lowest(comm_, &reached, &all_reached, 1, MPI_INT);
    touched_.resize(static_cast<std::size_t>(ranks_));
    if (all_reached == 0) return;
    memory_ = room.take();
    if (sparse) arenas_ = memory_.data() + head;
}

// Not where a stuck rank is to be named (KUMIHIMO_TIMEOUT): that takes messages.
void Team::open_board() {
    std::vector<base::TwoSlots*> places;
    std::byte* place = memory_.data() + sizeof(Shared);
    for (int rank = 0; rank < ranks_; ++rank, place += base::Noticeboard::place_bytes(most_notice_bytes))
        places.push_back(reinterpret_cast<base::TwoSlots*>(place));
    board_ = base::Noticeboard(std::move(places), rank_, most_notice_bytes);
}

std::optional<base::Failure> Team::agree(const std::optional<base::Failure>& mine, base::Waiting::Expected expected) {
    if (board_.is_open() && !any(board_.gather_all<char>(mine.has_value(), expected))) return std::nullopt;
    return base::agree(comm_, mine, "rank");
}

int Team::take_word() {
    for (int number = 0; by_memory() && number < words; ++number) {
        if (taken_words_.test(static_cast<std::size_t>(number))) continue;
        taken_words_.set(static_cast<std::size_t>(number));
        word(number).store(0);
        return number;
    }
    return -1;
}

std::byte* Team::take_arena() {
    if (arenas_ == nullptr || std::exchange(arena_taken_, true)) return nullptr;
    return arenas_ + rank_ * arena_bytes;
}

void Team::touch_arena_of(int rank, Index bytes) {
    Index& touched = touched_[static_cast<std::size_t>(rank)];
    const volatile std::byte* const arena = arena_of(rank);
    for (; touched < bytes; touched += page) (void)arena[touched];
}

}  // namespace kumihimo::mpiio
