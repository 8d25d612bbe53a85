#include "runtime/teams/team.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "base/communicator.hpp"
#include "base/completion.hpp"
#include "base/finalize.hpp"
#include "base/progress.hpp"
#include "collectives/executor/operations.hpp"

namespace kumihimo::teams {

namespace {

// A collective of MPI, by an algorithm of our own where a rule says so. `politely`: in its nonblocking form, with a wait that
// yields.
template <typename Nonblocking, typename Blocking>
void collect(collectives::execute::Result served, bool politely, Nonblocking&& begin, Blocking&& block) {
    if (served) return;
    if (!politely && !base::must_poll()) {
        block();
        return;
    }
    MPI_Request request;
    begin(&request);
    base::wait_until([&] {
        int done = 0;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        return done != 0;
    });
}

}  // namespace

struct Team::Table {
    struct Entry {
        execution::NodeSetPointer set;  // held: its address is the key
        std::unique_ptr<Team> team;
    };
    std::unordered_map<const execution::NodeSet*, Entry> entries, for_checks;
    const execution::NodeSet* last_set = nullptr;
    Team* last_team = nullptr;

    static Table& get() {
        static auto& table = *new Table;  // MPI may end before static objects do
        return table;
    }
    Table() {
        base::at_finalize([] {
            get().last_set = nullptr;
            get().entries.clear();
            get().for_checks.clear();
        });
    }
};

Team& Team::of(const execution::NodeSetPointer& set) {
    Table& table = Table::get();
    if (set.get() == table.last_set) return *table.last_team;
    table.last_team = &of(set, Purpose::work);
    table.last_set = set.get();
    return *table.last_team;
}

Team& Team::of(const execution::NodeSetPointer& set, Purpose purpose) {
    Table& table = Table::get();
    Table::Entry& entry = (purpose == Purpose::work ? table.entries : table.for_checks)[set.get()];
    if (!entry.team) entry = {set, std::unique_ptr<Team>(new Team(*set, purpose))};
    return *entry.team;
}

Team::~Team() {
    if (owned_) MPI_Comm_free(&communicator_);
}

// The set's own communicator belongs to the program, too (xmp_get_mpi_comm).
Team::Team(const execution::NodeSet& set, Purpose purpose) : size_(set.size()), me_(set.my_number()) {
    base::meet(set.communicator());
    const execution::Context& context = execution::Context::get();
    owned_ = purpose != Purpose::work || &set != context.entire().get();
    // Before anything else that members do together: it finds out if some of them do another thing.
    if (size_ > 1 && size_ <= most_members)
        segment_ = memory::Segment::allocate(set.communicator(), base::Noticeboard::place_bytes(most_bytes),
                                             "flags for barriers and reductions of a node set");
    communicator_ = owned_ ? base::copy_of(set.communicator()) : context.private_communicator();
    if (size_ == 1) return;
    result_ = std::make_unique<std::byte[]>(most_combined_bytes);
    bool all_direct = segment_ != nullptr;
    for (int member = 0; member < size_ && all_direct; ++member) all_direct = segment_->direct(member) != nullptr;
    // All members must do the same, and they may be on machines of different sizes.
    int different[2] = {!all_direct, base::processors_are_shared()};
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, different, 2, MPI_INT, MPI_MAX, communicator_, &request);
    base::complete(request, communicator_);
    shared_ = !different[0];
    politely_ = different[1] != 0;
    if (!shared_) {
        segment_.reset();
        return;
    }
    std::vector<base::TwoSlots*> places;
    for (int member = 0; member < size_; ++member)
        places.push_back(reinterpret_cast<base::TwoSlots*>(segment_->direct(member)));
    board_ = base::Noticeboard(std::move(places), me_, most_bytes);
}

void Team::barrier() {
    if (size_ == 1) return;
    if (!shared_) {
        collect(
            collectives::execute::Barrier(communicator_), politely_,
            [&](MPI_Request* request) { return MPI_Ibarrier(communicator_, request); },
            [&] { return MPI_Barrier(communicator_); });
        return;
    }
    board_.post(nullptr, 0);
    board_.await_all();
}

