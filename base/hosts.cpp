#include "base/hosts.hpp"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <numeric>

#include "base/attribute.hpp"
#include "base/collective.hpp"
#include "base/log.hpp"
#include "base/settings.hpp"
#include "base/shared_room.hpp"

namespace kumihimo::base {

namespace {

// What processes of one machine have in common. Others may have it, too: memory is tried.
std::size_t machine_here() {
    std::string name;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> name;
    utsname system{};
    if (uname(&system) == 0) name += system.nodename;
    return std::hash<std::string>{}(name);
}

// What each node says of itself. `part`: of a machine that is to be taken for several smaller ones.
struct Node {
    std::size_t machine;
    long long part;
    SharingWish wish;
    bool beside(const Node& other) const { return machine == other.machine && part == other.part; }
};

Node node_here() {
    const long long nodes = setting_number("KUMIHIMO_NODES_PER_MACHINE");
    int world_rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);  // so that machines are the same in every communicator
    return {machine_here(), nodes > 0 ? world_rank / nodes : 0, sharing_wish()};
}

// Finds hosts in rounds: in each, the first node of every machine that has no host yet becomes one, with all that reach its
// memory. Every node computes the same for all of them.
class Search {
public:
    explicit Search(MPI_Comm comm)
        : comm_(comm),
          nodes_(gather_all(comm, node_here(), Waiting::long_)),
          hosts_(nodes_.size(), -1),
          methods_(nodes_.size()) {
        MPI_Comm_rank(comm, &me_);
        while (std::find(hosts_.begin(), hosts_.end(), -1) != hosts_.end()) round();
    }
    const std::vector<int>& hosts() const { return hosts_; }
    SharingMethod method() const { return methods_[static_cast<std::size_t>(me_)]; }

private:
    using Group = std::vector<int>;  // nodes of one machine without a host, ascending

    std::vector<Group> groups() const {
        std::vector<Group> found;
        for (int node = 0; node < static_cast<int>(nodes_.size()); ++node) {
            if (hosts_[node] >= 0) continue;
            const auto mine = std::find_if(found.begin(), found.end(),
                                           [&](const Group& group) { return nodes_[group.front()].beside(nodes_[node]); });
            if (mine == found.end())
                found.push_back({node});
            else
                mine->push_back(node);
        }
        return found;
    }

    // By node: who is in the same room as the first of its group.
    std::vector<char> try_method(const std::vector<Group>& groups, SharingMethod method) const {
        const auto mine = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
            return std::find(group.begin(), group.end(), me_) != group.end();
        });
        const SharedRoom room(comm_, {mine == groups.end() ? -1 : mine->front(), method});
        return gather_all<char>(comm_, room.is_in(), Waiting::long_);
    }

    bool all(const Group& group, bool SharingWish::*wished) const {
        return std::all_of(group.begin(), group.end(), [&](int node) { return nodes_[node].wish.*wished; });
    }
    static bool all(const Group& group, const std::vector<char>& reached) {
        return std::all_of(group.begin(), group.end(), [&](int node) { return reached[node] != 0; });
    }

    void settle(const Group& group, const std::vector<char>& reached, SharingMethod method) {
        for (const int node : group)
            if (node == group.front() || reached[node] != 0) {
                hosts_[node] = group.front();
                methods_[node] = method;
            }
    }

    void round() {
        const std::vector<Group> all_groups = groups();
        const std::vector<char> nobody(nodes_.size());
        std::vector<Group> by_memfd, by_posix;
        for (const Group& group : all_groups) {
            if (group.size() == 1 || !(all(group, &SharingWish::memfd) || all(group, &SharingWish::posix)))
                settle(group, nobody, SharingMethod::none);
            else
                (all(group, &SharingWish::memfd) ? by_memfd : by_posix).push_back(group);
        }
        std::vector<char> memfd = nobody;
        if (!by_memfd.empty()) memfd = try_method(by_memfd, SharingMethod::memfd);
        for (const Group& group : by_memfd)
            if (!all(group, memfd) && all(group, &SharingWish::posix)) by_posix.push_back(group);
        std::vector<char> posix = nobody;
        if (!by_posix.empty()) posix = try_method(by_posix, SharingMethod::posix);
        for (const Group& group : by_posix)
            if (all(group, posix) || !all(group, &SharingWish::memfd)) settle(group, posix, SharingMethod::posix);
        for (const Group& group : by_memfd)
            if (hosts_[group.front()] < 0) settle(group, memfd, SharingMethod::memfd);
    }

    MPI_Comm comm_;
    int me_ = 0;
    std::vector<Node> nodes_;
    std::vector<int> hosts_;
    std::vector<SharingMethod> methods_;
};

