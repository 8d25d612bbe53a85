// Sections of global arrays as users describe them. XMP-IO and xmpnc both work on them; they know nothing of files.
#pragma once

#include <vector>

#include "kumihimo/xmp_io.h"
#include "runtime/execution/objects.hpp"

// A section as the user describes it; a dimension that was not set is whole.
struct xmp_range {
    struct Dimension {
        bool set = false;
        kumihimo::sets::Range range;
    };
    std::vector<Dimension> dimensions;
    bool valid = true;  // xmp_set_range returns nothing, so its errors show at the first use
};

namespace kumihimo::xmpio {

using sets::Index;
using sets::Range;

// One range of global indices for each dimension, as written.
using Section = std::vector<Range>;

// Throws base::Error if the range does not fit the array. rp NULL: the whole array.
Section section_of(const execution::Array& array, const xmp_range_t* rp);
Index elements(const Section& section);

}  // namespace kumihimo::xmpio
