// Parts of coarrays that are more than a section: `a[k]%b(i)%c(:)`. gfortran tells them as a chain of references, which is
// followed here through the memory of that image: its descriptors and pointers are read as they are now.
#pragma once

#include <optional>
#include <vector>

#include "runtime/caf/assignment.hpp"

namespace kumihimo::caf {

// What a chain leads to.
struct Part {
    Side side;
    std::vector<std::int64_t> shape;  // along each dimension that is not a single subscript, also where that is 1
};

// type and kind: of its elements. Throws base::Error where the image does not exist, something on the way is not allocated, or
// a subscript is outside of its bounds.
Part follow(const Token& token, int image, const Reference* reference, BasicType type, int kind);

// Whether everything on the way is allocated or associated.
bool is_present(const Token& token, int image, const Reference* reference);

// The allocatable component of this image that a chain names as a whole: an assignment to it may allocate it. holder is its
// descriptor if it is an array, else where its address is.
struct Whole {
    void* holder;
    void** token;
    bool array;
};
std::optional<Whole> whole_here(const Token& token, int image, const Reference* reference);

}  // namespace kumihimo::caf
