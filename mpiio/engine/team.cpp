#include "mpiio/engine/team.hpp"

#include "base/attribute.hpp"
#include "base/error.hpp"
#include "base/hosts.hpp"
#include "base/settings.hpp"

namespace kumihimo::mpiio {

namespace {

constexpr Index page = 4096;

base::SharingMethod sharing_method() {
    const base::SharingWish wish = base::sharing_wish();
    if (base::setting_number("KUMIHIMO_NODES_PER_MACHINE") > 0) return base::SharingMethod::none;
    if (wish.memfd) return base::SharingMethod::memfd;
    return wish.posix ? base::SharingMethod::posix : base::SharingMethod::none;
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
    if (by_memory()) board_.open(shared().places, comm);
}

std::size_t Team::bytes_before_arenas() const {
    const std::size_t bytes = sizeof(Shared) + static_cast<std::size_t>(ranks_) * sizeof(Noticeboard::Place);
    constexpr auto whole = static_cast<std::size_t>(page);
    return (bytes + whole - 1) / whole * whole;
}

void Team::map_together() {
    std::optional<base::SharedFile> owned;
    Invitation invitation;
    if (rank_ == 0) invitation = invite(owned);
    mpiio::broadcast(comm_, 0, invitation);
    const bool invited = invitation.ticket.method != base::SharingMethod::none;
    const int reached = invited && (rank_ == 0 || accept(invitation)) ? 1 : 0;
    int all_reached = 0;
    base::lowest(comm_, &reached, &all_reached, 1, MPI_INT);
    if (all_reached == 0)
        memory_ = base::Mapping();
    else if (memory_.bytes() > bytes_before_arenas())
        arenas_ = memory_.data() + bytes_before_arenas();
    touched_.resize(static_cast<std::size_t>(ranks_));
}

// Arenas only where memory is taken when it is touched: they are large, and most files never use them.
Team::Invitation Team::invite(std::optional<base::SharedFile>& owned) {
    try {
        const base::SharingMethod method = sharing_method();
        if (method == base::SharingMethod::none) return {};
        const bool sparse = method == base::SharingMethod::memfd;
        const std::size_t head = bytes_before_arenas(), arenas = sparse ? static_cast<std::size_t>(ranks_ * arena_bytes) : 0;
        owned.emplace(base::SharedFile::create(method, head + arenas));
        base::reserve(owned->ticket(), 0, head);
        memory_ = owned->map();
        shared().token = base::fresh_token();
        return {owned->ticket(), shared().token};
    } catch (const base::Error&) {
        owned.reset();  // messages and files do as well
        return {};
    }
}

bool Team::accept(const Invitation& invitation) {
    try {
        memory_ = base::attach(invitation.ticket);
        return shared().token == invitation.token;
    } catch (const base::Error&) {
        return false;
    }
}

std::optional<base::Failure> Team::agree(const std::optional<base::Failure>& mine, base::Waiting::Expected expected) {
    if (board_.is_open() && !board_.any(mine.has_value(), expected)) return std::nullopt;
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
