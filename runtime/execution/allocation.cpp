// Memory of global arrays (specification 3.5, 4.3.6, 7.5): static, automatic, xmp_malloc and xmp_free.
#include <cstdarg>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/error.hpp"
#include "base/format.hpp"
#include "kumihimo/localview.h"
#include "runtime/execution/array_table.hpp"

namespace kumihimo::execution {

namespace {

// How generated code computes subscripts in dimension d.
XMP_Dimension view_of(const Array& array, int d) {
    const sets::ArrayMapping& mapping = *array.mapping;
    const Index coordinate = array.coordinate(d);
    const bool by_position = mapping.format(d) == sets::Format::cyclic && !mapping.shadow(d).full;
    XMP_Dimension view = {};
    view.length = array.member() ? mapping.allocated_size(d, coordinate) : 0;
    view.origin = mapping.view_origin(d, coordinate);
    if (by_position) {
        const sets::Distribution& distribution = mapping.target().dimension(mapping.alignment(d).template_dimension);
        view.block = distribution.block_size();
        view.nodes = distribution.nodes();
        view.offset = mapping.alignment(d).offset - distribution.lower();
    }
    return view;
}

// Along d: which elements the inline part of a check lets pass. Those that others may mirror are noted when they are written.
XMP_Known_dimension known_of(const Array& array, int d) {
    XMP_Known_dimension known = {};
    const sets::IndexSet owned = array.mapping->owned(d, array.coordinate(d));
    if (!array.member() || owned.empty()) return known;
    const XMP_Dimension& view = array.dimension[d];
    const auto extent = static_cast<std::uint64_t>(owned.highest() - owned.lowest() + 1);
    known.first[0] = known.first[1] = owned.lowest();
    if (view.block == 0) {
        known.stored = std::max(view.origin, array.mapping->lower(d));
        known.extent =
            static_cast<std::uint64_t>(std::min(view.origin + view.length, array.mapping->upper(d) + 1) - known.stored);
        if (extent != static_cast<std::uint64_t>(owned.size())) return known;  // dealt out in turn, with a full shadow
        const sets::Shadow& shadow = array.mapping->shadow(d);
        const auto mirrored = static_cast<std::uint64_t>(shadow.lower + shadow.upper);
        known.first[1] += shadow.upper;  // a neighbour's upper shadow mirrors the lowest
        known.count[1] = shadow.full || mirrored > extent ? 0 : extent - mirrored;
    } else {
        known.shift = view.offset;
        known.round = static_cast<std::uint64_t>(view.block * view.nodes);
        if (view.nodes == 1) {
            known.block = std::numeric_limits<std::uint64_t>::max();
        } else {
            const auto last = static_cast<std::uint64_t>(owned.highest() + view.offset);
            if (last >= std::numeric_limits<std::uint64_t>::max() / known.round) return known;  // beyond the reciprocal
            known.block = static_cast<std::uint64_t>(view.block);
            known.begin = static_cast<std::uint64_t>(view.block * array.coordinate(d));
            known.reciprocal = std::numeric_limits<std::uint64_t>::max() / known.round + 1;
        }
        known.count[1] = extent;
    }
    known.count[0] = extent;
    return known;
}

void answer_before(Array& array) {
    array.answers = std::make_unique<XMP_Known>();
    for (int d = 0; d < array.rank; d++) array.answers->dimension[d] = known_of(array, d);
    array.known = array.answers.get();
    new_stamp(XMP_stamps.read);  // what was known of memory that it had before
}

// Bytes of the block; an absurd size becomes the largest number, which no machine has.
std::size_t block_bytes(const Array& array) {
    std::size_t bytes = array.element_bytes;
    bool zero = false, overflow = false;
    for (int d = 0; d < array.rank; d++) {
        const auto length = static_cast<std::size_t>(array.dimension[d].length);
        zero = zero || length == 0;
        overflow = overflow || __builtin_mul_overflow(bytes, length, &bytes);
    }
    return zero ? 0 : overflow ? std::numeric_limits<std::size_t>::max() : bytes;
}

MemoryWatcher watcher;

// The nodes that allocate together: those of the node array, as far as they execute this. (A procedure called from a task may
// declare arrays on all nodes; the others are elsewhere.) Where a program reaches arrays one-sidedly all executing nodes: those
// that store nothing must know where the others' parts are.
NodeSetPointer allocating_set(const NodeSetPointer& nodes) {
    const NodeSetPointer executing = Context::get().executing();
    if (XMP_local_view) return executing;
    if (nodes == executing || nodes->subset_of(*executing)) return nodes;
    std::vector<int> common;
    for (const int rank : nodes->world_ranks())
        if (executing->number_of(rank) >= 0) common.push_back(rank);
    return Context::get().intern(std::move(common));
}

}  // namespace

void tell_of_memory(MemoryWatcher who) {
    watcher = who;
}

void map_array(Array& array, const XMP_Bounds* bounds) {
    const XMP_Template& target = *array.target;
    if (!target.fixed())
        throw base::Error(fmt::format("array {} is allocated before template {} is fixed", array.name, target.name),
                          "Execute template_fix first.");
    std::vector<Index> lower, upper;
    for (int d = 0; d < array.rank; d++) {
        lower.push_back(bounds[d].lower);
        upper.push_back(bounds[d].upper);
    }
    try {
        array.mapping.emplace(*target.mapping, lower, upper, array.alignment, array.shadow, array.order);
    } catch (const std::invalid_argument& reason) {
        throw base::Error(fmt::format("array {} does not fit template {}: {}", array.name, target.name, reason.what()));
    }
    array.bounds = std::vector<XMP_Bounds>(bounds, bounds + array.rank);  // `bounds` may be these themselves
    array.set = target.nodes->set;
    static std::uint64_t mappings = 0;
    array.mapping_number = ++mappings;
    for (int d = 0; d < array.rank; d++) array.dimension[d] = view_of(array, d);
    if (checking) answer_before(array);
}

void set_base(Array& array, void* base) {
    array.base = base;
    std::ptrdiff_t shift = 0;
    for (int d = 0; d < array.rank; d++) shift += array.dimension[d].origin * array.stride_bytes(d);
    // Through an integer: the result need not point into the block.
    array.origin = base == nullptr
                       ? nullptr
                       : reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(base) - static_cast<std::uintptr_t>(shift));
}

