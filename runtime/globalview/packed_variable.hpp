// The variable of a bcast or a reduction as one run of memory: sections are packed, and unpacked when the operation is
// complete. A global array counts with the elements that this node owns; they must be the same on all nodes that take part
// (specification 4.5.4, 4.5.5).
#pragma once

#include <memory>

#include "runtime/globalview/gmove_sides.hpp"

namespace kumihimo::globalview {

class PackedVariable {
public:
    // Throws base::Error for subscripts outside the bounds, and where nodes of the set own other elements of it.
    PackedVariable(const XMP_Side& given, const execution::NodeSet& set);

    int type() const { return type_; }
    std::size_t bytes() const { return elements_ * element_bytes_; }
    std::size_t elements() const { return elements_; }

    std::byte* place(bool packs);  // the variable itself where it is one run, else a copy: filled if `packs`
    void unpack();                 // from there into the variable

private:
    explicit PackedVariable(const Side& side);

    std::byte* base_;
    int type_;
    std::size_t element_bytes_, elements_;
    Packing packing_;
    std::unique_ptr<std::byte[]> copy_;
};

}  // namespace kumihimo::globalview
