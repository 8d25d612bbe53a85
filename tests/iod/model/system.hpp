// A small system of I/O processes for the model checker: real stages, bounded channels between them, and ranks that write and
// drain. An action is what one process does next; explorer.hpp tries all orders of them.
//
// Ranks, the network and the disk have no actions of their own: that one of them is late is the same as that the node at its
// end does something else first.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "../records/memory_overflow.hpp"
#include "iod/records/stage.hpp"

namespace kumihimo::iod::model {

// What a rank does. Places are in units, so that records overlap whole units.
struct Step {
    enum class Kind { write, drain } kind = Kind::drain;
    int begin = 0, end = 0;
};
using Program = std::vector<Step>;

struct Shape {
    std::string name;
    std::vector<int> parents;       // of each node, towards server 0; the root's is -1. Server 1 has the nodes in reverse.
    std::vector<Program> programs;  // of each node's rank; all drain equally often
    int servers = 1;
    std::size_t channel = 1;  // batches that fit between two nodes
    Method method = Method::sort;
    bool merge = true;
    int journal_fails_after = -1;  // writes; -1: never
    int dying_node = -1;           // may die at any time; -1: none
};

struct Action {
    enum class Kind { from_rank, from_child, out, die } kind;
    int node, server, child;
};

class System {
public:
    static constexpr std::size_t unit = 20'000, largest_record = 2 * unit;

    explicit System(const Shape& shape);
    std::vector<Action> possible() const;
    void run(const Action& action);
    bool done() const;
    // All that each process has seen and done so far: systems with equal histories are equal.
    std::uint64_t history() const;
    const std::string& wrong() const { return wrong_; }  // empty: nothing yet

private:
    // The node's side of one server.
    struct Lane {
        int parent = -1;
        std::vector<int> children;
        std::unique_ptr<testing::MemoryOverflow> overflow;
        std::unique_ptr<Stage> stage;
        struct Message {
            Batch batch;
            std::uint64_t drain = 0;  // 0: records
        };
        std::deque<Message> to_parent;
        std::vector<bool> refused;       // sources that wait until something has left: the rank, then the children
        std::vector<std::size_t> taken;  // records of the child's first batch that are in
        bool nothing_leaves = true;      // until something comes in
        bool asked_again = false;        // for room, after nothing left: the answer is final until something happens
        std::uint64_t drained = 0;       // passed on
        std::uint64_t history = 0;
    };
    struct Node {
        std::vector<Lane> lanes;       // one for each server
        std::size_t step = 0;          // of the program
        std::vector<bool> step_taken;  // by the lane of each server
        bool dead = false;
    };
    using Values = std::vector<int>;  // of units; 0: never written

    Lane& lane(int node, int server) { return nodes_[static_cast<std::size_t>(node)].lanes[static_cast<std::size_t>(server)]; }
    const Lane& lane(int node, int server) const {
        return nodes_[static_cast<std::size_t>(node)].lanes[static_cast<std::size_t>(server)];
    }
    bool rank_may(int node, int server) const;
    bool child_may(int node, int server, int child) const;
    bool out_may(int node, int server) const;
    bool cut_off(int node, int server) const;
    void from_rank(int node, int server);
    void from_child(int node, int server, int child);
    void out(int node, int server);
    void die(int node);
    bool put(Lane& lane, int source, Offset offset, std::span<const std::byte> data);
    void step_done(int node, int server);
    void seen(Lane& lane, int what);
    void apply(int server, const Batch& batch);
    void drain_done(int server, std::uint64_t epoch);
    std::uint64_t epochs() const;
    bool lost(int node) const;
    void check(std::uint64_t epoch);

    Shape shape_;
    std::vector<Node> nodes_;
    std::vector<std::uint64_t> drained_;  // by each server
    Values file_, before_;                // before_: after the last drain
    std::vector<int> times_written_;      // each unit, since the last drain
    std::string wrong_;
};

}  // namespace kumihimo::iod::model
