// Sides of assignments and variables of clauses, described at each execution of their directive. In C++, where a function fills
// its caller's record; gcc's C fills one of its own and copies all 416 bytes.
#include <cstddef>
#include <cstring>

#include "records.h"
#include "types.h"

namespace {

static_assert(sizeof(XMP_Range) == sizeof(XMP_Triplet) && offsetof(XMP_Range, first) == offsetof(XMP_Triplet, first) &&
              offsetof(XMP_Range, step) == offsetof(XMP_Triplet, step));

// A bound of a global array that the program left out of a section.
XMP_Index bound(const XMP_Array* array, int d, bool upper) {
    int value = 0;
    (upper ? xmp_array_ubound : xmp_array_lbound)(const_cast<XMP_Array*>(array), d + 1, &value);
    return value;
}

// Kinds of subscripts: an element and an open section are as the C interface has them.
constexpr int first_last_step = 2;

// Where the C interface counts, what first:last:step was. A missing first is the lower bound, a missing last the upper one,
// whatever the step.
[[gnu::noinline]] void count(Side& side, const XMP_Range* subscripts) {
    for (int d = 0; d < side.side.rank; ++d) {
        const XMP_Range& given = subscripts[d];
        if (given.kind != first_last_step) continue;
        side.subscripts[d].section = 1;
        if (given.step == 0 || (given.last == XMP_OPEN && given.step > 0)) continue;  // the runtime refuses or counts
        const XMP_Index first = given.first == XMP_OPEN ? bound(side.side.array, d, false) : given.first;
        const XMP_Index last = given.last == XMP_OPEN ? bound(side.side.array, d, true) : given.last;
        const XMP_Index length = (last - first + given.step) / given.step;
        side.subscripts[d] = {1, first, length > 0 ? length : 0, given.step};
    }
}

}  // namespace

extern "C" {

Side XMP_Fortran_memory(const CFI_cdesc_t* variable, const char* text) {
    Side side;
    side.side.text = text;
    side.side.array = nullptr;
    side.side.address = variable->base_addr;
    side.side.type = XMP_Fortran_type(variable);
    side.side.element_bytes = variable->elem_len;
    side.side.rank = variable->rank <= XMP_MAX_RANK ? variable->rank : 0;  // Fortran 2008 has 15; the runtime refuses 0
    side.side.member = 0;
    for (int d = 0; d < side.side.rank; ++d) {
        const auto& dimension = variable->dim[d];
        side.subscripts[d] = {1, 0, dimension.extent, 1};
        side.extents[d] = dimension.extent;
        side.strides[d] = dimension.sm;
    }
    return side;
}

Side XMP_Fortran_global(const XMP_Array* array, const char* text, int rank, const XMP_Range* subscripts) {
    Side side;
    side.side.text = text;
    side.side.array = array;
    side.side.address = nullptr;
    side.side.type = 0;
    side.side.element_bytes = 0;
    side.side.rank = rank;
    side.side.member = 0;
    int kinds = 0;
    for (int d = 0; d < rank; ++d) {
        std::memcpy(&side.subscripts[d], &subscripts[d], sizeof subscripts[d]);  // two moves; by members there are eight
        kinds |= subscripts[d].kind;
    }
    if ((kinds & first_last_step) != 0) count(side, subscripts);
    return side;
}
}
