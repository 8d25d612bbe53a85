// What programs compiled with --check ask before an array assignment (specification 3.1, 3.2): are the subscripts of each
// section inside the array, do the sections have equally many elements, are all indices of an image in range.
#include "base/error.hpp"
#include "base/format.hpp"
#include "kumihimo/localview.h"
#include "runtime/execution/guard.hpp"

namespace kumihimo::localview {

namespace {

void check_section(XMP_Index size, XMP_Index begin, XMP_Index count, XMP_Index step) {
    if (step == 0) throw base::Error("the step of the section is 0", "Write a step that is not 0.");
    if (count < 1)
        throw base::Error(fmt::format("the section has {} elements", count), "The length of a section must be positive.");
    const XMP_Index last = begin + (count - 1) * step;
    for (const XMP_Index index : {begin, last})
        if (index < 0 || index >= size)
            throw base::Error(fmt::format("the section reaches element {} of a dimension of {} elements", index, size),
                              "Sections are written [base:length:step]; elements count from 0.");
}

void check_counts(int dimension, XMP_Index left, XMP_Index right) {
    if (left != right)
        throw base::Error(
            fmt::format("dimension {} has {} elements on the left side and {} on the right side", dimension, left, right),
            "All sections of an array assignment have the same shape.");
}

void check_coindex(int codimension, XMP_Index size, XMP_Index index) {
    if (index < 0 || index >= size)
        throw base::Error(fmt::format("index {} of the image is {}, and that codimension has {}", codimension, index, size),
                          "Image indices count from 0, or from 1 with --coindex-base=1.");
}

}  // namespace

}  // namespace kumihimo::localview

using namespace kumihimo;
using execution::guarded;

void XMP_Check_section(const XMP_Site* site, XMP_Index size, XMP_Index begin, XMP_Index count, XMP_Index step) {
    guarded(site, [&] { localview::check_section(size, begin, count, step); });
}

void XMP_Check_counts(const XMP_Site* site, int dimension, XMP_Index left, XMP_Index right) {
    guarded(site, [&] { localview::check_counts(dimension, left, right); });
}

XMP_Index XMP_Check_coindex(const XMP_Site* site, int codimension, XMP_Index size, XMP_Index index) {
    guarded(site, [&] { localview::check_coindex(codimension, size, index); });
    return index;
}
