// Copies between two sections of memory of this process, of which one may be another image's block. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "kumihimo/localview.h"
#include "sets/correspondence.hpp"

namespace kumihimo::localview {

// Throws base::Error where two sections differ in shape. A source of rank 0 fits every section.
void check_conforming(const XMP_Section& left, const XMP_Section& right);
bool empty(const XMP_Section& section);

// to = from; from may be of rank 0. `may_overlap`: both may lie in one block; then from is read before to is written.
void copy_section(std::byte* to, const XMP_Section& to_shape, const std::byte* from, const XMP_Section& from_shape,
                  std::size_t element_bytes, bool may_overlap);
void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes, bool may_overlap);

// `from` is of rank 0 or of the shape of `to`, or the other way round.
sets::Correspondence paired(const XMP_Section& to, const XMP_Section& from, std::size_t element_bytes);

// A section of the same counts without gaps; and its elements in order.
XMP_Section dense(const XMP_Section& shape, std::byte* address, std::size_t element_bytes);
std::size_t elements(const XMP_Section& shape);

}  // namespace kumihimo::localview
