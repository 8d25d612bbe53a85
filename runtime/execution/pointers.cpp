// Assignments to aligned pointers (specification 3.5): the descriptor follows the pointer, so that two arrays can be swapped.
#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/execution/array_table.hpp"

namespace kumihimo::execution {

namespace {

// The first thing in which an array differs from what the pointer's own directives say, or null. An array that was never
// allocated has no bounds to compare.
const char* difference(const Array& pointer, const Array& pointed) {
    if (pointer.rank != pointed.rank) return "rank";
    if (pointer.type != pointed.type || pointer.element_bytes != pointed.element_bytes) return "element type";
    if (pointer.bounds && !same_bounds(pointed, pointer.bounds->data())) return "bounds";
    if (pointer.shadow != pointed.shadow) return "shadow";
    if (pointer.alignment != pointed.alignment) return "alignment";
    if (pointer.target == pointed.target) return nullptr;
    const XMP_Template& target = *pointer.target;
    return target.fixed() && target.nodes->set == pointed.set && *target.mapping == pointed.mapping->target() ? nullptr
                                                                                                              : "distribution";
}

// array_at; throws where there is none of this layout.
Array& pointed_at(const Array& pointer, const void* address) {
    Array* const array = array_at(address);
    if (array == nullptr)
        throw base::Error(
            fmt::format("pointer {} gets an address at which no global array begins", pointer.name),
            fmt::format("Memory of an aligned pointer comes from xmp_malloc(xmp_desc_of({}), ...).", pointer.name));
    if (const char* const differs = difference(pointer, *array))
        throw base::Error(
            fmt::format("pointer {} gets the address of array {}, which differs in its {}", pointer.name, array->name, differs),
            "Only arrays of the same type, bounds, mapping and shadow can be exchanged. gmove copies between others.");
    return *array;
}

}  // namespace

// What a pointer leaves stays allocated, even if no other has it: the program may hold its address.
void point(XMP_Array*& descriptor, const void* address) {
    auto& before = array_of(static_cast<void*>(descriptor));
    if (address == nullptr || address == before.base) return;  // nodes outside the node array have no address to follow
    Array& after = pointed_at(before, address);
    before.references--;
    after.references++;
    descriptor = &after;
}

}  // namespace kumihimo::execution

using namespace kumihimo::execution;

extern "C" XMP_Array* XMP_Array_result(const XMP_Site* site, void* address) {
    return guarded(site, [&]() -> XMP_Array* {
        if (Array* const array = array_at(address)) return array;
        throw kumihimo::base::Error("a function returned an address at which no global array begins",
                                    "Set the pointer that is its result, to an array that exists when it returns.");
    });
}

extern "C" void* XMP_Array_point(const XMP_Site* site, XMP_Array** descriptor, const void* address) {
    guarded(site, [&] { point(*descriptor, address); });
    return const_cast<void*>(address);
}
