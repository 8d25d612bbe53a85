// The objects behind the C interface: node sets, node arrays, templates, arrays; thin owners of sets/ mappings plus what
// only a running program has (communicators, this node's coordinates, memory). Used by every room of the runtime.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kumihimo/generated.h"
#include "runtime/execution/context.hpp"
#include "runtime/execution/guard.hpp"
#include "runtime/execution/node_set.hpp"
#include "runtime/memory/segment.hpp"
#include "sets/mapping.hpp"

namespace kumihimo::globalview {
class ShadowAccount;
}

namespace kumihimo::execution {

using sets::Index;
struct Array;

}  // namespace kumihimo::execution

// The C interface's opaque types are these classes.
struct XMP_Nodes {
    std::string name;
    kumihimo::sets::NodeGrid grid;
    kumihimo::execution::NodeSetPointer set;         // grid number -> member of the set
    std::vector<kumihimo::sets::Index> coordinates;  // mine; empty if this node is not in it
    int of = XMP_NODES_ENTIRE;                       // what it was declared on
    const XMP_Nodes* whole = nullptr;                // `= nodes-ref`: the referenced array and its subscripts
    std::vector<kumihimo::sets::Range> part;
    bool member() const { return set->member(); }
    // A step of 0 in `part` stands for `*`, this node's own coordinate.
    bool differs_between_nodes() const {
        return std::any_of(part.begin(), part.end(), [](const kumihimo::sets::Range& range) { return range.step == 0; });
    }
    // Subscripts in messages are those of the user's: from 0 in [ ], from 1 in ( ).
    kumihimo::sets::Index first_subscript() const { return grid.order() == kumihimo::sets::Order::row_major ? 0 : 1; }
};

struct XMP_Template {
    std::string name;
    kumihimo::sets::Order order = kumihimo::sets::Order::row_major;
    int rank = 0;
    std::optional<std::vector<XMP_Bounds>> bounds;  // none: deferred shape
    std::vector<XMP_Format> formats;                // as declared; gblock sizes are copied below
    std::vector<std::vector<int>> gblock_sizes;     // one for each dimension; empty: none, or gblock(*) before template_fix
    XMP_Nodes* nodes = nullptr;                     // null: not distributed yet
    std::optional<kumihimo::sets::TemplateMapping> mapping;  // set once shape and distribution are known
    std::vector<kumihimo::execution::Array*> waiting;        // declared with bounds, to be allocated when the template is fixed
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
    std::optional<std::vector<XMP_Bounds>> bounds;  // none: deferred
    std::optional<sets::ArrayMapping> mapping;      // set when allocated
    std::uint64_t mapping_number = 0;               // no two mappings of a run have the same: for those who keep plans
    NodeSetPointer set;                             // of the node array it lies on; set when allocated
    std::shared_ptr<memory::Segment> segment;       // null for foreign memory, and mostly on nodes that store nothing
    NodeSetPointer segment_set;                     // the segment's ranks are numbers in this set
    std::size_t segment_offset = 0;                 // base - segment->local()
    int references = 1;                             // descriptors that generated code holds
    XMP_Site declared = {};                         // where; of an owner
    std::unique_ptr<XMP_Known> answers;             // with --check: what `known` leads to
    bool owner = true;                              // false: made by XMP_Array_argument for memory of another
    std::vector<std::unique_ptr<Array>> views;      // of an owner: the other mappings under which it was passed
    std::shared_ptr<globalview::ShadowAccount> shadow_account;  // with --check, made when it is first asked for
    std::uint64_t shadow_account_of = 0;                        // the mapping_number that it was made for

