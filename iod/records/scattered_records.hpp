// Records that stay far from each other: chains of cells in a B-tree by offset; none overlaps another. A B-tree, since with
// millions of small records in any order a binary tree's cache misses cost three times as much.
#pragma once

#include <absl/container/btree_map.h>

#include <optional>
#include <span>

#include "iod/records/batch.hpp"
#include "iod/records/cells.hpp"
#include "iod/records/stretch.hpp"

namespace kumihimo::iod {

// Counts what the index takes, for the bound on memory.
template <typename T>
struct CountingAllocator {
    using value_type = T;
    std::size_t* bytes;

    explicit CountingAllocator(std::size_t* counter) : bytes(counter) {}
    template <typename U>
    CountingAllocator(const CountingAllocator<U>& other) : bytes(other.bytes) {}
    T* allocate(std::size_t n) {
        *bytes += n * sizeof(T);
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* place, std::size_t n) {
        *bytes -= n * sizeof(T);
        std::allocator<T>().deallocate(place, n);
    }
    template <typename U>
    bool operator==(const CountingAllocator<U>& other) const {
        return bytes == other.bytes;
    }
};

class ScatteredRecords {
public:
    // Functions are those of RecordBuffer, which says what they do.
    ScatteredRecords(std::size_t capacity_bytes, std::size_t largest_record, bool merge, Slabs& slabs, RecordCounts& counts);

    // About what a record of so many bytes takes.
    static std::size_t memory_of(std::size_t bytes) { return Cells::memory_of(bytes) + bytes_of_index_entry; }

    bool fits(std::size_t bytes, std::size_t records) const;
    void add(Offset offset, std::span<const std::byte> data);
    void add_under(Offset offset, std::span<const std::byte> data);
    void split(Offset at);

    bool empty() const { return index_.empty(); }
    std::size_t parts() const { return index_.size(); }
    std::size_t data_bytes() const { return data_bytes_; }
    std::size_t index_bytes() const { return index_bytes_; }
    Offset lowest() const { return index_.begin()->first; }
    Offset highest_end() const { return end_of(std::prev(index_.end())); }
    std::optional<Offset> first_overlapping(Offset begin, Offset end) const;
    std::optional<Stretch> stretch(std::size_t bytes) const;
    bool take(Offset begin, Offset end, Taken& taken, RecordSink& sink);

private:
    using Index = absl::btree_map<Offset, Cells::Chain, std::less<>, CountingAllocator<std::pair<const Offset, Cells::Chain>>>;
    using Entry = Index::iterator;
    static constexpr std::size_t bytes_of_index_entry = 32;

    std::size_t least_capacity() const;
    template <typename AnyEntry>
    static Offset end_of(AnyEntry entry) {
        return entry->first + entry->second.bytes;
    }
    bool may_become_one(std::size_t one, std::size_t other) const { return merge_ && one + other <= largest_; }

    template <typename AnyIndex>
    static auto first_ending_behind(AnyIndex& index, Offset offset);
    Entry near_last(Offset offset);
    void put(Entry next, Offset offset, std::span<const std::byte> data);
    void join_with_next(Entry entry);
    Entry erase(Entry entry);
    void split(Entry entry, Offset at);
    void cut(Offset begin, Offset end);

    RecordCounts& counts_;
    std::size_t largest_;
    bool merge_;
    Cells cells_;
    std::size_t capacity_, index_bytes_ = 0, data_bytes_ = 0;
    Index index_;
    Entry last_;  // the record that was added last: most records follow it. end(): unknown
};

}  // namespace kumihimo::iod
