// The elements of a descriptor one behind the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "copying/execute.hpp"
#include "runtime/caf/plain.hpp"

namespace kumihimo::caf {

// A variable as bytes without gaps: its own, or a copy which `store` writes back.
class Bytes {
public:
    explicit Bytes(const Descriptor& variable) : variable_(variable) {
        for (int d = 0; d < variable.type.rank; ++d)
            count_ *= static_cast<std::size_t>(
                std::max<std::ptrdiff_t>(0, variable.dimension[d].upper - variable.dimension[d].lower + 1));
        if (bytes() == 0 || run_of(variable) == bytes()) return;
        copy_ = std::make_unique<std::byte[]>(bytes());
        copying::execute(between(false), copy_.get(), static_cast<const std::byte*>(variable.base));
    }
    std::byte* data() const { return copy_ ? copy_.get() : static_cast<std::byte*>(variable_.base); }
    std::size_t count() const { return count_; }
    std::size_t element_bytes() const { return variable_.type.element_bytes; }
    std::size_t bytes() const { return count_ * element_bytes(); }
    void store() const {
        if (copy_) copying::execute(between(true), static_cast<std::byte*>(variable_.base), copy_.get());
    }

private:
    // Between the variable and the copy. A stride of 1 is an element: gfortran 12 leaves the span out where it passes a
    // component.
    sets::Correspondence between(bool back) const {
        sets::PairedLevel levels[most_rank];
        const int rank = variable_.type.rank;
        auto dense = static_cast<std::ptrdiff_t>(element_bytes());
        for (int d = 0; d < rank; ++d) {
            const DescriptorDimension& dimension = variable_.dimension[d];
            const std::int64_t count = dimension.upper - dimension.lower + 1;
            levels[rank - 1 - d] = {count, dense, dimension.stride * static_cast<std::ptrdiff_t>(element_bytes())};
            dense *= count;
        }
        const sets::Correspondence packing(static_cast<sets::Index>(element_bytes()), {levels, static_cast<std::size_t>(rank)});
        return back ? packing.turned() : packing;
    }
    const Descriptor& variable_;
    std::size_t count_ = 1;
    std::unique_ptr<std::byte[]> copy_;
};

}  // namespace kumihimo::caf
