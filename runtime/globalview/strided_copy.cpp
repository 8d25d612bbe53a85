#include "runtime/globalview/strided_copy.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace kumihimo::globalview {

namespace {

constexpr std::size_t small_run = 1024;  // libc's memcpy is best below

// Elements of a fixed size with constant strides: the column of an array.
template <typename Unit>
void copy_units(std::byte* __restrict to, std::ptrdiff_t to_stride, const std::byte* __restrict from,
                std::ptrdiff_t from_stride, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(Unit));
}

// One side contiguous, as in packing: the compiler then needs no second stride.
template <typename Unit>
void copy_column(std::byte* to, std::ptrdiff_t to_stride, const std::byte* from, std::ptrdiff_t from_stride,
                 std::int64_t count) {
    constexpr std::ptrdiff_t dense = sizeof(Unit);
    if (to_stride == dense)
        copy_units<Unit>(to, dense, from, from_stride, count);
    else if (from_stride == dense)
        copy_units<Unit>(to, to_stride, from, dense, count);
    else
        copy_units<Unit>(to, to_stride, from, from_stride, count);
}

struct Unit16 {
    std::uint64_t halves[2];
};

void copy_runs(std::byte* to, const std::byte* from, std::size_t run_bytes, const CopyLoop& loop) {
    switch (run_bytes) {
        case 1:
            return copy_column<std::uint8_t>(to, loop.to, from, loop.from, loop.count);
        case 2:
            return copy_column<std::uint16_t>(to, loop.to, from, loop.from, loop.count);
        case 4:
            return copy_column<std::uint32_t>(to, loop.to, from, loop.from, loop.count);
        case 8:
            return copy_column<std::uint64_t>(to, loop.to, from, loop.from, loop.count);
        case 16:
            return copy_column<Unit16>(to, loop.to, from, loop.from, loop.count);
        default:
            for (std::int64_t i = 0; i < loop.count; ++i) copy_run(to + i * loop.to, from + i * loop.from, run_bytes);
    }
}

void copy_nest(std::byte* to, const std::byte* from, std::size_t run_bytes, const CopyLoop* loop, int loops) {
    if (loops == 1) return copy_runs(to, from, run_bytes, *loop);
    for (std::int64_t i = 0; i < loop->count; ++i)
        copy_nest(to + i * loop->to, from + i * loop->from, run_bytes, loop + 1, loops - 1);
}

}  // namespace

void copy_run(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (bytes <= small_run) {
        std::memcpy(to, from, bytes);
        return;
    }
    using Vector = std::uint64_t __attribute__((vector_size(32), aligned(1), may_alias));
    const std::size_t whole = bytes & ~std::size_t{127};
    for (std::size_t i = 0; i < whole; i += 128) {
        const Vector* const source = reinterpret_cast<const Vector*>(from + i);
        Vector* const target = reinterpret_cast<Vector*>(to + i);
        const Vector a = source[0], b = source[1], c = source[2], d = source[3];
        target[0] = a, target[1] = b, target[2] = c, target[3] = d;
    }
    std::memcpy(to + whole, from + whole, bytes - whole);
}

StridedCopy::StridedCopy(std::size_t element_bytes, std::ptrdiff_t to_offset, std::ptrdiff_t from_offset, const CopyLoop* loops,
                         int count)
    : to_offset_(to_offset), from_offset_(from_offset), run_bytes_(element_bytes), bytes_(element_bytes) {
    std::array<CopyLoop, most_loops> sorted;
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        bytes_ *= static_cast<std::size_t>(loops[i].count);
        if (loops[i].count != 1) sorted[kept++] = loops[i];
    }
    std::sort(sorted.begin(), sorted.begin() + kept, [](const CopyLoop& a, const CopyLoop& b) {
        return std::abs(a.from) != std::abs(b.from) ? std::abs(a.from) > std::abs(b.from) : std::abs(a.to) > std::abs(b.to);
    });
    for (int i = kept - 1; i >= 0; --i) {  // from the innermost
        const CopyLoop& loop = sorted[i];
        const auto run = static_cast<std::ptrdiff_t>(run_bytes_);
        if (loops_ == 0 && loop.to == run && loop.from == run) {
            run_bytes_ *= static_cast<std::size_t>(loop.count);
            continue;
        }
        if (loops_ > 0) {  // continues the loop inside it?
            CopyLoop& inner = loop_[loops_ - 1];
            if (loop.to == inner.to * inner.count && loop.from == inner.from * inner.count) {
                inner.count *= loop.count;
                continue;
            }
        }
        loop_[loops_++] = loop;
    }
    std::reverse(loop_.begin(), loop_.begin() + loops_);
}

void StridedCopy::execute(std::byte* to, const std::byte* from) const {
    to += to_offset_;
    from += from_offset_;
    if (bytes_ == 0) return;
    if (loops_ == 0)
        copy_run(to, from, run_bytes_);
    else
        copy_nest(to, from, run_bytes_, loop_.data(), loops_);
}

}  // namespace kumihimo::globalview
