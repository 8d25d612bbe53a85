// Records that leave in the order in which they came (method immediate), in batches.
#pragma once

#include <algorithm>
#include <deque>

#include "iod/records/batch.hpp"

namespace kumihimo::iod {

class Queue {
public:
    explicit Queue(std::size_t batch_bytes) : batch_bytes_(batch_bytes) {}

    void add(Offset offset, std::span<const std::byte> data);
    // The oldest batch: visit(offset, bytes) for each record. False: there is none.
    template <typename Visit>
    bool take(Visit&& visit) {
        if (batches_.empty()) return false;
        memory_bytes_ -= batches_.front().memory_bytes();
        spare_ = std::move(batches_.front());
        batches_.pop_front();
        spare_.for_each(visit);
        return true;
    }

    bool empty() const { return batches_.empty(); }
    bool overlaps(Offset begin, Offset end) const;
    Offset highest_end() const;  // 0: nothing
    std::size_t memory_bytes() const { return memory_bytes_; }
    // What memory_bytes() is at most after so many records of at most so many bytes were added.
    std::size_t memory_bytes_with(std::size_t bytes, std::size_t records) const {
        return memory_bytes_ + (records == 1 && last_has_room(bytes) ? 0 : records * growth(bytes));
    }

private:
    // Places of records take memory, too: a batch of tiny ones has fewer bytes.
    std::size_t most_records() const { return batch_bytes_ / 64 + 1; }
    std::size_t growth(std::size_t bytes) const { return std::max(batch_bytes_, bytes) + most_records() * sizeof(RecordPlace); }
    Batch fresh(std::size_t bytes);
    bool last_has_room(std::size_t bytes) const;

    std::size_t batch_bytes_, memory_bytes_ = 0;
    std::deque<Batch> batches_;
    Batch spare_;  // its memory is used again
};

}  // namespace kumihimo::iod
