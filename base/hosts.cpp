#include "base/hosts.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <random>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/settings.hpp"

namespace kumihimo::base {

namespace {

// A communicator that is freed at the end of a scope.
class ScopedComm {
public:
    MPI_Comm comm = MPI_COMM_NULL;
    ScopedComm() = default;
    ScopedComm(const ScopedComm&) = delete;
    ScopedComm& operator=(const ScopedComm&) = delete;
    ~ScopedComm() {
        if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    }
};

bool all_agree(MPI_Comm comm, bool mine) {
    int value = mine, all = 0;
    MPI_Allreduce(&value, &all, 1, MPI_INT, MPI_MIN, comm);
    return all != 0;
}

// A number that no other machine writes into its probe: machines may agree in process, descriptor and inode numbers.
unsigned long long fresh_token() {
    std::random_device device;
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    return (static_cast<unsigned long long>(device()) << 32 ^ device()) + static_cast<unsigned long long>(now);
}

// Whether I can map memory that rank 0 of comm creates by this method. Collective.
bool reaches_first(MPI_Comm comm, SharingMethod method) {
    struct Probe {
        Ticket ticket;
        unsigned long long token = 0;
    } probe;
    std::optional<SharedFile> file;
    Mapping mine;
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    bool reached = false;
    try {
        if (rank == 0) {
            probe.token = fresh_token();
            file.emplace(SharedFile::create(method, sizeof probe.token));
            reserve(file->ticket(), 0, sizeof probe.token);
            mine = file->map();
            *reinterpret_cast<unsigned long long*>(mine.data()) = probe.token;
            probe.ticket = file->ticket();
            reached = true;
        }
    } catch (const Error&) {
        probe.ticket = Ticket{};
    }
    MPI_Bcast(&probe, sizeof probe, MPI_BYTE, 0, comm);
    try {
        if (rank != 0 && probe.ticket.method == method) {
            const Mapping theirs = attach(probe.ticket);
            reached = *reinterpret_cast<const unsigned long long*>(theirs.data()) == probe.token;
        }
    } catch (const Error&) {
        reached = false;
    }
    all_agree(comm, reached);  // nobody may still be opening the file when its creator closes it
    return reached;
}

struct Wish {
    bool memfd, posix;
};

Wish wish() {
    const std::string method = setting("KUMIHIMO_SHM");
    if (method == "auto" || method == "1") return {true, true};
    if (method == "memfd") return {true, false};
    if (method == "posix") return {false, true};
    if (method == "off" || method == "0") return {false, false};
    throw Error("setting KUMIHIMO_SHM=" + method + " is not known", "Give auto, memfd, posix or off.");
}

// The nodes that may be on one machine: what MPI believes, or smaller machines on request.
void split_candidates(MPI_Comm comm, MPI_Comm* candidates) {
    const long long nodes = setting_number("KUMIHIMO_NODES_PER_MACHINE");
    int rank = 0, world_rank = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);  // so that machines are the same in every communicator
    ScopedComm machine;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine.comm);
    MPI_Comm_split(machine.comm, nodes > 0 ? static_cast<int>(world_rank / nodes) : 0, rank, candidates);
}

// Splits `rest` into the group of its rank 0 (all of which reach rank 0 in the same way) and the others.
SharingMethod try_methods(MPI_Comm rest, const Wish& wish, bool* in_group) {
    int rank = 0, size = 0;
    MPI_Comm_rank(rest, &rank);
    MPI_Comm_size(rest, &size);
    const bool use_memfd = all_agree(rest, wish.memfd), use_posix = all_agree(rest, wish.posix);
    *in_group = rank == 0;
    if (size == 1) return SharingMethod::none;
    const bool by_memfd = use_memfd && reaches_first(rest, SharingMethod::memfd);
    if (use_memfd && all_agree(rest, by_memfd)) return *in_group = true, SharingMethod::memfd;
    const bool by_posix = use_posix && reaches_first(rest, SharingMethod::posix);
    if (use_posix && all_agree(rest, by_posix)) return *in_group = true, SharingMethod::posix;
    if (use_memfd) return *in_group = by_memfd || rank == 0, SharingMethod::memfd;
    if (use_posix) return *in_group = by_posix || rank == 0, SharingMethod::posix;
    return SharingMethod::none;
}

