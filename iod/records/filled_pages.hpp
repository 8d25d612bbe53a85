// Records of parts of the file that fill up, as arrays that many ranks write by turns: pages in which each byte lies as in the
// file, and a bit says that it is there. To add a record is a copy and a few bits, whatever lies around it, so neighbours need
// not be found, and have become one when they leave. Where records stay far from each other pages would be empty memory: then
// ScatteredRecords holds them (RecordBuffer decides).
#pragma once

#include <absl/container/btree_map.h>

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "iod/records/batch.hpp"
#include "iod/records/slabs.hpp"
#include "iod/records/stretch.hpp"

namespace kumihimo::iod {

class ScatteredRecords;

class FilledPages {
public:
    // Functions are those of RecordBuffer, which says what they do.
    FilledPages(std::size_t capacity_bytes, std::size_t largest_record, Slabs& slabs, RecordCounts& counts);
    ~FilledPages();
    FilledPages(const FilledPages&) = delete;

    bool fits(std::size_t bytes, std::size_t records) const;
    void add(Offset offset, std::span<const std::byte> data);
    void add_under(Offset offset, std::span<const std::byte> data);

    bool empty() const { return index_.empty(); }
    std::size_t parts() const { return index_.size(); }
    std::size_t data_bytes() const { return data_bytes_; }
    std::size_t index_bytes() const { return slabs_.size() * pages_per_slab() * index_bytes_of_page; }
    Offset lowest() const;
    Offset highest_end() const;
    std::optional<Offset> first_overlapping(Offset begin, Offset end) const;
    std::optional<Stretch> stretch(std::size_t bytes) const;
    bool take(Offset begin, Offset end, Taken& taken, RecordSink& sink);

    // From time to time, when memory has become short: whether ScatteredRecords would take less than half of it.
    bool scattered();
    void move_to(ScatteredRecords& records);  // frees memory on the way; of no use afterwards

private:
    struct Page {
        Offset number;
        std::size_t filled;  // bytes that are there
    };
    static constexpr std::size_t head_bytes = 64, index_bytes_of_page = 64, recent_pages = 64;
    using Index = absl::btree_map<Offset, Page*>;

    static std::byte* bytes_of(Page* page) { return reinterpret_cast<std::byte*>(page) + head_bytes; }
    static const std::byte* bytes_of(const Page* page) { return reinterpret_cast<const std::byte*>(page) + head_bytes; }
    std::uint64_t* bits_of(Page* page) const { return reinterpret_cast<std::uint64_t*>(bytes_of(page) + page_room_); }
    const std::uint64_t* bits_of(const Page* page) const {
        return reinterpret_cast<const std::uint64_t*>(bytes_of(page) + page_room_);
    }
    std::size_t memory_of_page() const { return head_bytes + page_room_ + page_room_ / 8; }
    std::size_t pages_per_slab() const { return pool_.slab_bytes() / memory_of_page(); }
    std::size_t most_pages() const { return most_slabs_ * pages_per_slab(); }
    Offset begin_of(const Page* page) const { return page->number << page_bits_; }

    Page* page_of(Offset number);
    Page* make_page(Offset number);
    void free_page(Index::iterator entry);
    void add_slab();
    void put(Page* page, std::size_t at, std::span<const std::byte> data);
    bool holds(Offset at) const;
    std::size_t take_of_page(Index::iterator entry, Offset begin, Offset end, RecordSink& sink);
    std::size_t memory_if_scattered() const;
    template <typename Visit>
    void for_each_run(const Page* page, Visit&& visit) const;
    template <typename Part>
    void for_each_page(Offset offset, std::span<const std::byte> data, Part&& part);

    RecordCounts& counts_;
    std::size_t largest_;
    unsigned page_bits_;
    std::size_t page_bytes_, page_room_;  // page_room_: rounded up to whole words of bits
    Slabs& pool_;
    std::size_t most_slabs_, made_ = 0, next_look_ = 0;  // made_: pages so far, used again or not
    std::vector<PageMemory> slabs_;
    std::vector<Page*> free_;
    std::array<Page*, recent_pages> recent_{};  // by number: what a few ranks write to is found without a search
    Index index_;
    std::size_t data_bytes_ = 0;
};

}  // namespace kumihimo::iod
