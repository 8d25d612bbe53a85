// What is sent, and how it is recognised. Every block has a label (who sends it to whom) that decides all its bytes; every
// operand of a reduction is a small whole number, so that sums are exact in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace kumihimo::bench {

constexpr int any_root = 0, anyone = -1;  // in labels: where roots take turns, or all receive the same
std::uint64_t label(int source, int destination);

void fill_block(std::span<std::byte> block, std::uint64_t label);
std::int64_t wrong_bytes(std::span<const std::byte> block, std::uint64_t label);

void fill_operands(std::span<float> operands, int rank);
// Against the sum over the ranks 0 .. ranks - 1; operands[0] is element `first` of the whole vector.
std::int64_t wrong_sums(std::span<const float> operands, int ranks, std::int64_t first);

// Memory at the beginning of a page, touched once, so that no repetition pays for that.
class Memory {
public:
    explicit Memory(std::size_t bytes);
    std::span<std::byte> bytes() const { return {start_.get(), size_}; }
    std::span<float> floats() const { return {reinterpret_cast<float*>(start_.get()), size_ / sizeof(float)}; }
    std::byte* data() const { return start_.get(); }
    void forget() const;  // overwrites it with what no operation sends

private:
    struct Release {
        void operator()(std::byte* start) const;
    };
    std::size_t size_;
    std::unique_ptr<std::byte[], Release> start_;
};

}  // namespace kumihimo::bench
