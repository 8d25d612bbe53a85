// Small collectives of a node set whose members all share memory: one flag and a few bytes for each member, written once and
// read by the others. Everywhere else MPI does it, or an algorithm of collectives/ where KUMIHIMO_COLL_TUNE or _TABLE says so.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>

#include "base/noticeboard.hpp"
#include "runtime/execution/objects.hpp"
#include "runtime/teams/operation.hpp"

namespace kumihimo::teams {

class Team {
public:
    // Of a message through shared memory. Measured: MPI takes twice as long up to 4 KiB, 3 to 8 times as long beyond.
    static constexpr std::size_t most_bytes = std::size_t{16} << 10;
    static constexpr std::size_t most_combined_bytes = 2048;  // everyone combines all; beyond, MPI shares the work
    static constexpr int most_members = 64;                   // everyone reads from everyone; beyond, a tree is faster

    enum class Purpose { work, checks };  // what --check tells must not meet what the program tells

    // The set's team. Collective over its members at first use; the member must call it.
    static Team& of(const execution::NodeSetPointer& set);
    static Team& of(const execution::NodeSetPointer& set, Purpose purpose);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    void barrier();
    // data[i] = data of member 0 (op) that of member 1 (op) ...: in shared memory the order of combination is the order of the
    // members, whatever the timing, so the result is the same on every node and in every run.
    void allreduce(const Operation& operation, void* data, std::size_t count);
    void broadcast(void* data, std::size_t bytes, int root);
    // all: what each member has, in the order of the members; as many bytes of each.
    void gather(const void* mine, std::size_t bytes, void* all);
    // One number for each member, and from each.
    void exchange(const std::int64_t* to_members, std::int64_t* from_members);
    // Bytes for each member, and from each, if a rule of collectives/ has an algorithm for them; whether it has, which all
    // members find alike. may_exchange_by_rule: unless it is known that none has.
    bool may_exchange_by_rule(std::size_t bytes) const { return without_rule_.count(bytes) == 0; }
    bool exchange_by_rule(const void* to_members, std::size_t bytes, void* from_members);

    MPI_Comm communicator() const { return communicator_; }    // a private one, for this room's messages (tags from 1 on)
    int next_operation() { return ++operations_ & 0xffffff; }  // a number that all members give to what they begin together
    int size() const { return size_; }
    int my_number() const { return me_; }
    bool shared() const { return shared_; }  // the members reach each other's memory; the same on all of them

private:
    struct Table;
    Team(const execution::NodeSet& set, Purpose purpose);
    bool fits(std::size_t bytes) const { return shared_ && bytes <= most_bytes; }

    MPI_Comm communicator_ = MPI_COMM_NULL;
    bool owned_ = true;
    int size_, me_;
    bool shared_ = false;
    bool politely_ = false;  // somewhere nodes outnumber processors: MPICH's blocking collectives would keep the processor
    int operations_ = 0;
    std::unordered_set<std::size_t> without_rule_;  // lengths of blocks
    std::unique_ptr<memory::Segment> segment_;
    base::Noticeboard board_;
    std::unique_ptr<std::byte[]> result_;
};

}  // namespace kumihimo::teams
