// Global arrays as descriptors: declaration (specification 4.3.4, 4.3.5), addresses, element checks, release.
#include <algorithm>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/execution/array_table.hpp"
#include "runtime/execution/objects.hpp"

namespace kumihimo::execution {

ArrayTable& ArrayTable::get() {
    static ArrayTable* const table = new ArrayTable;
    return *table;
}

Array* owner_of(const void* base) {
    const auto& owners = ArrayTable::get().by_base;
    const auto found = owners.find(base);
    return found == owners.end() ? nullptr : found->second;
}

Array* array_at(const void* address) {
    if (!is_object(address)) return owner_of(address);
    return &array_of(const_cast<void*>(address));
}

Array* array_around(const void* address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    for (Array* const array : ArrayTable::get().arrays) {
        const auto begin = reinterpret_cast<std::uintptr_t>(array->base);
        if (array->segment && at >= begin && at - begin < std::max<std::size_t>(array->allocated_bytes(), 1)) return array;
    }
    return nullptr;
}

// ---- what every room asks an array ----

Index Array::coordinate(int d) const {
    const int onto = mapping->node_dimension(d);
    return onto < 0 || !target->nodes->member() ? 0 : target->nodes->coordinates[onto];
}

std::ptrdiff_t Array::stride_bytes(int d) const {
    auto stride = static_cast<std::ptrdiff_t>(element_bytes);
    if (order == sets::Order::row_major)
        for (int k = d + 1; k < rank; k++) stride *= dimension[k].length;
    else
        for (int k = 0; k < d; k++) stride *= dimension[k].length;
    return stride;
}

std::size_t Array::allocated_bytes() const {
    std::size_t bytes = element_bytes;
    for (int d = 0; d < rank; d++) bytes *= static_cast<std::size_t>(dimension[d].length);
    return bytes;
}

std::byte* Array::address(const std::vector<Index>& indices) const {
    std::ptrdiff_t offset = 0;
    for (int d = 0; d < rank; d++) offset += mapping->allocated_offset(d, coordinate(d), indices[d]) * stride_bytes(d);
    return static_cast<std::byte*>(base) + offset;
}

std::byte* Array::peer_base(int number) const {
    if (segment == nullptr) return nullptr;
    const int rank_there = segment_set == set ? number : segment_set->number_of(set->world_rank(number));
    std::byte* const start = rank_there < 0 ? nullptr : segment->direct(rank_there);
    return start == nullptr ? nullptr : start + segment_offset;
}

// ---- declaration ----

std::vector<sets::Alignment> alignment_of(const ArrayDeclaration& declaration) {
    std::vector<sets::Alignment> alignment;
    for (int d = 0; d < declaration.rank; d++) alignment.push_back({declaration.align[d].onto, declaration.align[d].offset});
    return alignment;
}

std::vector<sets::Shadow> shadow_of(const ArrayDeclaration& declaration) {
    std::vector<sets::Shadow> shadow(static_cast<std::size_t>(declaration.rank));
    for (int d = 0; d < declaration.rank && declaration.shadow != nullptr; d++) {
        const XMP_Width& width = declaration.shadow[d];
        const bool full = width.modifier == XMP_WIDTH_FULL;
        shadow[d] = {full ? 0 : width.lower, full ? 0 : width.upper, full};
    }
    return shadow;
}

std::unique_ptr<Array> describe(const ArrayDeclaration& declaration) {
    auto array = std::make_unique<Array>();
    array->name = declaration.name;
    array->order = declaration.order == XMP_ROW_MAJOR ? sets::Order::row_major : sets::Order::column_major;
    array->type = declaration.type;
    array->element_bytes = declaration.element_bytes;
    array->rank = declaration.rank;
    array->target = declaration.target;
    array->alignment = alignment_of(declaration);
    array->shadow = shadow_of(declaration);
    return array;
}

XMP_Array* declare_array(const ArrayDeclaration& declaration) {
    if (declaration.target->nodes == nullptr)
        throw base::Error(fmt::format("array {} is aligned with template {}, which is not distributed", declaration.name,
                                      declaration.target->name),
                          "Put the distribute directive before the align directive.");
    std::unique_ptr<Array> array = describe(declaration);
    if (declaration.bounds != nullptr) {
        array->bounds.emplace(declaration.bounds, declaration.bounds + declaration.rank);
        if (declaration.target->fixed())
            allocate_array(*array, declaration.bounds);
        else
            declaration.target->waiting.push_back(array.get());
    }
    Context::get().add_object(static_cast<XMP_Array*>(array.get()), Kind::array);
    ArrayTable::get().arrays.push_back(array.get());
    return array.release();
}

static void drop_forgotten(const Array* view) {
    std::erase_if(ArrayTable::get().forgotten, [&](const auto& known) {
        if (known.get() != view) return false;
        Context::get().remove_object(static_cast<XMP_Array*>(known.get()));
        return true;
    });
}

void release_array(XMP_Array* descriptor) {
    if (descriptor == nullptr || !is_object(descriptor)) return;
    auto* const array = static_cast<Array*>(descriptor);
    if (--array->references > 0) return;
    if (!array->owner) {  // a view stays with its owner, for the next call
        if (!array->allocated()) drop_forgotten(array);
        return;
    }
    free_array(*array);
    if (array->target != nullptr) std::erase(array->target->waiting, array);
    Context::get().remove_object(descriptor);
    std::erase(ArrayTable::get().arrays, array);
    delete array;
}

// ---- checks ----

bool same_bounds(const Array& array, const XMP_Bounds* bounds) {
    return std::equal(bounds, bounds + array.rank, array.bounds->begin(),
                      [](const XMP_Bounds& a, const XMP_Bounds& b) { return a.lower == b.lower && a.upper == b.upper; });
}

namespace {

// The first thing in which an extern declaration differs from the definition, or null.
const char* difference(const Array& array, const ArrayDeclaration& declaration) {
    if (array.rank != declaration.rank) return "rank";
    if (array.type != declaration.type || array.element_bytes != declaration.element_bytes) return "element type";
    const bool deferred = declaration.bounds == nullptr || !array.bounds;  // there is nothing to compare yet
    if (!deferred && !same_bounds(array, declaration.bounds)) return "bounds";
    if (array.alignment != alignment_of(declaration)) return "alignment";
    if (array.shadow != shadow_of(declaration)) return "shadow";
    const XMP_Template &defined = *array.target, &declared = *declaration.target;
    if (&defined == &declared) return nullptr;
    if (defined.rank != declared.rank || defined.fixed() != declared.fixed()) return "template";
    if (!defined.fixed()) return nullptr;
    return defined.nodes->set == declared.nodes->set && *defined.mapping == *declared.mapping ? nullptr : "distribution";
}

// Whether this node stores index along d of the array, shadow included.
bool stored(const Array& array, int d, Index index) {
    const XMP_Dimension& dimension = array.dimension[d];
    if (dimension.block == 0) return index >= dimension.origin && index < dimension.origin + dimension.length;
    return array.mapping->owned(d, array.coordinate(d)).contains(index);
}

std::string stored_text(const Array& array, int d) {
    const XMP_Dimension& dimension = array.dimension[d];
    if (dimension.length == 0) return "nothing";
    if (dimension.block == 0)
        return fmt::format("{} to {} with the shadow", dimension.origin, dimension.origin + dimension.length - 1);
    const sets::IndexSet owned = array.mapping->owned(d, array.coordinate(d));
    return fmt::format("{} of the indices {} to {}, dealt out in turn", owned.size(), owned.lowest(), owned.highest());
}

}  // namespace

std::string element_text(const Array& array, const XMP_Index* indices) {
    std::vector<std::string> subscripts;
    for (int d = 0; d < array.rank; d++) subscripts.push_back(std::to_string(indices[d]));
    return array.name + subscripts_text(array.order, subscripts);
}

void* stored_element(const Array& array, const XMP_Index* indices) {
    void* const address = stored_element_or_null(array, indices);
    if (address != nullptr) return address;
    const std::string text = element_text(array, indices);
    if (!array.allocated())
        throw base::Error(fmt::format("{} is used before {} is allocated", text, array.name),
                          "Call xmp_malloc for it, or execute template_fix for its template, before this.");
    if (!array.member()) throw base::Error(fmt::format("{} is not stored here: this node has no part of {}", text, array.name));
    for (int d = 0; d < array.rank; d++) {
        const XMP_Bounds& bounds = (*array.bounds)[d];
        if (indices[d] < bounds.lower || indices[d] > bounds.upper)
            throw base::Error(fmt::format("{} is outside {}, whose dimension {} has the subscripts {} to {}", text, array.name,
                                          d + 1, bounds.lower, bounds.upper));
        if (!stored(array, d, indices[d]))
            throw base::Error(
                fmt::format("{} is not stored here: in dimension {} this node stores {}", text, d + 1, stored_text(array, d)),
                "Loop on the template that the array is aligned with, widen the shadow and reflect it, or use gmove.");
    }
    throw base::Error(fmt::format("{} is not stored here", text));
}

// Offsets are counted from the dimension that varies slowest.
void* stored_element_or_null(const Array& array, const XMP_Index* indices) {
    if (!array.allocated() || !array.member()) return nullptr;
    std::ptrdiff_t offset = 0;
    for (int k = 0; k < array.rank; k++) {
        const int d = array.order == sets::Order::row_major ? k : array.rank - 1 - k;
        if (!stored(array, d, indices[d])) return nullptr;
        const XMP_Dimension& dimension = array.dimension[d];
        offset = offset * dimension.length + XMP_Subscript(&array, d, indices[d]) - dimension.origin;
    }
    return static_cast<std::byte*>(array.base) + offset * static_cast<std::ptrdiff_t>(array.element_bytes);
}

void expect_array(const XMP_Array* descriptor, const ArrayDeclaration& declaration) {
    const char* const differs = difference(array_of(static_cast<const void*>(descriptor)), declaration);
    if (differs != nullptr)
        throw base::Error(
            fmt::format("the extern declaration of array {} differs from its definition in its {}", declaration.name, differs),
            "Declare it through a header that both files include.");
}

void release_all_objects() {
    while (!ArrayTable::get().arrays.empty()) {
        Array* const array = ArrayTable::get().arrays.back();
        array->references = 1;
        array->target = nullptr;  // templates may be gone already
        release_array(array);
    }
    ArrayTable::get().foreign.clear();
    ArrayTable::get().forgotten.clear();
    for (const auto& [object, kind] : Context::get().objects()) {
        if (kind == Kind::target) delete static_cast<const XMP_Template*>(object);
        if (kind == Kind::nodes) delete static_cast<const XMP_Nodes*>(object);
    }
}

}  // namespace kumihimo::execution

