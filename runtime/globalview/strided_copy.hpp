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

private:
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

// memcpy, but not where that uses `rep movsb` badly: on Zen 4 it is up to 16 times slower where the distance of source and
// target is a little more than a multiple of 4096. There it is a loop of vectors.
void copy_run(std::byte* to, const std::byte* from, std::size_t bytes);
void copy_run_by_vectors(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace kumihimo::globalview