void share_memory(Array& array, const Array& with, void* base) {
    array.segment = with.segment;
    array.segment_set = with.segment_set;
    array.segment_offset = with.segment_offset;
    set_base(array, base);
}

static void take_memory(Array& array, std::unique_ptr<memory::Segment> segment, NodeSetPointer set) {
    array.segment_set = std::move(set);
    array.segment = std::move(segment);
    if (array.member()) {
        set_base(array, array.segment->local());
        ArrayTable::get().by_base[array.base] = &array;
    }
    if (watcher.allocated != nullptr) watcher.allocated(*array.segment, *array.segment_set);
}

static void drop_memory(Array& array) {
    if (array.base != nullptr) ArrayTable::get().by_base.erase(array.base);
    if (array.segment && watcher.freed != nullptr) watcher.freed(array.segment->local());
    array.segment.reset();
}

static std::unique_ptr<memory::Segment> segment_for(const Array& array, const NodeSetPointer& set) {
    return memory::Segment::allocate(set->communicator(), block_bytes(array), "array " + array.name);
}

void* allocate_array(Array& array, const XMP_Bounds* bounds) {
    if (array.allocated())
        throw base::Error(fmt::format("array {} is allocated already", array.name),
                          "Free it first: xmp_free(xmp_desc_of(...)).");
    const bool deferred = !array.bounds;
    map_array(array, bounds);
    if (!array.member() && !XMP_local_view) return nullptr;
    const NodeSetPointer set = allocating_set(array.set);
    try {
        take_memory(array, segment_for(array, set), set);
    } catch (...) {
        array.mapping.reset();
        if (deferred) array.bounds.reset();
        throw;
    }
    return array.base;
}