using namespace kumihimo::execution;

extern "C" XMP_Array* XMP_Array_declare(const XMP_Site* site, const char* name, int order, int type, size_t element_bytes,
                                        int rank, const XMP_Bounds* bounds, XMP_Template* target, const XMP_Align* align,
                                        const XMP_Width* shadow) {
    return guarded(site, [&] {
        XMP_Array* const array = declare_array({name, order, type, element_bytes, rank, bounds, target, align, shadow});
        if (site != nullptr) static_cast<Array*>(array)->declared = *site;
        return array;
    });
}

extern "C" void XMP_Array_expect(const XMP_Site* site, const XMP_Array* array, const char* name, int order, int type,
                                 size_t element_bytes, int rank, const XMP_Bounds* bounds, XMP_Template* target,
                                 const XMP_Align* align, const XMP_Width* shadow) {
    guarded(site, [&] { expect_array(array, {name, order, type, element_bytes, rank, bounds, target, align, shadow}); });
}

extern "C" int XMP_Array_complete(int count, XMP_Array* const* arrays) {
    const auto executing = Context::get().executing();
    return std::all_of(arrays, arrays + count, [&](XMP_Array* descriptor) {
        const auto* const array = static_cast<const Array*>(descriptor);
        return array == nullptr || array->set == nullptr || array->set->subset_of(*executing);
    });
}

extern "C" int XMP_Array_shared(int count, XMP_Array* const* arrays) {
    return std::count_if(arrays, arrays + count, [](const XMP_Array* descriptor) {
               return !shared_by_all(*static_cast<const Array*>(descriptor));
           }) == 0;
}

extern "C" void XMP_Array_join(int count, XMP_Array* const* arrays) {
    std::for_each(arrays, arrays + count, [](XMP_Array* descriptor) {
        Array& array = array_of(static_cast<void*>(descriptor));
        Array* const owner = array.owner || array.base == nullptr ? &array : owner_of(array.base);
        guarded(&owner->declared, [&] { join_array(*owner); });
    });
}

extern "C" void XMP_Array_release(XMP_Array** array) {
    release_array(*array);
    *array = nullptr;
}

extern "C" void* XMP_Element(XMP_Place* place, const XMP_Array* descriptor, const XMP_Index* indices) {
    return guarded(&place->site, [&] { return stored_element(*static_cast<const Array*>(descriptor), indices); });
}
