// The sort buffer of Catwalk (paper 003, section 3): records of the file, sorted by offset, in bounded memory. Later records
// win over earlier ones that they overlap; adjacent ones leave together. Pure: no file, no socket, no thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "iod/records/batch.hpp"

namespace kumihimo::iod {

struct Stretch {
    Offset begin, end;
};

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
    // A record that lies on both sides of `at` becomes two.
    void split(Offset at);

    bool empty() const;
    std::size_t records() const;
    std::size_t data_bytes() const;    // that will leave
    std::size_t memory_bytes() const;  // taken now, at most the capacity
    Offset lowest() const;             // of a buffer that is not empty
    Offset highest_end() const;
    bool overlaps(Offset begin, Offset end) const { return first_overlapping(begin, end).has_value(); }
    std::optional<Offset> first_overlapping(Offset begin, Offset end) const;  // where the first such record begins
    // The first stretch of adjacent records, at least so many bytes together.
    std::optional<Stretch> stretch(std::size_t bytes) const;

    // Takes the lowest record out, merged with its neighbours up to largest_record if this buffer merges. Only records that
    // begin in [begin, end); false: there is none.
    struct Taken {
        Offset offset;
        std::size_t bytes;
    };
    bool take(Offset begin, Offset end, Taken& taken, RecordSink& sink);

    struct Counts {
        std::uint64_t records_in = 0, records_out = 0, merged = 0, overwritten_bytes = 0;
    };
    const Counts& counts() const;

private:
    struct Store;
    std::unique_ptr<Store> store_;
};

}  // namespace kumihimo::iod
