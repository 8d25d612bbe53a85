// Programs that plain gcc compiled without their directives (kumihimo/serial.h): their arrays are memory of their own, which
// becomes that of global arrays on one node as soon as xmp_desc_of names it.
#include "kumihimo/serial.h"

#include <algorithm>
#include <cstdlib>
#include <list>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/execution/objects.hpp"

namespace kumihimo::execution {

namespace {

constexpr XMP_Index largest = XMP_Index{1} << 48;  // of a template's dimension, which must enclose any array

// A pointer that xmp_malloc gives memory to. Its address is its descriptor until it has some.
struct Pointer {
    std::string name;
    int type;
    std::size_t element_bytes;
    std::vector<XMP_Index> sizes;
    void** variable;
    void* memory = nullptr;
};

std::list<Pointer>& pointers() {
    static auto& list = *new std::list<Pointer>;  // lives until the process ends
    return list;
}

// One for each rank: block in the first dimension, on one node.
XMP_Template* template_of(const XMP_Site* site, int rank) {
    static std::vector<XMP_Template*>& templates = *new std::vector<XMP_Template*>(XMP_MAX_RANK + 1);
    static XMP_Nodes* nodes = nullptr;
    constexpr XMP_Index one = 1;
    if (nodes == nullptr) nodes = XMP_Nodes_declare(site, "the only node", XMP_ROW_MAJOR, 1, &one, XMP_NODES_ENTIRE, nullptr);
    XMP_Template*& target = templates[static_cast<std::size_t>(rank)];
    if (target != nullptr) return target;
    const std::vector<XMP_Bounds> bounds(static_cast<std::size_t>(rank), XMP_Bounds{0, largest});
    std::vector<XMP_Format> formats(static_cast<std::size_t>(rank));
    for (std::size_t d = 0; d < formats.size(); ++d)
        formats[d] = d == 0 ? XMP_Format XMP_FORMAT_BLOCK(0, 0) : XMP_Format XMP_FORMAT_NONE;
    target = XMP_Template_declare(site, "the only node's", XMP_ROW_MAJOR, rank, bounds.data());
    XMP_Distribute(site, target, nodes, formats.data());
    return target;
}

void check_rank(int rank, const char* name) {
    if (rank < 1 || rank > XMP_MAX_RANK)
        throw base::Error(fmt::format("{} has {} dimensions; an array has 1 to {}", name, rank, XMP_MAX_RANK));
}

XMP_Array* describe(const XMP_Site* site, const char* name, int type, std::size_t element_bytes,
                    const std::vector<XMP_Index>& sizes, void* memory) {
    const int rank = static_cast<int>(sizes.size());
    std::vector<XMP_Bounds> bounds;
    std::vector<XMP_Align> alignment;
    for (int d = 0; d < rank; ++d) {
        bounds.push_back({0, sizes[static_cast<std::size_t>(d)] - 1});
        alignment.push_back({d, 0});
    }
    return memory_as_array(
        {name, XMP_ROW_MAJOR, type, element_bytes, rank, bounds.data(), template_of(site, rank), alignment.data(), nullptr},
        memory);
}

// The pointer itself, or another one to the same memory: a parameter of a function.
Pointer* known_pointer(void** variable) {
    auto& list = pointers();
    const auto has = [&](auto&& property) {
        const auto found = std::find_if(list.begin(), list.end(), property);
        return found == list.end() ? nullptr : &*found;
    };
    if (Pointer* const same = has([&](const Pointer& one) { return one.memory != nullptr && one.memory == *variable; }))
        return same;
    return has([&](const Pointer& one) { return one.variable == variable; });
}

Pointer& pointer_of(const void* descriptor) {
    for (Pointer& one : pointers()) {
        if (&one == descriptor) return one;
        if (one.memory != nullptr && is_object(descriptor) && kind_of(descriptor) == Kind::array &&
            array_of(const_cast<void*>(descriptor)).base == one.memory)
            return one;
    }
    throw base::Error("this is not the descriptor of a pointer", "Write xmp_malloc(xmp_desc_of(a), ...) for a pointer a.");
}

void* allocate(Pointer& pointer, int rank, const XMP_Index* sizes) {
    if (rank != static_cast<int>(pointer.sizes.size()))
        throw base::Error(fmt::format("{} has {}, but xmp_malloc gets {}", pointer.name,
                                      base::counted(static_cast<long long>(pointer.sizes.size()), "dimension"),
                                      base::counted(rank, "size")));
    std::size_t elements = 1;
    for (int d = 0; d < rank; ++d) {
        if (sizes[d] < 1) throw base::Error(fmt::format("dimension {} of {} has {} elements", d + 1, pointer.name, sizes[d]));
        if (d > 0 && sizes[d] != pointer.sizes[static_cast<std::size_t>(d)])
            throw base::Error(fmt::format("dimension {} of {} is declared with {} elements, but xmp_malloc gets {}", d + 1,
                                          pointer.name, pointer.sizes[static_cast<std::size_t>(d)], sizes[d]));
        elements *= static_cast<std::size_t>(sizes[d]);
    }
    pointer.sizes.assign(sizes, sizes + rank);
    pointer.memory = std::calloc(elements, pointer.element_bytes);
    if (pointer.memory == nullptr)
        throw base::Error(
            fmt::format("no memory for {}: {}", pointer.name, base::bytes_text(elements * pointer.element_bytes)));
    return pointer.memory;
}

}  // namespace

}  // namespace kumihimo::execution

using namespace kumihimo;
using namespace kumihimo::execution;

extern "C" void XMP_Serial_start(void) {
    if (Context::get().running()) return;
    XMP_Start(nullptr, nullptr);
    guarded(nullptr, [] {
        if (Context::get().world_size() > 1)
            throw base::Error(
                fmt::format("this is a serial program, started on {}", base::counted(Context::get().world_size(), "node")),
                "Plain gcc compiled it, without its directives: compile it by xmpcc, or start it by its name.");
    });
}

extern "C" void* XMP_Serial_descriptor(const XMP_Site* site, const char* name, int type, int rank, const size_t* bytes,
                                       void* variable, int is_pointer) {
    return guarded(site, [&]() -> void* {
        check_rank(rank, name);
        const std::size_t element_bytes = bytes[rank];
        std::vector<XMP_Index> all;
        for (int d = 0; d < rank; ++d)
            all.push_back(static_cast<XMP_Index>(bytes[d] / bytes[d + 1]));  // of a pointer's first: any
        if (!is_pointer) return describe(site, name, type, element_bytes, all, variable);
        Pointer* pointer = known_pointer(static_cast<void**>(variable));
        if (pointer == nullptr)
            pointer = &pointers().emplace_back(Pointer{name, type, element_bytes, all, static_cast<void**>(variable)});
        if (pointer->memory == nullptr) return pointer;
        return describe(site, pointer->name.c_str(), pointer->type, pointer->element_bytes, pointer->sizes, pointer->memory);
    });
}

extern "C" void* XMP_Serial_malloc(const XMP_Site* site, void* descriptor, int rank, const XMP_Index* sizes) {
    return guarded(site, [&] { return allocate(pointer_of(descriptor), rank, sizes); });
}

extern "C" void XMP_Serial_free(const XMP_Site* site, void* descriptor) {
    guarded(site, [&] {
        Pointer& pointer = pointer_of(descriptor);
        std::free(pointer.memory);
        pointer.memory = nullptr;
    });
}