// The hosts of a communicator of which only the partition is known. `marks`: for every rank, the same on one host.
std::unique_ptr<Hosts> described(MPI_Comm comm, const std::vector<int>& marks, SharingMethod method) {
    auto hosts = std::make_unique<Hosts>();
    MPI_Comm_rank(comm, &hosts->my_rank);
    hosts->method = method;
    std::map<int, int> first_with;
    for (int rank = 0; rank < static_cast<int>(marks.size()); rank++)
        hosts->host_of_rank.push_back(first_with.try_emplace(marks[static_cast<std::size_t>(rank)], rank).first->second);
    const int my_host = hosts->host_of_rank[static_cast<std::size_t>(hosts->my_rank)];
    for (int rank = 0; rank < static_cast<int>(marks.size()); rank++)
        if (hosts->host_of_rank[static_cast<std::size_t>(rank)] == my_host) hosts->ranks_here.push_back(rank);
    if (hosts->alone()) hosts->method = SharingMethod::none;
    return hosts;
}

std::unique_ptr<Hosts> discover(MPI_Comm comm) {
    const Search search(comm);
    auto hosts = described(comm, search.hosts(), search.method());
    static const char* const names[] = {"messages", "memfd", "posix shared memory"};
    log(log_start, "{} of {} nodes share memory with this one, by {}", hosts->ranks_here.size(), hosts->host_of_rank.size(),
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

Known known_of(MPI_Comm comm) {
    using Kept = Attribute<Known, true>;
    if (const Known* const known = Kept::of(comm); known != nullptr && (*known)->is_of(comm)) return *known;
    return Kept::keep(comm, std::make_unique<Known>(std::make_shared<Shared>(comm)));
}

}  // namespace

SharingWish sharing_wish() {
    const std::string method = setting("KUMIHIMO_SHM");
    return {method == "auto" || method == "memfd", method == "auto" || method == "posix"};
}

const Hosts& hosts_of(MPI_Comm comm) {
    const Known known = known_of(comm);
    if (!known->hosts) known->hosts = discover(comm);
    return *known->hosts;
}

void keep_hosts(MPI_Comm comm) {
    (void)known_of(comm);
}

void inherit_hosts(MPI_Comm whole, MPI_Comm part) {
    const Known from = known_of(whole), to = known_of(part);
    if (!from->hosts) return;
    int size = 0;
    MPI_Comm_size(part, &size);
    std::vector<int> ranks(static_cast<std::size_t>(size)), marks;
    std::iota(ranks.begin(), ranks.end(), 0);
    std::vector<int> in_whole(ranks.size());
    MPI_Group_translate_ranks(to->group, size, ranks.data(), from->group, in_whole.data());
    for (const int rank : in_whole) marks.push_back(from->hosts->host_of_rank[static_cast<std::size_t>(rank)]);
    to->hosts = described(part, marks, from->hosts->method);
}

Crowd crowd_of(MPI_Comm comm) {
    struct Place {
        std::size_t machine;
        cpu_set_t allowed;
    } here{machine_here(), {}};
    sched_getaffinity(0, sizeof here.allowed, &here.allowed);
    Crowd crowd{0, 0};
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    for (const Place& place : gather_all(comm, here, Waiting::long_)) {
        if (place.machine != here.machine) continue;
        ++crowd.nodes;
        CPU_OR(&allowed, &allowed, &place.allowed);
    }
    crowd.processors = std::max(1, CPU_COUNT(&allowed));
    return crowd;
}

}  // namespace kumihimo::base
