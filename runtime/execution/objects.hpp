// The objects behind the C interface: node sets, node arrays, templates, arrays; thin owners of sets/ mappings plus what
// only a running program has (communicators, this node's coordinates, memory). Used by every room of the runtime.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include "kumihimo/generated.h"
#include "runtime/memory/segment.hpp"
#include "sets/mapping.hpp"

namespace kumihimo::execution {

using sets::Index;

// An ordered set of MPI processes (ranks of the entire set). The communicator is made at first use, by its members only.
class NodeSet {
public:
    explicit NodeSet(std::vector<int> entire_ranks);  // order = numbers in the set
    int size() const { return static_cast<int>(ranks_.size()); }
    int entire_rank(int number) const { return ranks_[number]; }
    const std::vector<int>& entire_ranks() const { return ranks_; }
    int my_number() const { return my_number_; }  // 0-based; -1: this node is not in it
    bool member() const { return my_number_ >= 0; }
    int number_of(int entire_rank) const;         // -1 if absent
    bool subset_of(const NodeSet& other) const;
    bool same_ranks(const NodeSet& other) const { return ranks_ == other.ranks_; }
    MPI_Comm communicator() const;                // collective among the members at first use; equal sets share one

private:
    std::vector<int> ranks_;
    int my_number_ = -1;
    mutable MPI_Comm communicator_ = MPI_COMM_NULL;
};
using NodeSetPointer = std::shared_ptr<const NodeSet>;

// What an xmp_desc_t points to: the first member of every object. (XMP_Array begins with the part that generated code
// reads, so its kind is told by the context's table of objects.)
enum class Kind { nodes, target, array };
Kind kind_of(const void* descriptor);  // throws base::Error if it is none of ours
bool is_object(const void* descriptor);

}  // namespace kumihimo::execution

// The C interface's opaque types are these classes.
struct XMP_Nodes {
    std::string name;
    kumihimo::sets::NodeGrid grid;
    kumihimo::execution::NodeSetPointer set;          // grid number -> member of the set
    std::vector<kumihimo::sets::Index> coordinates;   // mine; empty if this node is not in it
    bool member() const { return set->member(); }
};

struct XMP_Template {
    std::string name;
    kumihimo::sets::Order order = kumihimo::sets::Order::row_major;
    int rank = 0;
    std::optional<std::vector<XMP_Bounds>> bounds;    // none: deferred shape
    std::vector<XMP_Format> formats;                  // as declared; gblock sizes are copied below
    std::vector<std::vector<int>> gblock_sizes;
    XMP_Nodes* nodes = nullptr;                       // null: not distributed yet
    std::optional<kumihimo::sets::TemplateMapping> mapping;  // set once shape and distribution are known
    bool fixed() const { return mapping.has_value(); }
};

namespace kumihimo::execution {

// The whole of an array; `XMP_Array` (what generated code sees) is its base class.
struct Array : XMP_Array {
    std::string name;
    sets::Order order = sets::Order::row_major;
    int type = XMP_TYPE_OTHER;
    std::size_t element_bytes = 0;
    int rank = 0;
    XMP_Template* target = nullptr;
    std::vector<sets::Alignment> alignment;
    std::vector<sets::Shadow> shadow;
    std::optional<std::vector<XMP_Bounds>> bounds;    // none: deferred
    std::optional<sets::ArrayMapping> mapping;        // set when allocated
    std::shared_ptr<memory::Segment> segment;         // ranks = numbers in target->nodes->set; null for foreign memory
    std::size_t segment_offset = 0;                   // base - segment->local()

    bool allocated() const { return mapping.has_value(); }
    const XMP_Nodes& nodes() const { return *target->nodes; }
    bool member() const { return nodes().member(); }  // whether this node stores (maybe zero) elements
    // This node's coordinate along the node dimension of array dimension d (0 where it is on every node).
    Index coordinate(int d) const;
    // Bytes between neighbours along d in the allocated block.
    std::ptrdiff_t stride_bytes(int d) const;
    // Address of an element stored on this node (owned or in the shadow).
    std::byte* address(const std::vector<Index>& indices) const;
    // Start of the allocated block of another node (number in nodes().set) mapped here, or nullptr.
    std::byte* peer_base(int number) const;
};
const Array& array_of(const void* descriptor);
Array& array_of(void* descriptor);

// ---- the one context of a process ----
class Context {
public:
    static Context& get();
    bool running() const;
    NodeSetPointer entire() const;                    // all nodes
    NodeSetPointer executing() const;                 // top of the executing-set stack
    void push(NodeSetPointer set);
    void pop();
    // Nodes that a reference names, and, with `*` subscripts, the one of the several sets that holds this node
    // (an empty set if none does). Null: the executing set.
    NodeSetPointer resolve(const XMP_On* on) const;
    // Equal sets share one object (and one communicator).
    NodeSetPointer intern(std::vector<int> entire_ranks) const;
};

// Runs a C entry point's body: sets the site for messages, turns exceptions into one message and the end of the job.
template <typename Body>
auto guarded(const XMP_Site* site, Body&& body) noexcept -> decltype(body());
[[noreturn]] void fail(const XMP_Site* site, const std::exception& error) noexcept;

template <typename Body>
auto guarded(const XMP_Site* site, Body&& body) noexcept -> decltype(body()) {
    try {
        return body();
    } catch (const std::exception& error) {
        fail(site, error);
    }
}

}  // namespace kumihimo::execution
