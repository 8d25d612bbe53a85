// The memory of a sort buffer: cells of one size, chained into records. Any cell serves any record, so that a buffer from which
// records leave in another order than they came never has holes too small to use, and its size is known exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "iod/records/batch.hpp"
#include "iod/records/slabs.hpp"

namespace kumihimo::iod {

class Cells {
public:
    using Number = std::uint32_t;
    struct Chain {
        Number first, last;
        std::uint32_t bytes;
    };

    explicit Cells(Slabs& slabs);
    ~Cells();
    Cells(const Cells&) = delete;

    Chain store(std::span<const std::byte> data);  // data is not empty
    void append(Chain& chain, std::span<const std::byte> data);
    void join(Chain& front, const Chain& back);    // front takes back over
    Chain split(Chain& chain, std::size_t bytes);  // chain keeps its first bytes; 0 < bytes < chain.bytes
    void copy(const Chain& chain, RecordSink& sink) const;
    void release(const Chain& chain);

    static constexpr std::size_t memory_of(std::size_t bytes) {
        return (bytes + Cell::capacity - 1) / Cell::capacity * sizeof(Cell);
    }
    // What they take at most after so many chains were stored, of so many bytes together, each of which split one that
    // was there at both its ends.
    std::size_t memory_bytes_with(std::size_t bytes, std::size_t chains) const;

private:
    static constexpr Number none = ~Number{0};
    struct Cell {
        static constexpr std::size_t capacity = 248;  // 256 with the rest
        Number next;
        std::uint16_t begin, end;  // what is used of data
        std::byte data[capacity];
    };
    std::size_t cells_per_slab() const { return std::size_t{1} << slab_bits_; }
    Cell& cell(Number number) const {
        return reinterpret_cast<Cell*>(slabs_[number >> slab_bits_].get())[number & (cells_per_slab() - 1)];
    }
    Number allocate();

    Slabs& pool_;
    unsigned slab_bits_;
    std::vector<PageMemory> slabs_;
    Number free_ = none;    // the cells that were used before, the last one first: it is in the cache
    Number untouched_ = 0;  // cells from here on hold nothing and are in no list
    std::size_t used_ = 0;
};

}  // namespace kumihimo::iod
