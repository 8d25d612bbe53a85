// The one context of a process: the entire set, the executing-set stack, the table of objects, and how references become
// sets of nodes.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "kumihimo/generated.h"
#include "runtime/execution/guard.hpp"
#include "runtime/execution/moment.hpp"
#include "runtime/execution/node_set.hpp"
#include "runtime/execution/world.hpp"

namespace kumihimo::execution {

// What an xmp_desc_t points to: told by the context's table of objects.
enum class Kind { nodes, target, array };
Kind kind_of(const void* descriptor);  // throws base::Error if it is none of ours
bool is_object(const void* descriptor);

extern bool started_with_program;  // by XMP_Start, until the program ends: all global arrays are the runtime's

class Context {
public:
    static Context& get();
    bool running() const { return started; }

    NodeSetPointer entire() const { return entire_; }  // all nodes
    int world_rank() const { return world_.rank; }
    int world_size() const { return world_.size; }
    MPI_Comm world_communicator() const { return world_.communicator; }
    MPI_Comm private_communicator() const { return world_.private_communicator; }

    NodeSetPointer executing() const { return top().set; }            // top of the executing-set stack
    const NodeSet* executing_now() const { return top().set.get(); }  // the same, without sharing it
    const NodeSet* enclosing(int distance) const;  // the set that was executing that many pushes ago; at most the first
    bool may_communicate() const { return top().may_communicate; }  // false inside a task with nocomm
    // The distributed loop whose iteration this is, if its body could notice; else null. And the nodes that execute it, each
    // perhaps in a set of its own.
    const XMP_Site* loop_around() const { return top().loop; }
    const NodeSetPointer& sharing() const { return top().loop == nullptr ? top().set : top().sharing; }
    void push(NodeSetPointer set, bool may_communicate = true);
    void push_iteration(NodeSetPointer set, NodeSetPointer sharing, const XMP_Site* loop);
    void pop();

    // With --check: the executing nodes take a step together, at `site`; where this node is in all of theirs.
    void step(const XMP_Site& site);
    const Moment& now() const;

    // Nodes that a reference names. `*` subscripts stand for this node's own position: the result is this node's one of the
    // several sets, and an empty set on a node that is not in the referenced object. A result need not contain this node
    // (member() tells). Null: the executing set.
    NodeSetPointer resolve(const XMP_On* on) const;
    // Equal sets share one object (and one communicator).
    NodeSetPointer intern(std::vector<int> world_ranks) const;

    // The table of objects.
    void add_object(const void* object, Kind kind) { objects_.emplace(object, kind); }
    void remove_object(const void* object) { objects_.erase(object); }
    const Kind* find_object(const void* object) const;
    const std::unordered_map<const void*, Kind>& objects() const { return objects_; }

    // Start and stop; called by program/rooms.cpp only. `communicator` is this context's own and freed by stop().
    void start(MPI_Comm communicator);
    void stop();

private:
    struct Frame {
        NodeSetPointer set;
        bool may_communicate = true;
        const XMP_Site* loop = nullptr;
        NodeSetPointer sharing = {};
        Moment::Level level = {};
    };
    const Frame& top() const {
        if (stack_.empty()) fail_not_running();
        return stack_.back();
    }
    [[noreturn]] static void fail_not_running() noexcept;

    World& world_ = World::get();
    NodeSetPointer entire_;
    std::vector<Frame> stack_;
    mutable Moment now_;  // without levels: to be made
    mutable std::map<std::vector<int>, NodeSetPointer> sets_;
    std::unordered_map<const void*, Kind> objects_;
};

}  // namespace kumihimo::execution
