#include "runtime/execution/objects.hpp"

namespace kumihimo::execution {

namespace {

const void* checked(const void* descriptor, Kind wanted, const char* noun) {
    if (kind_of(descriptor) != wanted) throw base::Error(std::string("the descriptor is not one of a ") + noun);
    return descriptor;
}

}  // namespace

XMP_Nodes& nodes_of(const void* descriptor) {
    return *static_cast<XMP_Nodes*>(const_cast<void*>(checked(descriptor, Kind::nodes, "node array")));
}

XMP_Template& template_of(const void* descriptor) {
    return *static_cast<XMP_Template*>(const_cast<void*>(checked(descriptor, Kind::target, "template")));
}

// Descriptors of arrays are addresses of their XMP_Array part.
const Array& array_of(const void* descriptor) {
    return *static_cast<const Array*>(static_cast<const XMP_Array*>(checked(descriptor, Kind::array, "global array")));
}

Array& array_of(void* descriptor) {
    return const_cast<Array&>(array_of(static_cast<const void*>(descriptor)));
}

std::string subscripts_text(sets::Order order, const std::vector<std::string>& subscripts) {
    const bool brackets = order == sets::Order::row_major;
    std::string text;
    for (std::size_t d = 0; d < subscripts.size(); d++)
        text += brackets ? "[" + subscripts[d] + "]" : (d == 0 ? "(" : ",") + subscripts[d];
    return brackets ? text : text + ")";
}

}  // namespace kumihimo::execution
