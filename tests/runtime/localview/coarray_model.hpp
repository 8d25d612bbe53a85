// What the tests of this room share: coarrays as generated code declares them, and a serial model of all images' blocks, which
// every image computes for itself from the same random numbers.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "kumihimo/localview.h"
#include "tests/runtime/globalview/program.hpp"

namespace kumihimo::test {

using Bytes = std::vector<std::byte>;

// What image `image` has at place `at` in round `round`: cheap, and different everywhere.
inline std::byte content(int round, int image, std::size_t at) {
    return static_cast<std::byte>(round * 31 + image * 7 + static_cast<int>(at % 251) * 13 + static_cast<int>(at / 251));
}

inline Bytes contents(int round, int image, std::size_t bytes) {
    Bytes block(bytes);
    for (std::size_t at = 0; at < bytes; ++at) block[at] = content(round, image, at);
    return block;
}

// A section as offsets into a block.
struct ModelSection {
    std::ptrdiff_t first = 0;  // in bytes
    std::vector<Index> count, stride;

    XMP_Section in(void* block) const {
        XMP_Section section = {};
        section.address = static_cast<std::byte*>(block) + first;
        section.rank = static_cast<int>(count.size());
        std::copy(count.begin(), count.end(), section.count);
        std::copy(stride.begin(), stride.end(), section.stride);
        return section;
    }
    // Byte offsets of all elements, last dimension fastest.
    std::vector<std::ptrdiff_t> offsets() const {
        std::vector<std::ptrdiff_t> all = {first};
        for (std::size_t d = 0; d < count.size(); ++d) {
            std::vector<std::ptrdiff_t> next;
            for (const std::ptrdiff_t base : all)
                for (Index i = 0; i < count[d]; ++i) next.push_back(base + i * stride[d]);
            all = std::move(next);
        }
        return all;
    }
};

// A random section with these counts of an array that lies in `bytes` bytes; grows the array as needed to fit.
inline ModelSection random_section(Random& random, const std::vector<Index>& count, std::size_t element_bytes,
                                   std::size_t* bytes) {
    ModelSection section;
    section.count = count;
    section.stride.resize(count.size());
    auto extent = static_cast<Index>(element_bytes);  // of what lies inside this dimension
    for (std::size_t d = count.size(); d-- > 0;) {
        const Index step = random.between(1, 3) * (random.one_in(3) ? -1 : 1);
        const Index length = std::max<Index>(count[d], 1) * std::abs(step) + random.between(0, 2) * random.between(0, 1);
        section.stride[d] = step * extent;
        if (step < 0) section.first += (std::max<Index>(count[d], 1) - 1) * -step * extent;
        extent *= length;
    }
    *bytes = static_cast<std::size_t>(extent);
    return section;
}

inline std::vector<Index> random_counts(Random& random, int rank) {
    std::vector<Index> count;
    for (int d = 0; d < rank; ++d)
        count.push_back(random.one_in(20) ? 0 : random.between(1, rank == 1 ? 40 : rank == 2 ? 6 : 3));
    return count;
}

inline void copy_model(Bytes& to, const ModelSection& to_section, const Bytes& from, const ModelSection& from_section,
                       std::size_t element_bytes) {
    const auto targets = to_section.offsets(), sources = from_section.offsets();
    const Bytes before = from;
    for (std::size_t i = 0; i < targets.size(); ++i)
        std::memcpy(to.data() + targets[i], before.data() + sources[sources.size() == 1 ? 0 : i], element_bytes);
}

inline void sync_all() {
    xmp_sync_all(nullptr);
}

}  // namespace kumihimo::test