std::unique_ptr<Hosts> discover(MPI_Comm comm) {
    auto hosts = std::make_unique<Hosts>();
    int size = 0;
    MPI_Comm_rank(comm, &hosts->my_rank);
    MPI_Comm_size(comm, &size);
    const Wish my_wish = wish();
    ScopedComm rest;
    split_candidates(comm, &rest.comm);
    int my_host = -1;
    while (my_host < 0) {
        bool in_group = false;
        const SharingMethod method = try_methods(rest.comm, my_wish, &in_group);
        ScopedComm part;
        MPI_Comm_split(rest.comm, in_group, hosts->my_rank, &part.comm);
        if (in_group) {
            MPI_Allreduce(&hosts->my_rank, &my_host, 1, MPI_INT, MPI_MIN, part.comm);
            hosts->method = method;
        }
        std::swap(rest.comm, part.comm);
    }
    hosts->host_of_rank.resize(static_cast<std::size_t>(size));
    MPI_Allgather(&my_host, 1, MPI_INT, hosts->host_of_rank.data(), 1, MPI_INT, comm);
    for (int rank = 0; rank < size; rank++)
        if (hosts->host_of_rank[static_cast<std::size_t>(rank)] == my_host) hosts->ranks_here.push_back(rank);
    if (hosts->alone()) hosts->method = SharingMethod::none;
    static const char* const names[] = {"messages", "memfd", "posix shared memory"};
    log(log_start, "{} of {} nodes share memory with this one, by {}", hosts->ranks_here.size(), size,
        names[static_cast<int>(hosts->method)]);
    return hosts;
}

// Shared by a communicator and its copies, which have the same nodes.
struct Shared {
    MPI_Group group = MPI_GROUP_NULL;
    std::unique_ptr<const Hosts> hosts;

    explicit Shared(MPI_Comm comm) { MPI_Comm_group(comm, &group); }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    ~Shared() { MPI_Group_free(&group); }
    // Open MPI 4.1's MPI_Comm_create_group copies attributes, too, which only copies of a communicator should have
    // (MPI-4.0 7.4.2).
    bool is_of(MPI_Comm comm) const {
        MPI_Group other;
        int result = MPI_UNEQUAL;
        MPI_Comm_group(comm, &other);
        MPI_Group_compare(group, other, &result);
        MPI_Group_free(&other);
        return result == MPI_IDENT;
    }
};
using Known = std::shared_ptr<Shared>;

int copy_known(MPI_Comm, int, void*, void* known, void* copy, int* copied) {
    *static_cast<void**>(copy) = new Known(*static_cast<Known*>(known));
    *copied = 1;
    return MPI_SUCCESS;
}

int forget_known(MPI_Comm, int, void* known, void*) {
    delete static_cast<Known*>(known);
    return MPI_SUCCESS;
}

int hosts_key() {
    static const int key = [] {
        int made = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(copy_known, forget_known, &made, nullptr);
        return made;
    }();
    return key;
}

Known known_of(MPI_Comm comm) {
    void* known = nullptr;
    int found = 0;
    MPI_Comm_get_attr(comm, hosts_key(), &known, &found);
    if (found && (*static_cast<Known*>(known))->is_of(comm)) return *static_cast<Known*>(known);
    auto* const made = new Known(std::make_shared<Shared>(comm));
    MPI_Comm_set_attr(comm, hosts_key(), made);
    return *made;
}

}  // namespace

const Hosts& hosts_of(MPI_Comm comm) {
    const Known known = known_of(comm);
    if (!known->hosts) known->hosts = discover(comm);
    return *known->hosts;
}

void keep_hosts(MPI_Comm comm) {
    (void)known_of(comm);
}

Crowd crowd_of(MPI_Comm comm) {
    ScopedComm machine;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine.comm);
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    MPI_Allreduce(MPI_IN_PLACE, &allowed, sizeof allowed, MPI_BYTE, MPI_BOR, machine.comm);
    Crowd crowd;
    MPI_Comm_size(machine.comm, &crowd.nodes);
    crowd.processors = std::max(1, CPU_COUNT(&allowed));
    return crowd;
}

}  // namespace kumihimo::base
