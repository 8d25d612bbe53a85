// The sort buffer of Catwalk (the paper on Catwalk, section 3): records of the file, sorted by offset, in bounded memory. Later
// records win over earlier ones that they overlap; adjacent ones leave together. Pure: no file, no socket, no thread. It begins
// with pages that fill up, and goes over to scattered records, until it is empty again, if pages stay nearly empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "iod/records/batch.hpp"
#include "iod/records/slabs.hpp"
#include "iod/records/stretch.hpp"

namespace kumihimo::iod {

class FilledPages;
class ScatteredRecords;

class RecordBuffer {
public:
    // capacity_bytes: data and bookkeeping together; at least what three largest records take. largest_record: DATA_MAX. merge:
    // whether adjacent records become one.
    RecordBuffer(std::size_t capacity_bytes, std::size_t largest_record, bool merge);
    ~RecordBuffer();

    // So many records, of so many bytes together, may be added now.
    bool fits(std::size_t bytes, std::size_t records = 1) const;
    void add(Offset offset, std::span<const std::byte> data);
    // Adds what is older than anything here: only where there is nothing yet.
    void add_under(Offset offset, std::span<const std::byte> data);
    // Nothing that leaves with others lies on both sides of `at`.
    void split(Offset at);

    bool empty() const;
    std::size_t parts() const;         // that a look at all of it visits
    std::size_t data_bytes() const;    // that will leave
    std::size_t memory_bytes() const;  // taken now, at most the capacity
    Offset lowest() const;             // of a buffer that is not empty
    Offset highest_end() const;
    bool overlaps(Offset begin, Offset end) const { return first_overlapping(begin, end).has_value(); }
    std::optional<Offset> first_overlapping(Offset begin, Offset end) const;  // from where to take, so that it leaves
    // The first stretch of adjacent records, at least so many bytes together.
    std::optional<Stretch> stretch(std::size_t bytes) const;

    // Takes the lowest record out, merged with its neighbours up to largest_record if this buffer merges. Only what begins in
    // [begin, end); false: there is nothing.
    bool take(Offset begin, Offset end, Taken& taken, RecordSink& sink);

    const RecordCounts& counts() const { return counts_; }

private:
    template <typename Ask>
    auto held(Ask&& ask) const;
    void begin();
    void scatter();
    std::unique_ptr<ScatteredRecords> scattered_records();

    std::size_t capacity_, largest_;
    bool merge_;
    Slabs slabs_;
    RecordCounts counts_;
    // One of them holds everything.
    std::unique_ptr<FilledPages> pages_;
    std::unique_ptr<ScatteredRecords> scattered_;
};

}  // namespace kumihimo::iod