void Team::allreduce(const Operation& operation, void* data, std::size_t count) {
    if (size_ == 1) return;
    const std::size_t bytes = count * operation.bytes;
    if (shared_ && bytes <= most_combined_bytes) {
        board_.post(data, bytes);
        std::memcpy(result_.get(), board_.await(0, bytes), bytes);
        for (int member = 1; member < size_; ++member) operation.combine(result_.get(), board_.await(member, bytes), count);
        board_.all_seen();
        std::memcpy(data, result_.get(), bytes);
        return;
    }
    constexpr std::size_t most_elements = 1 << 30;
    const MPI_Datatype element = operation.mpi_element();
    const MPI_Op combine = operation.mpi_operation();
    for (std::size_t done = 0; done < count; done += most_elements) {
        void* const place = static_cast<std::byte*>(data) + done * operation.bytes;
        const int part = static_cast<int>(std::min(most_elements, count - done));
        collect(
            collectives::execute::Allreduce(MPI_IN_PLACE, place, part, element, combine, communicator_), politely_,
            [&](MPI_Request* request) {
                return MPI_Iallreduce(MPI_IN_PLACE, place, part, element, combine, communicator_, request);
            },
            [&] { return MPI_Allreduce(MPI_IN_PLACE, place, part, element, combine, communicator_); });
    }
}

void Team::broadcast(void* data, std::size_t bytes, int root) {
    if (size_ == 1 || bytes == 0) return;
    if (fits(bytes)) {
        board_.post(data, me_ == root ? bytes : 0);
        if (me_ != root) std::memcpy(data, board_.await(root, bytes), bytes);
        return;
    }
    constexpr std::size_t most_bytes_at_once = 1 << 30;
    for (std::size_t done = 0; done < bytes; done += most_bytes_at_once) {
        void* const place = static_cast<std::byte*>(data) + done;
        const int part = static_cast<int>(std::min(most_bytes_at_once, bytes - done));
        collect(
            collectives::execute::Bcast(place, part, MPI_BYTE, root, communicator_), politely_,
            [&](MPI_Request* request) { return MPI_Ibcast(place, part, MPI_BYTE, root, communicator_, request); },
            [&] { return MPI_Bcast(place, part, MPI_BYTE, root, communicator_); });
    }
}

void Team::gather(const void* mine, std::size_t bytes, void* all) {
    auto* const place = static_cast<std::byte*>(all);
    if (size_ > 1 && !fits(bytes)) {
        const int count = static_cast<int>(bytes);
        collect(
            collectives::execute::Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, communicator_), politely_,
            [&](MPI_Request* request) {
                return MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, communicator_, request);
            },
            [&] { return MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, communicator_); });
        return;
    }
    if (size_ > 1) board_.post(mine, bytes);
    for (int member = 0; member < size_; ++member)
        std::memcpy(place + static_cast<std::size_t>(member) * bytes, member == me_ ? mine : board_.await(member, bytes),
                    bytes);
    board_.all_seen();
}

void Team::exchange(const std::int64_t* to_members, std::int64_t* from_members) {
    const std::size_t bytes = static_cast<std::size_t>(size_) * sizeof(std::int64_t);
    if (size_ > 1 && !fits(bytes)) {
        collect(
            collectives::execute::Alltoall(to_members, 1, MPI_INT64_T, from_members, 1, MPI_INT64_T, communicator_), politely_,
            [&](MPI_Request* request) {
                return MPI_Ialltoall(to_members, 1, MPI_INT64_T, from_members, 1, MPI_INT64_T, communicator_, request);
            },
            [&] { return MPI_Alltoall(to_members, 1, MPI_INT64_T, from_members, 1, MPI_INT64_T, communicator_); });
        return;
    }
    if (size_ > 1) board_.post(to_members, bytes);
    for (int member = 0; member < size_; ++member) {
        const void* const theirs = member == me_ ? static_cast<const void*>(to_members) : board_.await(member, bytes);
        from_members[member] = static_cast<const std::int64_t*>(theirs)[me_];
    }
    board_.all_seen();
}

bool Team::exchange_by_rule(const void* to_members, std::size_t bytes, void* from_members) {
    const int count = static_cast<int>(bytes);
    const auto served =
        collectives::execute::Alltoall(to_members, count, MPI_BYTE, from_members, count, MPI_BYTE, communicator_);
    if (!served) without_rule_.insert(bytes);
    return served.has_value();
}

}  // namespace kumihimo::teams