bool shared_by_all(const Array& array) {
    if (array.segment_set == nullptr) return true;  // it has no part here
    const NodeSet& creators = *array.segment_set;
    return XMP_local_view ? static_cast<int>(creators.world_ranks().size()) == Context::get().world_size()
                          : array.set->subset_of(creators);
}

void join_array(Array& array) {
    if (array.segment_set == nullptr) return;
    const NodeSetPointer creators = array.segment_set, set = allocating_set(array.set);
    if (set->subset_of(*creators)) return;
    if (!creators->subset_of(*set))
        throw base::Error(fmt::format("array {} was created in a task by {}, and only some of them use it with others now",
                                      array.name, base::counted(static_cast<Index>(creators->world_ranks().size()), "node")),
                          "Describe it in the main program, too, or call a procedure that describes it before the task.");
    std::unique_ptr<memory::Segment> segment = segment_for(array, set);
    if (array.member()) std::memcpy(segment->local(), array.base, block_bytes(array));
    drop_memory(array);
    take_memory(array, std::move(segment), set);
    for (const auto& view : array.views) share_memory(*view, array, array.base);
}

// A procedure may still remember the view of its last call.
static void forget_view(std::unique_ptr<Array> view) {
    if (view->references == 0) {
        Context::get().remove_object(static_cast<XMP_Array*>(view.get()));
        return;
    }
    view->segment.reset();
    view->mapping.reset();
    view->base = view->origin = nullptr;
    view->known = nullptr;
    ArrayTable::get().forgotten.push_back(std::move(view));
}

void free_array(Array& array) {
    if (!array.allocated()) return;
    for (auto& view : array.views) forget_view(std::move(view));
    array.views.clear();
    drop_memory(array);
    array.mapping.reset();
    array.bounds.reset();
    array.base = array.origin = nullptr;
    array.known = nullptr;
}

// ---- arrays of the runtime's own ----

namespace {

OwnArray described(const ArrayDeclaration& declaration) {
    OwnArray array(describe(declaration).release());
    array->owner = false;
    map_array(*array, declaration.bounds);
    Context::get().add_object(static_cast<XMP_Array*>(array.get()), Kind::array);
    return array;
}

}  // namespace

void Forget::operator()(Array* array) const {
    Context::get().remove_object(static_cast<XMP_Array*>(array));
    delete array;
}

OwnArray own_array(const ArrayDeclaration& declaration, const std::function<void*(std::size_t)>& provide) {
    OwnArray array = described(declaration);
    if (array->member()) set_base(*array, provide(block_bytes(*array)));
    return array;
}

OwnArray own_view(const ArrayDeclaration& declaration, const Array& of) {
    OwnArray array = described(declaration);
    share_memory(*array, of, of.base);
    return array;
}

}  // namespace kumihimo::execution

using namespace kumihimo::execution;

extern "C" void* XMP_Array_allocate(const XMP_Site* site, XMP_Array* array, const XMP_Bounds* bounds) {
    return guarded(site, [&] { return allocate_array(array_of(static_cast<void*>(array)), bounds); });
}

extern "C" void* xmp_malloc(xmp_desc_t descriptor, ...) {
    static const XMP_Site site = {nullptr, 0, "xmp_malloc"};
    va_list sizes;
    va_start(sizes, descriptor);
    void* const base = guarded(&site, [&] {
        Array& array = array_of(descriptor);
        std::vector<XMP_Bounds> bounds;
        for (int d = 0; d < array.rank; d++) bounds.push_back({0, static_cast<XMP_Index>(va_arg(sizes, size_t)) - 1});
        return allocate_array(array, bounds.data());
    });
    va_end(sizes);
    return base;
}

extern "C" void xmp_free(xmp_desc_t descriptor) {
    static const XMP_Site site = {nullptr, 0, "xmp_free"};
    guarded(&site, [&] { free_array(array_of(descriptor)); });
}
