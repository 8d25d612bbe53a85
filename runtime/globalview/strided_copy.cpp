#include "runtime/globalview/strided_copy.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace kumihimo::globalview {

namespace {

constexpr std::size_t small_run = 1024;  // libc's memcpy is best below

// Elements of a fixed size with constant strides: the column of an array. Four at a time: the processor then computes fewer
// addresses than it stores elements.
template <typename Unit>
void copy_units(std::byte* __restrict to, std::ptrdiff_t to_stride, const std::byte* __restrict from,
                std::ptrdiff_t from_stride, std::int64_t count) {
    std::int64_t left = count;
    for (; left >= 4; left -= 4, to += 4 * to_stride, from += 4 * from_stride) {
        std::memcpy(to, from, sizeof(Unit));
        std::memcpy(to + to_stride, from + from_stride, sizeof(Unit));
        std::memcpy(to + 2 * to_stride, from + 2 * from_stride, sizeof(Unit));
        std::memcpy(to + 3 * to_stride, from + 3 * from_stride, sizeof(Unit));
    }
    for (std::int64_t i = 0; i < left; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(Unit));
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

// Rows become columns: in squares, so that the cache lines of both sides are used up while they are at hand. Squares of one
// cache line: the lines of larger ones displace each other where the rows are a power of two apart.
template <typename Unit>
void copy_squares(std::byte* to, const std::byte* from, const CopyLoop& outer, const CopyLoop& inner) {
    constexpr std::int64_t side = 64 / sizeof(Unit);
    for (std::int64_t i = 0; i < outer.count; i += side)
        for (std::int64_t j = 0; j < inner.count; j += side) {
            const std::int64_t rows = std::min(side, outer.count - i), columns = std::min(side, inner.count - j);
            std::byte* const target = to + i * outer.to + j * inner.to;
            const std::byte* const source = from + i * outer.from + j * inner.from;
            for (std::int64_t column = 0; column < columns; ++column)
                for (std::int64_t row = 0; row < rows; ++row)
                    std::memcpy(target + row * outer.to + column * inner.to, source + row * outer.from + column * inner.from,
                                sizeof(Unit));
        }
}

bool transposes(const CopyLoop* loop, std::size_t run_bytes) {
    return std::abs(loop[0].to) < std::abs(loop[1].to) && (run_bytes == 4 || run_bytes == 8 || run_bytes == 16);
}

void copy_transposed(std::byte* to, const std::byte* from, std::size_t run_bytes, const CopyLoop* loop) {
    if (run_bytes == 4)
        copy_squares<std::uint32_t>(to, from, loop[0], loop[1]);
    else if (run_bytes == 8)
        copy_squares<std::uint64_t>(to, from, loop[0], loop[1]);
    else
        copy_squares<Unit16>(to, from, loop[0], loop[1]);
}

void copy_nest(std::byte* to, const std::byte* from, std::size_t run_bytes, const CopyLoop* loop, int loops) {
    if (loops == 1) return copy_runs(to, from, run_bytes, *loop);
    if (loops == 2 && transposes(loop, run_bytes)) return copy_transposed(to, from, run_bytes, loop);
    for (std::int64_t i = 0; i < loop->count; ++i)
        copy_nest(to + i * loop->to, from + i * loop->from, run_bytes, loop + 1, loops - 1);
}

}  // namespace

namespace {

template <int bytes>
struct Wide;
template <>
struct Wide<16> {
    using Vector = std::uint64_t __attribute__((vector_size(16), aligned(1), may_alias));
};
template <>
struct Wide<32> {
    using Vector = std::uint64_t __attribute__((vector_size(32), aligned(1), may_alias));
};
template <>
struct Wide<64> {
    using Vector = std::uint64_t __attribute__((vector_size(64), aligned(1), may_alias));
};

// Four vectors at once, from the end to the beginning, which keeps loads clear of the stores before them (measured: 5 to 20 %
// faster than forwards); stores begin at a vector boundary, since those that cross cache lines cost most.
template <int vector_bytes>
[[gnu::always_inline]] inline void copy_vectors(std::byte* to, const std::byte* from, std::size_t bytes) {
    using Vector = typename Wide<vector_bytes>::Vector;
    constexpr std::size_t step = 4 * vector_bytes;
    std::memcpy(to + bytes - vector_bytes, from + bytes - vector_bytes, vector_bytes);
    std::size_t left = bytes - reinterpret_cast<std::uintptr_t>(to + bytes) % vector_bytes;
    for (; left >= step; left -= step) {
        const Vector* const source = reinterpret_cast<const Vector*>(from + left - step);
        Vector* const target = reinterpret_cast<Vector*>(to + left - step);
        const Vector a = source[0], b = source[1], c = source[2], d = source[3];
        target[3] = d, target[2] = c, target[1] = b, target[0] = a;
    }
    std::memcpy(to, from, left);
}

using CopyVectors = void (*)(std::byte*, const std::byte*, std::size_t);

// The longest run for vectors, and for one memcpy. On Zen 4 memcpy's `rep movsb` is a trap at any length. On Zen 5 vectors take
// 0.6 of its time while both sides fit into the first cache, and up to 2.4 times as long beyond; from 768 KiB on, where memcpy
// goes past the caches, pieces take 0.8 of its time. On others memcpy is 5 to 10 % faster than any loop of vectors.
struct Limits {
    std::size_t by_vectors, by_one_memcpy;
};
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

void copy_any(std::byte* to, const std::byte* from, std::size_t bytes) {
    copy_vectors<16>(to, from, bytes);
}

// Measured against libc's memcpy, which uses the widest vectors too: 16-byte vectors take 1.7 times as long inside a cache.
#if defined(__x86_64__)
[[gnu::target("avx2")]] void copy_avx2(std::byte* to, const std::byte* from, std::size_t bytes) {
    copy_vectors<32>(to, from, bytes);
}
[[gnu::target("avx512f")]] void copy_avx512(std::byte* to, const std::byte* from, std::size_t bytes) {
    copy_vectors<64>(to, from, bytes);
}
CopyVectors widest_copy() {
    if (__builtin_cpu_supports("avx512f")) return copy_avx512;
    return __builtin_cpu_supports("avx2") ? copy_avx2 : copy_any;
}
Limits limits() {
    if (!__builtin_cpu_is("amd")) return {0, unlimited};
    const bool before_zen_5 = __builtin_cpu_is("amdfam17h") || __builtin_cpu_is("amdfam19h");
    return before_zen_5 ? Limits{unlimited, unlimited} : Limits{std::size_t{24} << 10, std::size_t{256} << 10};
}
#else
CopyVectors widest_copy() {
    return copy_any;
}
Limits limits() {
    return {0, unlimited};
}
#endif

}  // namespace

void copy_run_by_vectors(std::byte* to, const std::byte* from, std::size_t bytes) {
    static const CopyVectors copy = widest_copy();
    if (bytes <= small_run)
        std::memcpy(to, from, bytes);
    else
        copy(to, from, bytes);
}

void copy_run(std::byte* to, const std::byte* from, std::size_t bytes) {
    static const Limits longest = limits();
    if (bytes <= longest.by_vectors) return copy_run_by_vectors(to, from, bytes);
    for (; bytes > longest.by_one_memcpy; bytes -= longest.by_one_memcpy) {
        std::memcpy(to, from, longest.by_one_memcpy);
        to += longest.by_one_memcpy, from += longest.by_one_memcpy;
    }
    std::memcpy(to, from, bytes);
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

StridedCopy StridedCopy::moved(std::ptrdiff_t to, std::ptrdiff_t from) const {
    StridedCopy copy = *this;
    copy.to_offset_ += to;
    copy.from_offset_ += from;
    return copy;
}

StridedCopy StridedCopy::inside(std::int64_t step) const {
    StridedCopy copy = moved(step * loop_[0].to, step * loop_[0].from);
    copy.bytes_ /= static_cast<std::size_t>(loop_[0].count);
    std::copy(loop_.begin() + 1, loop_.begin() + loops_, copy.loop_.begin());
    --copy.loops_;
    return copy;
}

StridedCopy StridedCopy::steps(std::int64_t first, std::int64_t count) const {
    StridedCopy copy = moved(first * loop_[0].to, first * loop_[0].from);
    copy.bytes_ = copy.bytes_ / static_cast<std::size_t>(loop_[0].count) * static_cast<std::size_t>(count);
    copy.loop_[0].count = count;
    return copy;
}

StridedCopy StridedCopy::part_of_run(std::size_t begin, std::size_t end) const {
    StridedCopy copy = moved(static_cast<std::ptrdiff_t>(begin), static_cast<std::ptrdiff_t>(begin));
    copy.run_bytes_ = copy.bytes_ = end - begin;
    return copy;
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
