// Copies of boxes of elements between blocks with different strides. Planned once (loops sorted and merged, the widest unit
// chosen), executed often. Pure: no MPI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kumihimo::globalview {

struct CopyLoop {
    std::int64_t count;
    std::ptrdiff_t to, from;  // bytes between two steps
};

class StridedCopy {
public:
    static constexpr int most_loops = 16;

    // Element (i, j, ...) goes from `from_offset` + i * loops[0].from + ... to `to_offset` + i * loops[0].to + ...
    StridedCopy(std::size_t element_bytes, std::ptrdiff_t to_offset, std::ptrdiff_t from_offset, const CopyLoop* loops,
                int count);

    void execute(std::byte* to, const std::byte* from) const;
    // The same elsewhere: bytes added to both offsets.
    StridedCopy moved(std::ptrdiff_t to, std::ptrdiff_t from) const;
    // Calls visit(copy) for a few boxes that together are the bytes [begin, end) of this one, counted in the order of its
    // loops.
    template <typename Visit>
    void for_each_box(std::size_t begin, std::size_t end, Visit&& visit) const {
        if (begin < end) cut(begin, end, visit);
    }
    // Calls visit(to, from, bytes) for each run that is contiguous on both sides: for what is more than a copy.
    template <typename Visit>
    void for_each_run(std::byte* to, const std::byte* from, Visit&& visit) const {
        if (bytes_ > 0) visit_runs(to + to_offset_, from + from_offset_, 0, visit);
    }
    std::size_t bytes() const { return bytes_; }
    std::size_t run_bytes() const { return run_bytes_; }
    bool contiguous() const { return loops_ == 0; }  // one run on both sides
    std::ptrdiff_t to_offset() const { return to_offset_; }
    std::ptrdiff_t from_offset() const { return from_offset_; }
    int loops() const { return loops_; }  // around the runs
    const CopyLoop& loop(int depth) const { return loop_[static_cast<std::size_t>(depth)]; }
    StridedCopy inside(std::int64_t step) const;  // what one step of the outermost loop copies

private:
    StridedCopy steps(std::int64_t first, std::int64_t count) const;  // of the outermost loop
    StridedCopy part_of_run(std::size_t begin, std::size_t end) const;

    template <typename Visit>
    void cut(std::size_t begin, std::size_t end, Visit& visit) const {
        if (begin == 0 && end == bytes_) return visit(*this);
        if (loops_ == 0) return visit(part_of_run(begin, end));
        const std::size_t each = bytes_ / static_cast<std::size_t>(loop_[0].count);
        std::size_t first = begin / each;
        const std::size_t last = end / each;
        const auto partly = [&](std::size_t step, std::size_t from, std::size_t to) {
            inside(static_cast<std::int64_t>(step)).cut(from, to, visit);
        };
        if (begin % each != 0) {
            partly(first, begin % each, end < (first + 1) * each ? end - first * each : each);
            ++first;
        }
        if (first < last) visit(steps(static_cast<std::int64_t>(first), static_cast<std::int64_t>(last - first)));
        if (first <= last && end % each != 0) partly(last, 0, end % each);
    }

    template <typename Visit>
    void visit_runs(std::byte* to, const std::byte* from, int depth, Visit& visit) const {
        if (depth == loops_) return visit(to, from, run_bytes_);
        const CopyLoop& loop = loop_[static_cast<std::size_t>(depth)];
        for (std::int64_t i = 0; i < loop.count; ++i) visit_runs(to + i * loop.to, from + i * loop.from, depth + 1, visit);
    }

    std::ptrdiff_t to_offset_, from_offset_;
    std::size_t run_bytes_, bytes_;  // contiguous on both sides; all
    int loops_ = 0;                  // around the runs, outermost first
    std::array<CopyLoop, most_loops> loop_;
};

// Calls visit(copy) for the bytes [begin, end) of all copies, one after the other.
template <typename Copies, typename Visit>
void for_each_box(const Copies& copies, std::size_t begin, std::size_t end, Visit&& visit) {
    std::size_t place = 0;
    for (const StridedCopy& copy : copies) {
        if (place >= end) return;
        const std::size_t next = place + copy.bytes();
        if (next > begin) copy.for_each_box(begin > place ? begin - place : 0, (end < next ? end : next) - place, visit);
        place = next;
    }
}

// memcpy, or a loop of vectors where that is faster: on Zen 4 `rep movsb` is up to 16 times slower where the distance of source
// and target is a little more than a multiple of 4096; on Zen 5 it is slower inside the first cache, and in one piece beyond.
void copy_run(std::byte* to, const std::byte* from, std::size_t bytes);
void copy_run_by_vectors(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace kumihimo::globalview
