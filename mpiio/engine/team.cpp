#include "mpiio/engine/team.hpp"

#include "base/error.hpp"
#include "base/settings.hpp"

namespace kumihimo::mpiio {

namespace {

constexpr Index page = 4096;

base::SharingMethod sharing_method() {
    const std::string wish = base::setting("KUMIHIMO_SHM");
    if (wish == "off" || wish == "0" || base::setting_number("KUMIHIMO_NODES_PER_MACHINE") > 0)
        return base::SharingMethod::none;
    return wish == "posix" ? base::SharingMethod::posix : base::SharingMethod::memfd;
}

int forget(MPI_Comm, int, void* team, void*) {
    delete static_cast<Team*>(team);
    return MPI_SUCCESS;
}

// The key lives as long as the process: files are closed until the very end.
int key() {
    static const int made = [] {
        int value = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &value, nullptr);
        return value;
    }();
    return made;
}

}  // namespace

Team& Team::of(MPI_Comm comm) {
    void* value = nullptr;
    int found = 0;
    MPI_Comm_get_attr(comm, key(), &value, &found);
    if (found) return *static_cast<Team*>(value);
    auto* const made = new Team(comm);
    MPI_Comm_set_attr(comm, key(), made);
    return *made;
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
    const base::SharingMethod method = sharing_method();
    if (method == base::SharingMethod::none) return {};
    const bool sparse = method == base::SharingMethod::memfd;
    const std::size_t head = bytes_before_arenas(), arenas = sparse ? static_cast<std::size_t>(ranks_ * arena_bytes) : 0;
    try {
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

std::optional<base::Failure> Team::agree(const std::optional<base::Failure>& mine) {
    if (board_.is_open() && !board_.any(mine.has_value())) return std::nullopt;
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
