// Operations on elements, without transport.
#include "runtime/transport/elements.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "kumihimo/generated.h"

namespace kumihimo::transport {
namespace {

TEST(Elements, RefusesWhatHasNoMeaning) {
    EXPECT_THROW(combine_of(Reduction::bit_and, XMP_TYPE_DOUBLE), base::Error);
    EXPECT_THROW(combine_of(Reduction::sum, XMP_TYPE_OTHER), base::Error);
    EXPECT_THROW(bytes_of_type(XMP_TYPE_LOGICAL), base::Error);
    EXPECT_EQ(bytes_of_type(XMP_TYPE_DOUBLE_COMPLEX), 16u);
}

}  // namespace
}  // namespace kumihimo::transport