    bool allocated() const { return mapping.has_value(); }
    const XMP_Nodes& nodes() const { return *target->nodes; }
    bool member() const { return set != nullptr && set->member(); }  // whether this node stores (maybe zero) elements
    // This node's coordinate along the node dimension of array dimension d (0 where it is on every node).
    Index coordinate(int d) const;
    // Bytes between neighbours along d in the allocated block.
    std::ptrdiff_t stride_bytes(int d) const;
    // Bytes of the allocated block, shadow included.
    std::size_t allocated_bytes() const;
    // Address of an element stored on this node (owned or in the shadow).
    std::byte* address(const std::vector<Index>& indices) const;
    // Start of the allocated block of another node (number in nodes().set) mapped here, or nullptr.
    std::byte* peer_base(int number) const;
};
const Array& array_of(const void* descriptor);
Array& array_of(void* descriptor);
bool shared_by_all(const Array& array);  // whether all of its nodes have memory for it that they allocated together
// Collective over the array's nodes among the executing ones. Those that were left out when others created the array in a task
// come to it: all allocate it together, and each keeps its elements.
void join_array(Array& array);
XMP_Nodes& nodes_of(const void* descriptor);  // throw base::Error if the descriptor is of another kind
XMP_Template& template_of(const void* descriptor);

// ---- what the C entry points of nodes, template, distribute, align do; they throw base::Error ----
XMP_Nodes* declare_nodes(const char* name, int order, int rank, const XMP_Index* sizes, int of, const XMP_On* part);
void release_nodes(XMP_Nodes* nodes);

// The indices that a subscript (a range or `:`) of a dimension lower:upper names.
sets::Range range_of(const XMP_Range& subscript, Index lower, Index upper);

XMP_Template* declare_template(const char* name, int order, int rank, const XMP_Bounds* bounds);
void distribute(XMP_Template& target, XMP_Nodes& nodes, const XMP_Format* formats);
void fix_template(XMP_Template& target, const XMP_Bounds* bounds, const XMP_Format* formats);
void release_template(XMP_Template* target);

// A declaration as the C interface gives it.
struct ArrayDeclaration {
    const char* name;
    int order, type;
    std::size_t element_bytes;
    int rank;
    const XMP_Bounds* bounds;
    XMP_Template* target;
    const XMP_Align* align;
    const XMP_Width* shadow;
};
XMP_Array* declare_array(const ArrayDeclaration& declaration);
void* allocate_array(Array& array, const XMP_Bounds* bounds);
void free_array(Array& array);  // its memory; the descriptor stays
// Who wants to know of memory that arrays get, and that they are about to lose: each time collective over the nodes.
struct MemoryWatcher {
    void (*allocated)(const memory::Segment& memory, const NodeSet& nodes) = nullptr;
    void (*freed)(const void* memory) = nullptr;  // this node's block
};
void tell_of_memory(MemoryWatcher watcher);
XMP_Array* argument_array(const ArrayDeclaration& declaration, void* base);
XMP_Array* memory_as_array(const ArrayDeclaration& declaration, void* base);  // whatever its memory is
void expect_array(const XMP_Array* array, const ArrayDeclaration& declaration);
void release_array(XMP_Array* array);
// Address of an element that this node stores, shadow included; throws with the indices otherwise. No message to prepare: null.
void* stored_element(const Array& array, const XMP_Index* indices);
void* stored_element_or_null(const Array& array, const XMP_Index* indices);
std::string element_text(const Array& array, const XMP_Index* indices);

// Arrays that the runtime makes for itself, for the time of a call: in memory that provide(bytes) gives for the block, which no
// other node reaches, or in the memory of another array under another mapping.
struct Forget {
    void operator()(Array* array) const;
};
using OwnArray = std::unique_ptr<Array, Forget>;
OwnArray own_array(const ArrayDeclaration& declaration, const std::function<void*(std::size_t)>& provide);
OwnArray own_view(const ArrayDeclaration& declaration, const Array& of);

// Storage of another array that starts at this address, or null.
Array* owner_of(const void* base);
// The same, or the array whose descriptor lies there: in Fortran a node that stores no part has no other address.
Array* array_at(const void* address);
void point(XMP_Array*& descriptor, const void* address);  // see XMP_Array_point
// The array in whose block on this node the address lies; an empty block has an address, too.
Array* array_around(const void* address);
void release_all_objects();  // at the end of the program

// "p[2][3]" as the user wrote it: for messages.
std::string subscripts_text(sets::Order order, const std::vector<std::string>& subscripts);

}  // namespace kumihimo::execution
